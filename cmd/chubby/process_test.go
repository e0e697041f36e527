//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

// asChubby is set in the environment of a test binary that is to be the program.
const asChubby = "CHUBBY_TEST_RUNS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asChubby) != "" {
		main()
	}
	if signal.Ignored(syscall.SIGHUP) { // as under nohup: processes of tests begin with the signal if this one has a handler
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	os.Exit(m.Run())
}

// process is the program as one of its own, with real signals.
type process struct {
	*exec.Cmd
	out *os.File // empty at first
	err bytes.Buffer
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	p := &process{Cmd: exec.Command(self, args...)}
	p.Env = append(os.Environ(), asChubby+"=1")
	p.out, err = os.Create(filepath.Join(t.TempDir(), "stdout"))
	require.NoError(t, err)
	t.Cleanup(func() { p.out.Close() })
	p.Stdout, p.Stderr = p.out, &p.err
	require.NoError(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

// said waits until something was printed to stdout.
func (p *process) said(t *testing.T, want string) {
	t.Helper()
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(p.out.Name())
		return err == nil && bytes.Contains(text, []byte(want))
	}, time.Minute, time.Millisecond)
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

// A hangup is that of a closed terminal, which may send it twice.
func TestASignalEndsASimulation(t *testing.T) {
	for _, s := range append(endings, syscall.SIGHUP) {
		t.Run(s.String(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			p := start(t, "sim", "--seeds", "0", "--for", "1h", "--jobs", "1", "--out", dir)
			require.Eventually(t, func() bool { _, err := os.Stat(dir); return err == nil }, time.Minute, time.Millisecond)
			require.NoError(t, p.Process.Signal(s))
			if s == syscall.SIGHUP {
				require.NoError(t, p.Process.Signal(s))
			}
			require.Equal(t, cli.ExitInterrupted, p.code(t, time.Minute), &p.err)
			require.Contains(t, p.err.String(), "interrupted; only seeds that had ended are reported")
			require.FileExists(t, filepath.Join(dir, "manifest.json"), "what was found is written")
		})
	}
}

// What reads cannot be told to end while it waits for bytes; the program ends.
func TestASignalEndsAReader(t *testing.T) {
	for _, s := range endings {
		t.Run("check "+s.String(), func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, syscall.Mkfifo("fifo", 0o600))
			p := start(t, "check", "--model", "register", "fifo")
			w, err := os.OpenFile("fifo", os.O_WRONLY, 0) // once it is being read
			require.NoError(t, err)
			defer w.Close()
			_, err = w.WriteString(badHistory)
			require.NoError(t, err)
			p.endsBy(t, s)
		})
		t.Run("wal dump "+s.String(), func(t *testing.T) {
			root := t.TempDir()
			t.Chdir(root)
			writeLog(t, root)
			segment := filepath.Join("log", "0000000000000001.wal")
			require.NoError(t, os.Remove(segment))
			require.NoError(t, syscall.Mkfifo(segment, 0o600))
			p := start(t, "wal", "dump", "log")
			p.said(t, "register log/manifest.a")
			p.endsBy(t, s)
		})
	}
}

// endsBy sends a signal, which ends the process soon.
func (p *process) endsBy(t *testing.T, s syscall.Signal) {
	t.Helper()
	require.NoError(t, p.Process.Signal(s))
	require.Equal(t, cli.ExitInterrupted, p.code(t, 10*time.Second), &p.err)
	require.Equal(t, "chubby: interrupted\n", p.err.String(), "it waits for nothing")
}
