//go:build unix

package cellcmd

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/internal/torture"
)

// tortureArgs has the replicas be what the tests call chubby.
func tortureArgs(t *testing.T, args ...string) []string {
	self, err := exec.LookPath("chubby")
	require.NoError(t, err)
	return append([]string{"torture", "--server", self, "--clients", "3", "--session-lease", "1s"}, args...)
}

// The first fault of the run kills the master of three processes, or all three. No write that
// was acknowledged is lost, and nothing stays behind.
func TestATorturedCellLosesNothing(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	code, text, said := run(t, tortureArgs(t, "--for", "3s", "--seed", "2", "--faults", "kill,power", "--out", out, "-o", "json")...)
	require.Equal(t, cli.ExitClean, code, "%s\n%s", text, said)
	var r torture.Report
	require.Equal(t, tortureSchema, schema.Accept(t, project, []byte(text)))
	require.NoError(t, json.Unmarshal([]byte(text), &r))
	require.Equal(t, torture.Clean, r.Verdict)
	require.Empty(t, r.Violations)
	require.Positive(t, r.Kills)
	require.Positive(t, r.Failovers)
	require.Greater(t, r.Operations, int64(100))
	require.Positive(t, r.Rows)
	require.Positive(t, r.Files)
	require.Positive(t, r.Locks)
	require.Positive(t, r.Events)
	require.Positive(t, r.Placed)
	require.Zero(t, r.Holes)
	require.Positive(t, r.LongestGap)
	require.NoDirExists(t, out)
}

// Ctrl-C ends a run, and all that it started; so does a terminal that is closed.
func TestATortureThatIsInterruptedLeavesNothing(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out")
			p := start(t, tortureArgs(t, "--for", "1m", "--out", out)...)
			p.says(t, "the cell serves; faults begin")
			require.NoError(t, p.Process.Signal(s))
			require.Equal(t, cli.ExitInterrupted, p.ends(t))
			text, _ := p.text()
			require.Contains(t, text, "interrupted")
			require.NoDirExists(t, out)
			require.Empty(t, processesWith(t, out))
		})
	}
}

// A torture that is killed takes its replicas with it.
func TestATortureThatIsKilledLeavesNoReplica(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // no other process can be told to end
	}
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	p := start(t, tortureArgs(t, "--for", "1m", "--out", out)...)
	p.says(t, "the cell serves; faults begin")
	require.NotEmpty(t, processesWith(t, out))
	require.NoError(t, p.Process.Kill())
	p.ends(t)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(wait); len(processesWith(t, out)) > 0; <-tick.C {
		require.True(t, time.Now().Before(end), "replicas run on")
	}
}

// processesWith are the commands of processes that name a directory.
func processesWith(t *testing.T, dir string) (all []string) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), dir) && strings.Contains(string(text), "serve") {
			all = append(all, string(text))
		}
	}
	return all
}

// Replicas that end before the cell serves end the run, with what they said.
func TestReplicasThatEndBeforeTheCellServesAreReported(t *testing.T) {
	t.Parallel()
	server, err := exec.LookPath("false")
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "out")
	code, text, said := run(t, "torture", "--server", server, "--for", "1s", "--out", out, "-o", "json")
	require.Equal(t, cli.ExitBroken, code, "%s\n%s", text, said)
	var r torture.Report
	require.Equal(t, tortureSchema, schema.Accept(t, project, []byte(text)))
	require.NoError(t, json.Unmarshal([]byte(text), &r))
	require.Equal(t, torture.Broken, r.Verdict)
	require.Equal(t, "S17", r.Violations[0].Property)
	require.Regexp(t, `ended by itself, with exit code 1; the end of \S+\.log:\n  == life 1: \S+false serve`, r.Violations[0].Text)
	require.Zero(t, r.FirstBroken)
	require.Equal(t, out, r.Dir)
	require.DirExists(t, out)
}

func TestWhatIsWrongWithATortureIsSaid(t *testing.T) {
	t.Parallel()
	full := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "x"), nil, 0o600))
	for words, args := range map[string][]string{
		`--faults "fire": give some of kill,`:         {"--faults", "fire"},
		"--replicas 4: must be 3, 5, 7 or 9":          {"--replicas", "4"},
		"--for 0s: must be above 0":                   {"--for", "0s"},
		"--clients 1: must be 2 to 64":                {"--clients", "1"},
		"give a directory that is empty":              {"--out", full},
		"--server /nowhere: there is no such program": {"--server", "/nowhere"},
		"--session-lease 1ms: must be 1s to 1m":       {"--session-lease", "1ms"},
		"--faults is empty: give a value":             {"--faults", ""},
		"--server is empty: give a value":             {"--server", ""},
		"--out is empty: give a value":                {"--out", ""},
	} {
		code, out, text := run(t, append([]string{"torture"}, args...)...)
		require.Equal(t, cli.ExitUsage, code, words)
		require.Contains(t, text, words)
		require.Empty(t, out)
	}
}
