package simcmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

func TestFlagsReachTheBatch(t *testing.T) {
	for line, want := range map[string]runner.Batch{
		"":                         {From: 1, Seeds: 200, MaxFailures: 10},
		"--for 5m":                 {From: 1, For: 5 * time.Minute, MaxFailures: 10},
		"--for 5m --seeds 7":       {From: 1, Seeds: 7, For: 5 * time.Minute, MaxFailures: 10},
		"--from 9 --jobs 3":        {From: 9, Seeds: 200, Jobs: 3, MaxFailures: 10},
		"--shard 3/8 --seeds 20":   {From: 1, Seeds: 3, Shard: 3, Shards: 8, MaxFailures: 10},
		"--shard 5/8 --seeds 20":   {From: 1, Seeds: 2, Shard: 5, Shards: 8, MaxFailures: 10},
		"--shard 3/8":              {From: 1, Seeds: 25, Shard: 3, Shards: 8, MaxFailures: 10},
		"--max-failures 0":         {From: 1, Seeds: 200},
		"--replicas 5":             {From: 1, Seeds: 200, MaxFailures: 10, Options: plan.Options{Replicas: 5}},
		"--faults none":            {From: 1, Seeds: 200, MaxFailures: 10, Options: plan.Options{Faults: []string{}}},
		"--faults crash,pause":     {From: 1, Seeds: 200, MaxFailures: 10, Options: plan.Options{Faults: []string{"crash", "pause"}}},
		"--duration 2m":            {From: 1, Seeds: 200, MaxFailures: 10, Options: plan.Options{Duration: 2 * time.Minute}},
		"--clients 3":              {From: 1, Seeds: 200, MaxFailures: 10, Options: plan.Options{Clients: 3}},
		"--workload lists -o json": {From: 1, Seeds: 200, MaxFailures: 10, Options: plan.Options{Workload: "lists"}},
	} {
		w := newWorld()
		require.Equal(t, cli.ExitClean, w.do(strings.Fields("sim "+line)...), line)
		w.asked.Each = nil
		require.Equal(t, want, w.asked, line)
	}
}

// An interrupt ends the shrinking, and the report has the smallest failure found.
func TestAnInterruptKeepsWhatIsShrunk(t *testing.T) {
	t.Chdir(t.TempDir())
	w := newWorld()
	w.result = func(run int, seed uint64) cell.Result {
		if run == 8 {
			w.stop()
		}
		return outcomes["needs"](run, seed)
	}
	require.Equal(t, cli.ExitInterrupted, w.do("sim", "--seed", "3", "--out", "out", "-o", "json"))
	var r report
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &r))
	c := r.Failures[0].Case
	require.False(t, c.Done)
	require.Less(t, c.Is.Faults, c.Was.Faults)
	require.FileExists(t, c.File)
	require.NotEmpty(t, c.Story)
}

func TestNodesAreNamedAsInTraces(t *testing.T) {
	for _, a := range []sim.Addr{1, 7, sim.FirstClient, sim.FirstClient + 4} {
		got, err := parseNode(a.String())
		require.NoError(t, err)
		require.Equal(t, a, got)
	}
	got, err := parseNode("3")
	require.NoError(t, err)
	require.Equal(t, sim.Addr(3), got)
	for _, bad := range []string{"n", "n0", "c0", "c-1", "n99999", "m1"} {
		_, err := parseNode(bad)
		require.Error(t, err, bad)
	}
}

// real is a program with the real simulator.
func real() *world {
	w := newWorld()
	w.simulate = cell.Run
	return w
}

func TestARealSeedFromTraceToReplay(t *testing.T) {
	t.Chdir(t.TempDir())
	short := []string{"--duration", "2s", "--faults", "crash,noise", "--replicas", "3"}
	w := real()
	require.Equal(t, cli.ExitClean, w.do(append([]string{"sim", "--seed", "5", "--workload", "mixed", "--out", "files"}, short...)...), w.err.String())
	require.Contains(t, w.err.String(), "writing files/seed-5")

	require.Equal(t, cli.ExitClean, w.do("sim", "replay", "files/seed-5", "-o", "json"), w.err.String())
	var p replayed
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &p))
	require.True(t, p.Same)

	manifest, err := os.ReadFile("files/seed-5/manifest.json")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir("other", 0o777))
	other := strings.NewReplacer(p.Build.Go, "go1.1", p.Hash, strings.Repeat("0", len(p.Hash))).Replace(string(manifest))
	require.NoError(t, os.WriteFile("other/manifest.json", []byte(other), 0o666))
	require.Equal(t, cli.ExitUsage, w.do("sim", "replay", "other"))
	require.Equal(t, cli.ExitDiffers, w.do("sim", "replay", "other", "--force", "-o", "junit"), w.err.String())
	require.Contains(t, w.out.String(), "sim replay --force other</failure>", "without the flag it would be refused")

	require.Equal(t, cli.ExitClean, w.do(append([]string{"sim", "--seed", "5", "--workload", "mixed", "--trace"}, short...)...))
	require.Contains(t, w.err.String(), p.Hash, "with a trace or without, it is the same history")
	trace, err := os.ReadFile("files/seed-5/trace.txt")
	require.NoError(t, err)
	require.Equal(t, string(trace), w.out.String())

	require.Equal(t, cli.ExitClean, w.do(append([]string{"sim", "--seed", "5", "--workload", "mixed", "--trace", "--until", "900", "--node", "n2"}, short...)...))
	require.Contains(t, w.err.String(), p.Hash)
	var part strings.Builder // the lines of the whole trace that the flags select
	for line := range strings.Lines(string(trace)) {
		f := strings.Fields(line)
		step, err := strconv.Atoi(f[0])
		if f[0] == "#" || err == nil && step <= 900 && f[2] == "n2" {
			part.WriteString(line)
		}
	}
	var rest strings.Builder // without the contents of values, which come before the first line that names one
	for line := range strings.Lines(w.out.String()) {
		if f := strings.Fields(line); f[0] == "#" || f[4] != "value" {
			rest.WriteString(line)
		}
	}
	require.Contains(t, w.out.String(), " value ")
	require.Contains(t, part.String(), " believes ")
	require.Contains(t, part.String(), " durable ")
	require.Equal(t, part.String(), rest.String(), "the same numbers and clocks, whatever else is printed")

	history, err := os.Open("files/seed-5/history.jsonl")
	require.NoError(t, err)
	defer history.Close()
	checked, err := linearizability.CheckFile(history, "kv", linearizability.Options{})
	require.NoError(t, err)
	require.Equal(t, linearizability.Legal, checked.Verdict)
}

// --page writes the page of a seed, whether it fails or not. A file that cannot be written, or that the command reads, is
// refused before the seed runs.
func TestAPageOfASeed(t *testing.T) {
	t.Chdir(t.TempDir())
	seed := []string{"sim", "--seed", "5", "--duration", "2s", "--replicas", "3", "--out", "files", "--page"}
	w := real()
	require.Equal(t, cli.ExitClean, w.do(append(seed, "5.html")...), w.err.String())
	page, err := os.ReadFile("5.html")
	require.NoError(t, err)
	require.Contains(t, string(page), "sim --seed 5 --trace --replicas 3 --duration 2s")
	require.FileExists(t, "files/seed-5/page.html")
	require.Equal(t, cli.ExitClean, w.do("sim", "replay", "files/seed-5", "--page", "again.html"), w.err.String())
	again, err := os.ReadFile("again.html")
	require.NoError(t, err)
	require.Equal(t, dataOf(page), dataOf(again))
	manifest, err := os.ReadFile("files/seed-5/manifest.json")
	require.NoError(t, err)
	for text, args := range map[string][]string{
		"a directory":      append(seed, "files"),
		"no file is named": append(seed, ""),
		"no such file":     append(seed, "none/5.html"),
		"needs --seed":     {"sim", "--seeds", "1", "--page", "5.html"},
		"need --trace":     {"sim", "--seed", "5", "--slot", "3"},
		"--slot 0":         {"sim", "--seed", "5", "--trace", "--slot", "0"},
		"--until 0":        {"sim", "--seed", "5", "--trace", "--until", "0"},
		"--before 0s":      {"sim", "--seed", "5", "--trace", "--before", "0s"},
		"--about is empty": {"sim", "--seed", "5", "--trace", "--about", ""},
		"a kind is empty":  {"sim", "--seed", "5", "--trace", "--kind", "fault,"},
		"--before 1s":      {"sim", "--seed", "5", "--trace", "--since", "2s", "--before", "1s"},
		"with --trace":     {"sim", "--seed", "5", "--trace", "--page", "5.html"},
		"same file":        {"sim", "replay", "files/seed-5", "--page", "files/seed-5/manifest.json"},
	} {
		require.Equal(t, cli.ExitUsage, w.do(args...), text)
		require.Contains(t, w.err.String(), text)
	}
	kept, err := os.ReadFile("files/seed-5/manifest.json")
	require.NoError(t, err)
	require.Equal(t, manifest, kept)
}

// dataOf returns the data in a page.
func dataOf(page []byte) string {
	_, rest, _ := strings.Cut(string(page), `id="data">`)
	data, _, _ := strings.Cut(rest, "</script>")
	return data
}

func TestPlainProgressComesNowAndThen(t *testing.T) {
	w := newWorld()
	w.step = 3 * time.Second
	require.Equal(t, cli.ExitClean, w.do("sim", "--seeds", "8"))
	require.Equal(t, "  12 s  4 of 8 counted, 0 idle, 0 failed\n  24 s  8 of 8 counted, 0 idle, 0 failed\n", w.err.String())
}

// A failure in the first seconds is printed as soon as the run has lasted ten seconds, a later one at once, and each
// once.
func TestFailingSeedsAreToldBeforeTheEnd(t *testing.T) {
	w := newWorld()
	w.step = 3 * time.Second
	w.result = func(_ int, seed uint64) cell.Result {
		if seed == 2 || seed == 6 {
			return broken(seed, "S1", "it broke")
		}
		return clean(seed)
	}
	require.Equal(t, cli.ExitBroken, w.do("sim", "--seeds", "8"))
	require.Equal(t, `seed 2: S1 broke: it broke
  12 s  3 of 8 counted, 0 idle, 1 failed
seed 6: S1 broke: it broke
  24 s  6 of 8 counted, 0 idle, 2 failed
What broke seed 2, in 20 lines: go run ./cmd/chubby sim --seed 2 --shrink 1m
As a page for a browser: go run ./cmd/chubby sim --seed 2 --page 2.html
`, w.err.String())
}

func TestProgressOfAVerification(t *testing.T) {
	w := newWorld()
	w.step = 6 * time.Second
	w.result = outcomes["moody"]
	require.Equal(t, cli.ExitDiffers, w.do("sim", "verify", "--seeds", "2", "--jobs", "1"))
	require.Equal(t, "  12 s  2 of 2 verified, 2 differ\n", w.err.String())
}

func TestABarIsDrawnOnATerminalOnly(t *testing.T) {
	w := newWorld()
	w.terminal = true
	require.Equal(t, cli.ExitClean, w.do("sim", "--seeds", "8"))
	require.Contains(t, w.err.String(), "8 of 8 counted")
	require.NotContains(t, w.out.String(), "\r", "data goes to stdout, unadorned")

	require.Equal(t, cli.ExitClean, w.do("sim", "--for", "1h", "-o", "json"))
	require.True(t, json.Valid(w.out.Bytes()))
}

func TestWhereNothingCanBeWrittenTheRunDoesNotBegin(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	w := newWorld()
	require.Equal(t, cli.ExitUsage, w.do("sim", "--out", filepath.Join(file, "below")))
	require.Zero(t, w.runs)
}

// An empty --out, as from an unset shell variable, is refused.
func TestADirectoryWithoutANameIsRefused(t *testing.T) {
	for _, line := range []string{"sim", "sim --seed 3", "sim experiment drift", "sim compare this window=1", "sim experiment sessions"} {
		w := newWorld()
		require.Equal(t, cli.ExitUsage, w.do(append(strings.Fields(line), "--out", "")...), line)
		require.Contains(t, w.err.String(), "--out: no directory is named", line)
		require.Zero(t, w.runs, line)
	}
}

// An empty --faults, as from an unset shell variable, is refused.
func TestFaultsThatNameNothingAreNoSwarm(t *testing.T) {
	w := newWorld()
	require.Equal(t, cli.ExitUsage, w.do("sim", "--faults", ""))
	require.Contains(t, w.err.String(), "--faults is empty")
	require.Zero(t, w.runs)
}

// If the filters of a trace select no line, stderr says so; if no line has a kind that is asked for, it lists the
// existing kinds. The exit code is that of the run.
func TestFiltersThatLeaveNothingSaySo(t *testing.T) {
	w := real()
	one := []string{"sim", "--seed", "5", "--duration", "1s", "--replicas", "3", "--clients", "1", "--trace"}
	require.Equal(t, cli.ExitClean, w.do(append(one, "--kind", "executes,Fault,accept")...))
	require.Regexp(t, `no line has kind "Fault"\n.*kinds of this run: .*disk, .*send.*; of its messages: .*accept`, w.err.String())
	require.NotContains(t, w.err.String(), `"executes"`)
	require.NotContains(t, w.err.String(), "no line matches")
	require.NotContains(t, w.err.String(), `of kind "accept"`)
	require.Contains(t, w.out.String(), " executes ")
	require.Equal(t, cli.ExitClean, w.do(append(one, "--since", "1h")...))
	require.Contains(t, w.err.String(), "no line matches")
	require.NotContains(t, w.err.String(), "kinds of this run")
}
