package simtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

// left runs a World with -sim.out, and returns the directory of its test.
func left(t *testing.T, x World) (dir string, l *listener) {
	t.Chdir(t.TempDir())
	l = listen(t, func(l *listener) { x.runWith(l, flags{out: "out", shrink: time.Minute}) })
	return filepath.Join("out", t.Name()), l
}

// What -sim.out writes runs the seed again, and its minimized case, until the bug is fixed.
func TestASeedOfAWorldIsReplayed(t *testing.T) {
	dir, l := left(t, mortal(3))
	file := filepath.Join(dir, "seed-4", "shrunk.json")
	require.Contains(t, l.errors[1], "shrunk case, for World.Replay: "+file+"\nits story: ")
	told := listen(t, func(l *listener) { mortal(3).Replay(l, filepath.Join(dir, "seed-3")) })
	require.Len(t, told.errors, 1)
	require.Regexp(t, `seed-3: P1 broke: it lives again\nWhat led to it:\n`, told.errors[0])

	c, err := readWorld(file)
	require.NoError(t, err)
	require.Equal(t, []string{"pause", "crash", "clock-step"}, c.Faults)
	require.Equal(t, []int{0, 2}, c.Without)
	require.Len(t, *c.Strikes, 1)
	told = listen(t, func(l *listener) { mortal(3).Replay(l, file) })
	require.Len(t, told.errors, 1)
	require.Contains(t, told.errors[0], "n1 loses power")
	of, err := c.part(new(mortal(3)))
	require.NoError(t, err)
	again := mortal(3).with(plan.Options{Seed: c.Seed}, of)
	require.Equal(t, c.Hashes[0].Hash, again.Hash, "the case is one history")

	fixed := listen(t, func(l *listener) { mortal(9).Replay(l, file) })
	require.Empty(t, fixed.errors)
	require.Equal(t, []string{file + ": clean; when it was written, P1 broke: it lives again"}, fixed.logs)

	all, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	require.NoError(t, err)
	var m worldManifest
	require.NoError(t, json.Unmarshal(all, &m))
	require.Len(t, m.Hashes, 4, "of all seeds")
}

// A case has only the strikes that are needed, with what each of them drew.
func TestACaseOfAWorldHasOnlyItsStrikes(t *testing.T) {
	x := mortal(9)
	scenario := x.Scenario
	x.Seeds, x.Scenario = 1, func(seed uint64) sim.Scenario {
		s := scenario(seed)
		setup := s.Setup
		s.Setup = func(w *sim.World) {
			setup(w)
			w.After(950*time.Millisecond, func() {
				if w.Machine(1).Lives() > 1 {
					w.Break("P1", "it has lived before")
				}
			})
		}
		return s
	}
	dir, _ := left(t, x)
	whole, err := readWorld(filepath.Join(dir, "seed-1"))
	require.NoError(t, err)
	c, err := readWorld(filepath.Join(dir, "seed-1", "shrunk.json"))
	require.NoError(t, err)
	require.Len(t, *c.Strikes, 1)
	of, err := c.part(&x)
	require.NoError(t, err)
	again := x.with(plan.Options{Seed: 1}, of)
	require.Equal(t, c.Hashes[0].Hash, again.Hash)
	of.script = nil
	require.NotEqual(t, c.Hashes[0].Hash, x.with(plan.Options{Seed: 1}, of).Hash, "with the other crashes")
	of, err = whole.part(&x)
	require.NoError(t, err)
	require.Equal(t, whole.Hashes[0].Hash, x.with(plan.Options{Seed: 1}, of).Hash)
}

// Files of an earlier run do not stay beside those of a run that was not shrunk.
func TestACaseOfAnEarlierRunOfAWorldDoesNotStay(t *testing.T) {
	dir, _ := left(t, mortal(3))
	require.FileExists(t, filepath.Join(dir, "seed-4", "shrunk.json"))
	listen(t, func(l *listener) { mortal(3).runWith(l, flags{out: "out"}) })
	require.NoFileExists(t, filepath.Join(dir, "seed-4", "shrunk.json"))
	require.FileExists(t, filepath.Join(dir, "seed-4", "manifest.json"))
}

func TestFilesThatAWorldCannotReplay(t *testing.T) {
	dir, _ := left(t, mortal(3))
	fatal := func(x World, file string) string {
		return listen(t, func(l *listener) { x.Replay(l, file) }).fatal
	}
	file := filepath.Join(dir, "seed-4", "shrunk.json")
	require.Contains(t, fatal(World{}, file), "the World has no Scenario")
	require.Contains(t, fatal(mortal(3), "nowhere"), "nowhere/manifest.json cannot be replayed: no such file; name the directory of one failing seed below that of -sim.out")
	require.Contains(t, fatal(mortal(3), dir), "it is that of many seeds; name the directory of one seed below it")
	judged := mortal(3)
	judged.Judge = "P2"
	require.Contains(t, fatal(judged, file), `it was written with Judge "", and Judge of the World is "P2"`)
	fewer := mortal(3)
	scenario := fewer.Scenario
	fewer.Scenario = func(seed uint64) sim.Scenario { s := scenario(seed); s.Faults = s.Faults[:2]; return s }
	require.Contains(t, fatal(fewer, file), "the Scenario of seed 4 has the faults [pause crash], and had [pause crash clock-step] when the file was written")

	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for content, want := range map[string]string{
		"{":               "it is damaged: ",
		`{"schema": "x"}`: "it is no manifest and no case of a World",
		`{"format": 1}`:   "it is of a cell, not of a World; Replay, or the method of a Program, runs it",
		strings.Replace(string(text), `"world_format": 1`, `"world_format": 2`, 1):            "it has format 2, this package reads 1",
		strings.Replace(string(text), `"world_format": 1`, `"world_format": 1, "more": 1`, 1): `unknown field "more"`,
		strings.Replace(string(text), `"fault": 1`, `"fault": 7`, 1):                          "it names a fault that the Scenario does not have",
	} {
		require.NoError(t, os.WriteFile("bad.json", []byte(content), 0o644))
		require.Contains(t, fatal(mortal(3), "bad.json"), want)
	}
	_, _, err = runner.ReadManifest(file, nil)
	require.ErrorIs(t, err, runner.ErrManifest)
	require.ErrorContains(t, err, "it is of a World, which only its test has; World.Replay of package simtest runs it")
}

// stale is a world in which a program reads an old value, recorded in as many histories. If crashes, P1 breaks first.
func stale(histories int, crashes bool) World {
	return World{Seeds: 1, Scenario: func(uint64) sim.Scenario {
		var all []*linearizability.Recorder[linearizability.KVInput, linearizability.KVOutput]
		s := sim.Scenario{Safety: time.Second, Setup: func(w *sim.World) {
			w.After(time.Millisecond, func() {
				for _, calls := range all {
					calls.OK(calls.Call(1, int64(w.Now()), linearizability.Write("new")), int64(w.Now())+1, linearizability.KVOutput{})
					calls.OK(calls.Call(1, int64(w.Now())+2, linearizability.Read()), int64(w.Now())+3, linearizability.KVOutput{Found: true, Value: "old"})
					calls.Call(2, int64(w.Now())+4, linearizability.Write("never answered"))
				}
				if crashes {
					w.Break("P1", "too early for End")
				}
			})
		}}
		for i := range histories {
			all = append(all, linearizability.NewRecorder[linearizability.KVInput, linearizability.KVOutput](2))
			s.Properties = append(s.Properties, Linearizable([]string{"LIN", "LIN2"}[i], linearizability.Register(), all[i]))
		}
		return s
	}}
}

// The directory of a failing seed has the history for any checker, also if another property broke first.
func TestAWorldLeavesItsHistory(t *testing.T) {
	dir, l := left(t, stale(2, false))
	require.Contains(t, l.errors[0], "seed 1: LIN broke: ")
	illegal := func(file string) {
		f, err := os.Open(filepath.Join(dir, "seed-1", file))
		require.NoError(t, err)
		defer f.Close()
		report, err := linearizability.CheckFile(f, "register", linearizability.Options{})
		require.NoError(t, err)
		require.Equal(t, linearizability.Illegal, report.Verdict)
		require.Equal(t, 1, report.Unknown)
	}
	illegal("history.jsonl")
	illegal(filepath.Join("LIN2", "history.jsonl"))
	require.FileExists(t, filepath.Join(dir, "seed-1", "history.html"))

	dir, l = left(t, stale(1, true))
	require.Contains(t, l.errors[0], "seed 1: P1 broke: ")
	illegal("history.jsonl")

	dir, _ = left(t, mortal(4))
	m, err := readWorld(filepath.Join(dir, "seed-4"))
	require.NoError(t, err)
	require.Equal(t, "there is no history", m.Page)
	require.NoFileExists(t, filepath.Join(dir, "seed-4", "history.jsonl"))
}

// unsure is a property whose search was given up.
type unsure struct{ sim.Property }

func (unsure) ID() string                   { return "LIN" }
func (unsure) Check(*sim.World) error       { return nil }
func (unsure) isUndecided() bool            { return true }
func (unsure) write(string) (string, error) { return "too large", nil }

// A search that was given up fails the test, and leaves its files: a pass would say more than is known.
func TestAWorldWithAnUndecidedHistoryFails(t *testing.T) {
	x := mortal(9)
	x.Seeds = 1
	scenario := x.Scenario
	x.Scenario = func(seed uint64) sim.Scenario {
		s := scenario(seed)
		s.Properties = []sim.Property{unsure{}}
		return s
	}
	dir, l := left(t, x)
	require.Len(t, l.errors, 1)
	require.Contains(t, l.errors[0], "seed 1: undecided\nto reproduce: ")
	m, err := readWorld(filepath.Join(dir, "seed-1"))
	require.NoError(t, err)
	require.Equal(t, "too large", m.Page)
	told := listen(t, func(l *listener) { x.Replay(l, filepath.Join(dir, "seed-1")) })
	require.Contains(t, told.errors[0], "seed-1: undecided")
	told = listen(t, func(l *listener) {
		compareWith(l, flags{}, sides(mortal(9), func() World { x.Seeds = 4; return x }()), nil)
	})
	require.NotEmpty(t, told.errors)
}
