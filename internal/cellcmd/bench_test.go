//go:build unix

package cellcmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/bench"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
)

// Every workload runs against a cell, counts operations without errors, and leaves nothing.
func TestBenchMeasuresEveryWorkload(t *testing.T) {
	t.Parallel()
	cell, file := startDev(t, "--http")
	out, _ := cell.text()
	pages := regexp.MustCompile(`(?m)^pages +(\S+)$`).FindStringSubmatch(out)
	require.NotNil(t, pages, out)
	args := []string{"bench", "--cell", file, "--clients", "1,9", "--value", "7", "--metrics", pages[1], "-o", "json"}
	window := 50 * time.Millisecond
	report := benched(t, args, window)
	isUnanswered := func(r bench.Row) bool { return r.Operations == 0 }
	for window < 3*time.Second && slices.ContainsFunc(report.Rows, isUnanswered) { // the machine is busy
		window *= 4
		report = benched(t, args, window)
	}

	require.Equal(t, "dev", report.Cell)
	require.Equal(t, 3, report.Replicas)
	require.Equal(t, 7, report.ValueBytes)
	require.InDelta(t, window.Seconds(), report.ForSeconds, 1e-9)
	require.Positive(t, report.Processors)
	require.False(t, report.Interrupted)
	seen := map[string][]int{}
	slots := false
	for _, r := range report.Rows {
		slots = slots || r.Slots != nil && *r.Slots > 0 && r.Syncs != nil && r.Batch != nil
		if runtime.GOOS == "linux" {
			require.NotNil(t, r.ServerCPU)
			require.NotNil(t, r.ClientCPU)
			require.NotNil(t, r.OtherCPU)
		}
		seen[r.Workload] = append(seen[r.Workload], r.Clients)
		require.Zero(t, r.Errors, "%+v", r)
		require.Equal(t, r.Clients, r.Sessions)
		require.Positive(t, r.Operations, "%+v", r)
		require.GreaterOrEqual(t, r.Seconds, window.Seconds())
		require.InDelta(t, float64(r.Operations)/r.Seconds, r.PerSecond, 1e-6)
		require.LessOrEqual(t, r.P50, r.P99)
		require.LessOrEqual(t, r.P99, r.P999)
		require.Positive(t, r.Gap)
		require.LessOrEqual(t, r.Gap, 1000*r.Seconds)
	}
	require.True(t, slots, "%+v", report)
	both := []int{1, 9}
	require.Equal(t, map[string][]int{
		"write": both, "write-8": {9}, "put": both, "get": both, "contents": both, "lock": both, "lock-kept": both, "handoff": {16}, "session": both,
	}, seen)
	code, out, said := run(t, "ls", "--cell", file, "/")
	require.Equal(t, cli.ExitClean, code, said)
	require.NotContains(t, out, "bench")
}

// A cell is filled with so many files, which stay.
func TestFillMakesFilesThatStay(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	code, out, said := run(t, "bench", "--cell", file, "--workload", "fill", "--operations", "50", "--clients", "2", "--for", "30s", "-o", "json")
	require.Equal(t, cli.ExitClean, code, said)
	var report bench.Report
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.Len(t, report.Rows, 1)
	require.GreaterOrEqual(t, report.Rows[0].Operations, uint64(50))
	require.Less(t, report.Rows[0].Operations, uint64(60))
	require.Less(t, report.Rows[0].Seconds, 30.0)
	code, out, said = run(t, "ls", "--cell", file, "/")
	require.Equal(t, cli.ExitClean, code, said)
	require.Contains(t, out, "bench-")
}

// Sessions that do nothing are held, and counted. A cell in one process has no figures of its
// master alone, but the master tells its KeepAlives.
func TestSessionsAreHeld(t *testing.T) {
	t.Parallel()
	_, file := startDev(t, "--session-lease", "1s")
	report := benched(t, []string{"bench", "--cell", file, "--workload", "sessions", "--clients", "7,40", "-o", "json"}, time.Second)
	require.Empty(t, report.Rows)
	require.Len(t, report.Held, 2)
	for i, n := range []int{7, 40} {
		h := report.Held[i]
		require.Equal(t, n, h.Sessions)
		require.Equal(t, n, h.Alive+h.InDoubt, "%+v", h)
		require.Zero(t, h.Lost+h.Unopened, "%+v", h)
		require.GreaterOrEqual(t, h.Seconds, 1.0)
		require.NotNil(t, h.KeepAlives)
		require.Positive(t, *h.KeepAlives)
		require.Nil(t, h.MasterCPU)
		require.Nil(t, h.MasterBytes)
	}
	code, out, said := run(t, "bench", "--cell", file, "--workload", "sessions", "--clients", "3", "--for", "10ms")
	require.Equal(t, cli.ExitClean, code, said)
	require.Regexp(t, `(?m)^ +sessions +alive +in doubt +lost`, out)
	require.Regexp(t, `(?m)^ +3 +3 +0 +0 +0 `, out)
	require.NotContains(t, out, "per second", "there is no row of another workload")
}

// benched is the report of a bench, which prints it and writes it to a file.
func benched(t *testing.T, args []string, window time.Duration) (report bench.Report) {
	copied := filepath.Join(t.TempDir(), "report.json")
	code, out, said := run(t, append(args[:len(args):len(args)], "--for", window.String(), "--file", copied)...)
	require.Equal(t, cli.ExitClean, code, said)
	require.Equal(t, benchSchema, schema.Accept(t, project, []byte(out)))
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	text, err := os.ReadFile(copied)
	require.NoError(t, err)
	require.JSONEq(t, out, string(text))
	return report
}

// A row in which no operation was answered is reported as that: it does not go missing.
func TestABenchWithoutAnAnswerIsReported(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	code, out, said := run(t, "bench", "--cell", file, "--workload", "lock", "--clients", "1,2", "--for", "1ns", "-o", "json")
	require.Equal(t, cli.ExitClean, code, said)
	var report bench.Report
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.Len(t, report.Rows, 2, out)
	for _, r := range report.Rows {
		require.Zero(t, r.Errors, "%+v", r)
		require.InDelta(t, float64(r.Operations)/r.Seconds, r.PerSecond, 1e-6)
	}
}

// What was measured is printed though it cannot be written to a file, because the disk is full.
func TestABenchIsPrintedThoughItsFileCannotBeWritten(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // there is no file that is always full
	}
	t.Parallel()
	_, file := startDev(t)
	code, out, said := run(t, "bench", "--cell", file, "--workload", "put", "--clients", "1", "--operations", "3", "--file", "/dev/full", "-o", "json")
	require.Equal(t, cli.ExitInternal, code, said)
	require.Contains(t, said, "--file: write /dev/full: no space left on device")
	var report bench.Report
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.Len(t, report.Rows, 1)
	require.Equal(t, uint64(3), report.Rows[0].Operations)
}

// What an interrupted bench has measured is printed.
func TestBenchEndsWithWhatItHas(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	p := start(t, "bench", "--cell", file, "--workload", "put,get", "--clients", "2", "--for", "1m", "--sessions", "1")
	p.says(t, `put, 2 clients, 1 sessions, 1 connections: 1m0s`)
	require.NoError(t, p.Process.Signal(syscall.SIGINT))
	require.Equal(t, cli.ExitInterrupted, p.ends(t))
	out, _ := p.text()
	require.Contains(t, out, "per second")
	require.NotContains(t, out, "get")
}

// The sessions of six clients share two connections to the master. A third one is of the client that makes
// the directory.
func TestBenchSessionsShareConnections(t *testing.T) {
	t.Parallel()
	cell, file := startDev(t, "--http")
	out, _ := cell.text()
	pages := regexp.MustCompile(`(?m)^pages +(\S+)$`).FindStringSubmatch(out)
	require.NotNil(t, pages, out)
	p := start(t, "bench", "--cell", file, "--workload", "put", "--clients", "6", "--for", "1m", "--connections", "2", "-o", "json")
	p.says(t, `put, 6 clients, 6 sessions, 2 connections: 1m0s`)
	hasThree := func(page string) bool {
		return strings.Contains(pageAt(t, "http://"+page+"/metrics"), "\nchubby_clients 3\n")
	}
	require.Eventually(t, func() bool { return slices.ContainsFunc(strings.Split(pages[1], ","), hasThree) },
		30*time.Second, 10*time.Millisecond, "no replica has the connections of bench")
	require.NoError(t, p.Process.Signal(syscall.SIGINT))
	require.Equal(t, cli.ExitInterrupted, p.ends(t))
	out, _ = p.text()
	var report bench.Report
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	for _, r := range report.Rows {
		require.Equal(t, 2, r.Conns)
		require.Zero(t, r.Errors)
	}
}

func TestWhatIsWrongWithABenchIsSaid(t *testing.T) {
	t.Parallel()
	for words, args := range map[string][]string{
		`--workload "puts": give some of write,`:          {"--workload", "puts"},
		"--clients 0: must be 1 to":                       {"--clients", "0"},
		"--for 0s: must be above 0":                       {"--for", "0s"},
		"--value -1: must be 0 to":                        {"--value", "-1"},
		"--sessions -1: must be 0 to":                     {"--sessions", "-1"},
		"--connections -1: must be 0 to":                  {"--connections", "-1"},
		"--connections: leave it out":                     {"--workload", "sessions", "--connections", "2"},
		"--clients 131073: must be 1 to 131072":           {"--workload", "sessions", "--clients", "131073"},
		"--clients 5000: must be 1 to 4096":               {"--workload", "sessions,put", "--clients", "5000"},
		"--sessions: leave it out: the workload sessions": {"--workload", "sessions", "--sessions", "2"},
		`--workload "": give some of`:                     {"--workload", ""},
		"--workload write-8: it has 8 principals":         {"--workload", "write-8", "--clients", "2"},
		`--metrics "nowhere": give host:port`:             {"--metrics", "nowhere"},
		"--file":                                          {"--file", "/dev/null/x"},
		"--file is empty: give a value":                   {"--file", ""},
		"--metrics is empty: give a value":                {"--metrics", ""},
	} {
		code, out, text := run(t, append([]string{"bench", "--cell", "1=127.0.0.1:1"}, args...)...)
		require.Equal(t, cli.ExitUsage, code, words)
		require.Contains(t, text, words)
		require.Empty(t, out)
	}
}

// A row of which no call succeeded is a failure, also for a script that looks at the exit code alone. A few errors
// are a figure.
func TestARowOfWhichNoCallSucceededHasFailed(t *testing.T) {
	for errors, answered := range map[uint64]uint64{0: 0, 1: 9} {
		require.False(t, hasFailed(bench.Row{Operations: answered, Errors: errors}))
	}
	require.True(t, hasFailed(bench.Row{Errors: 2, Error: "quota exceeded"}))
}
