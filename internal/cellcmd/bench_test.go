//go:build unix

package cellcmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/bench"
	"github.com/chubbycell/chubby/internal/cli"
)

// Every workload runs against a cell, counts operations without errors, and leaves nothing.
func TestBenchMeasuresEveryWorkload(t *testing.T) {
	t.Parallel()
	cell, file := startDev(t, "--http")
	out, _ := cell.text()
	pages := regexp.MustCompile(`(?m)^pages +(\S+)$`).FindStringSubmatch(out)
	require.NotNil(t, pages, out)
	copied := filepath.Join(t.TempDir(), "report.json")
	code, out, said := run(t, "bench", "--cell", file, "--clients", "1,9", "--for", "50ms", "--value", "7", "--metrics", pages[1], "-o", "json", "--file", copied)
	require.Equal(t, cli.ExitClean, code, said)
	var report bench.Report
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&report))
	text, err := os.ReadFile(copied)
	require.NoError(t, err)
	require.JSONEq(t, out, string(text))

	require.Equal(t, "dev", report.Cell)
	require.Equal(t, 3, report.Replicas)
	require.Equal(t, 7, report.ValueBytes)
	require.InDelta(t, 0.05, report.ForSeconds, 1e-9)
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
		require.GreaterOrEqual(t, r.Seconds, 0.05)
		require.InDelta(t, float64(r.Operations)/r.Seconds, r.PerSecond, 1e-6)
		require.LessOrEqual(t, r.P50, r.P99)
		require.LessOrEqual(t, r.P99, r.P999)
	}
	require.True(t, slots, out)
	both := []int{1, 9}
	require.Equal(t, map[string][]int{
		"write": both, "write-8": {9}, "put": both, "get": both, "contents": both, "lock": both, "handoff": {16}, "session": both,
	}, seen)
	code, out, said = run(t, "ls", "--cell", file, "/")
	require.Equal(t, cli.ExitClean, code, said)
	require.NotContains(t, out, "bench")
}

// What an interrupted bench has measured is printed.
func TestBenchEndsWithWhatItHas(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	p := start(t, "bench", "--cell", file, "--workload", "put,get", "--clients", "2", "--for", "1m", "--sessions", "1")
	p.says(t, `put, 2 clients, 1 sessions: 1m0s`)
	require.NoError(t, p.Process.Signal(syscall.SIGINT))
	require.Equal(t, cli.ExitInterrupted, p.ends(t))
	out, _ := p.text()
	require.Contains(t, out, "per second")
	require.NotContains(t, out, "get")
}

func TestWhatIsWrongWithABenchIsSaid(t *testing.T) {
	t.Parallel()
	for words, args := range map[string][]string{
		`--workload "puts": give some of write,`: {"--workload", "puts"},
		"--clients 0: 1 to":                      {"--clients", "0"},
		"--for 0s: above 0":                      {"--for", "0s"},
		"--value -1: 0 to":                       {"--value", "-1"},
		"--sessions -1: 0 to":                    {"--sessions", "-1"},
		"--file":                                 {"--file", "/dev/null/x"},
	} {
		code, out, text := run(t, append([]string{"bench", "--cell", "1=127.0.0.1:1"}, args...)...)
		require.Equal(t, cli.ExitUsage, code, words)
		require.Contains(t, text, words)
		require.Empty(t, out)
	}
}
