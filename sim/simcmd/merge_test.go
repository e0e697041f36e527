package simcmd

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/runner"
)

// sharded is a world with real batches.
func sharded(outcome string) *world {
	w := newWorld()
	w.result = outcomes[outcome]
	w.batch = func(ctx context.Context, c runner.Batch) runner.End {
		c.Runner, c.Jobs = w.one, 1
		return c.Run(ctx)
	}
	return w
}

// keep runs a command line and writes what it prints to a file.
func keep(t *testing.T, w *world, file, line string) (code int) {
	code = w.do(strings.Fields(line)...)
	require.NoError(t, os.WriteFile(file, w.out.Bytes(), 0o644))
	return code
}

// measuredTime matches the numbers that differ between two runs.
var measuredTime = regexp.MustCompile(`(?m)^(simulated time|events) .*$|"(elapsed_ns|events_per_second|real_time_ratio)": .*|time="[0-9.]*"|simulated time +[^&]*&#xA;events +[^&]*&#xA;`)

// The merged report of two shards equals the report of one run, except for real time and the list of shards.
func TestShardsMergedAreOneRun(t *testing.T) {
	for outcome, want := range map[string]int{"clean": cli.ExitClean, "broken": cli.ExitBroken, "undecided": cli.ExitUndecided} {
		t.Run(outcome, func(t *testing.T) {
			t.Chdir(t.TempDir())
			w := sharded(outcome)
			keep(t, w, "1", "sim --seeds 20 --shard 1/2 -o json")
			keep(t, w, "2", "sim --seeds 20 --shard 2/2 -o json")
			for _, form := range []string{"table", "json", "junit"} {
				require.Equal(t, want, w.do("sim", "--seeds", "20", "-o", form))
				whole := measuredTime.ReplaceAllString(w.out.String(), "")
				require.Equal(t, want, w.do("sim", "merge", "2", "1", "-o", form), w.err.String())
				merged := measuredTime.ReplaceAllString(w.out.String(), "")
				merged = strings.Replace(merged, "  \"shards\": [\n    \"1/2\",\n    \"2/2\"\n  ],\n", "", 1)
				require.Equal(t, whole, merged)
			}
		})
	}
}

// In JUnit, a missing shard fails the case of the run.
func TestAMissingShardFailsTheRunInJUnit(t *testing.T) {
	for _, outcome := range []string{"clean", "broken"} {
		t.Chdir(t.TempDir())
		w := sharded(outcome)
		keep(t, w, "1", "sim --seeds 20 --shard 1/3 -o json")
		keep(t, w, "3", "sim --seeds 20 --shard 3/3 -o json")
		require.NotEqual(t, cli.ExitClean, w.do("sim", "merge", "1", "3", "-o", "junit"), &w.err)
		require.Contains(t, w.out.String(), `shards 2/3 are missing; `)
		require.Regexp(t, `<testcase classname="chubby sim" name="run" time="\d+\.000">\s*<failure `, w.out.String())
	}
}

// In JUnit, the case of a run that is not clean says why, though every wanted seed counted.
func TestTheRunSaysInJUnitWhyItIsUndecided(t *testing.T) {
	for outcome, why := range map[string]string{
		"clean": "exit code 3: 3 counted of 3 wanted; --min-counted requires 4", "undecided": "exit code 3: 3 counted of 3 wanted; 1 undecided",
		"idle": "exit code 3: 0 counted of 3 wanted; gave up, 12 were idle; --min-counted requires 4",
	} {
		w := sharded(outcome)
		args := []string{"sim", "--seeds", "3", "--jobs", "1", "-o", "junit"}
		if outcome != "undecided" {
			args = append(args, "--min-counted", "4")
		}
		require.Equal(t, cli.ExitUndecided, w.do(args...), &w.err)
		require.Contains(t, w.out.String(), `<failure message="`+why+`" type="run">`, outcome)
	}
}

func TestMergeRefusesWhatIsNotOneRun(t *testing.T) {
	t.Chdir(t.TempDir())
	w := sharded("clean")
	keep(t, w, "first", "sim --seeds 20 --shard 1/2 -o json")
	keep(t, w, "whole", "sim --seeds 20 -o json")
	for file, line := range map[string]string{
		"same": "sim --seeds 20 --shard 1/2 -o json", "thirds": "sim --seeds 20 --shard 2/3 -o json", "later": "sim --seeds 20 --from 5 --shard 2/2 -o json",
		"more": "sim --seeds 30 --shard 2/2 -o json", "calm": "sim --seeds 20 --shard 2/2 --faults none -o json", "second": "sim --seeds 20 --shard 2/2 -o json",
	} {
		keep(t, w, file, line)
	}
	own := w.build
	w.build = func() runner.Build { b := own(); b.Commit = "decaf"; return b }
	keep(t, w, "other", "sim --seeds 20 --shard 2/2 -o json")
	w.build = func() runner.Build { b := own(); b.Modified, b.Program = true, "one"; return b }
	keep(t, w, "edited", "sim --seeds 20 --shard 2/2 -o json")
	text, err := os.ReadFile("second")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("damaged", []byte(strings.Replace(string(text), `"hash": "000`, `"hash": "001`, 1)), 0o644))
	require.NoError(t, os.WriteFile("cut", text[:len(text)/2], 0o644))
	require.NoError(t, os.WriteFile("next", []byte(strings.Replace(string(text), simSchema, "chubby-sim-2", 1)), 0o644))
	require.NoError(t, os.WriteFile("many", []byte(strings.Replace(string(text), `"2/2"`, `"2/9000000000000000000"`, 1)), 0o644))
	for _, c := range []struct{ file, says string }{
		{"many", "at most 10000 shards"},
		{"same", "it is shard 1/2, and so is first"},
		{"thirds", "its shard is 2/3, that of first is 1/2"},
		{"later", "its --from is 5, that of first is 1"},
		{"more", "its --seeds is 30, that of first is 20"},
		{"calm", "its configuration is sim --faults none, that of first is sim"},
		{"other", "its program is decaf, go1.26.8, that of first is c0ffee, go1.26.8"},
		{"edited", "its program is c0ffee, modified, program one, go1.26.8"},
		{"whole", "it is not the report of a shard"},
		{"damaged", "it is damaged"},
		{"cut", "it is not a report, or is damaged"},
		{"next", "it is a chubby-sim-2, and merge reads chubby-sim-1"},
		{"nowhere", "no such file"},
	} {
		require.Equal(t, cli.ExitUsage, w.do("sim", "merge", "first", c.file), c.file)
		require.Contains(t, w.err.String(), "chubby: "+c.file+": ")
		require.Contains(t, w.err.String(), c.says)
		require.Empty(t, w.out.String())
	}
	require.Equal(t, cli.ExitUsage, w.do("sim", "merge"))
	require.Equal(t, cli.ExitUsage, w.do("sim", "merge", "nowhere"))
	require.Equal(t, "chubby: nowhere: no such file or directory: give files that chubby sim --shard I/N -o json has printed\n", w.err.String())
}

// With a missing shard, the exit code of merge is that of an undecided run. It is the same if fewer seeds counted in all
// shards than --min-counted.
func TestMergeTellsOfMissingShards(t *testing.T) {
	t.Chdir(t.TempDir())
	w := sharded("clean")
	keep(t, w, "2", "sim --seeds 20 --shard 2/3 -o json")
	require.Equal(t, cli.ExitUndecided, w.do("sim", "merge", "2", "-o", "json"))
	var r report
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &r))
	require.Equal(t, []string{"1/3", "3/3"}, r.Missing)
	require.Equal(t, "chubby: ended by --seeds: 7 counted of 20 wanted\nchubby: no report for shard 1/3, 3/3\n", w.err.String())

	keep(t, w, "1", "sim --seeds 2 --shard 1/1 -o json")
	require.Equal(t, cli.ExitClean, w.do("sim", "merge", "1"))
	require.Equal(t, cli.ExitUndecided, w.do("sim", "merge", "1", "--min-counted", "3"))
	require.Contains(t, w.err.String(), "2 seeds counted, --min-counted requires 3")
}

// Merge reports the most serious end of all shards.
func TestMergeTellsHowTheShardsEnded(t *testing.T) {
	t.Chdir(t.TempDir())
	w := sharded("broken")
	require.Equal(t, cli.ExitBroken, keep(t, w, "1", "sim --seeds 20 --shard 1/2 -o json"))
	require.Equal(t, cli.ExitBroken, keep(t, w, "2", "sim --seeds 20 --shard 2/2 --max-failures 1 -o json"))
	require.Equal(t, cli.ExitBroken, w.do("sim", "merge", "1", "2"))
	require.Contains(t, w.out.String(), "\nended by             --max-failures: 11 counted of 20 wanted\n")
}
