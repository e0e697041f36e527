//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// asChubby is set in the environment of a test binary that is to be the program.
const asChubby = "CHUBBY_TEST_RUNS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asChubby) != "" {
		main()
	}
	os.Exit(m.Run())
}

// process is the program as one of its own, with real signals.
type process struct {
	*exec.Cmd
	out, err bytes.Buffer
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	p := &process{Cmd: exec.Command(self, args...)}
	p.Env = append(os.Environ(), asChubby+"=1")
	p.Stdout, p.Stderr = &p.out, &p.err
	require.NoError(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

// code waits for the end, for so long at most, and returns the exit code: -1 where a
// signal ended it.
func (p *process) code(t *testing.T, most time.Duration) int {
	t.Helper()
	late := time.AfterFunc(most, func() { _ = p.Process.Kill() })
	err := p.Wait()
	require.True(t, late.Stop(), "it goes on after %v; stderr: %s", most, &p.err)
	if err == nil {
		return 0
	}
	var ended *exec.ExitError
	require.ErrorAs(t, err, &ended)
	return ended.ExitCode()
}

var endings = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}

func TestASignalEndsASimulation(t *testing.T) {
	for _, s := range endings {
		t.Run(s.String(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			p := start(t, "sim", "--seeds", "0", "--for", "1h", "--jobs", "1", "--out", dir)
			require.Eventually(t, func() bool { _, err := os.Stat(dir); return err == nil }, time.Minute, time.Millisecond)
			require.NoError(t, p.Process.Signal(s))
			require.Equal(t, exitInterrupted, p.code(t, time.Minute), &p.err)
			require.Contains(t, p.err.String(), "interrupted; these are the seeds that ended before")
			require.FileExists(t, filepath.Join(dir, "manifest.json"), "what was found is written")
		})
	}
}
