package simtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// served is an extension whose property breaks as soon as a replica serves.
func served() *scenario.Extension {
	return &scenario.Extension{Properties: []scenario.Property{{ID: "X1", Help: "nothing serves", New: func() scenario.Checker { return early{} }}}}
}

// The shortest failure is shrunk and told as a story, and all are kept; the next run begins with them, and then runs the
// other seeds.
func TestAFailureOfACellIsMadeSmallerToldAndKept(t *testing.T) {
	t.Chdir(t.TempDir())
	o := Options{With: served(), Seeds: 2, From: 3}
	f := flags{shrink: time.Minute, out: "out"}
	l := listen(t, func(l *listener) { runWith(l, o, f, cell.Run) })
	require.Len(t, l.errors, 2, "seeds 3 and 4")
	first := l.errors[0]
	require.True(t, strings.HasPrefix(first, "seed 3: X1 broke: it serves\nshrunk: from "), first)
	require.Contains(t, first, "to: 0 faults, 3 replicas, ", "nothing is needed for a replica to serve")
	require.Contains(t, first, "-run '^"+t.Name()+"$' -sim.seed=3\n")
	kept := filepath.Join("testdata", "sim", t.Name(), "seed-3")
	require.Contains(t, first, "the next run starts with it: "+kept)
	text, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Equal(t, "X1 broke: it serves\n", string(text))
	require.NotContains(t, l.errors[1], "shrunk: from", "the others are named only")
	require.True(t, strings.HasSuffix(l.errors[1], "-sim.seed=4\nthe next run starts with it: "+filepath.Join("testdata", "sim", t.Name(), "seed-4")), l.errors[1])

	small := filepath.Join("out", t.Name(), "seed-3", "shrunk.json")
	require.Contains(t, first, "shrunk case, for simtest.Replay: "+small)
	r := listen(t, func(l *listener) { Replay(l, small, served()) })
	require.Len(t, r.errors, 1)
	story := strings.Split(r.errors[0], "\n")[1:]
	require.NotEmpty(t, story)
	for _, line := range story {
		require.Contains(t, first, line, "the story is that of the case")
	}

	o.From = 4 // the kept seed 3 runs before it
	l = listen(t, func(l *listener) { runWith(l, o, flags{}, cell.Run) })
	require.Len(t, l.errors, 3, "seeds 3, 4 and 5, each once")
	require.Contains(t, l.errors[0], "a kept seed fails again: "+kept+"\nseed 3: X1 broke: it serves")
	require.Contains(t, l.errors[1], "a kept seed fails again: "+filepath.Join(filepath.Dir(kept), "seed-4")+"\nseed 4: X1 broke: it serves")
	require.Contains(t, l.errors[2], "seed 5: X1 broke: it serves")
	require.FileExists(t, filepath.Join(filepath.Dir(kept), "seed-5"))
	o.With = nil
	l = listen(t, func(l *listener) { runWith(l, o, flags{}, fake) })
	require.Equal(t, filepath.Dir(kept)+": failed before, now clean: seed 3, 4", l.logs[0])
	require.Len(t, l.errors, 1, "seed 5 breaks S1 in this simulator")
	require.Contains(t, l.errors[0], "seed 5: S1 broke")
}

// A failure that the Shrinker cannot reproduce is reported without a story, and the report says why.
func TestAFailureThatCannotBeMadeSmallerIsToldAsItIs(t *testing.T) {
	t.Chdir(t.TempDir())
	runs := 0
	once := func(o plan.Options) cell.Result {
		runs++
		r := fake(o)
		if runs > 2 {
			r.Breach = nil
		}
		return r
	}
	l := listen(t, func(l *listener) { runWith(l, Options{From: 5, Seeds: 1, Jobs: 1}, flags{shrink: time.Minute}, once) })
	require.Contains(t, l.errors[0], "seed 5: S1 broke: two values\nnot shrunk: seed 5: nothing breaks\nto reproduce: ")
}

// -sim.trace needs -sim.seed.
func TestATraceIsOfOneSeed(t *testing.T) {
	t.Chdir(t.TempDir())
	l := listen(t, func(l *listener) { runWith(l, Options{}, flags{trace: true}, fake) })
	require.Equal(t, "-sim.trace prints one seed: give -sim.seed, too", l.fatal)
	var b strings.Builder
	s := start(&listener{TB: t}, Options{Duration: 2 * time.Second}, flags{seed: 7}, cell.Run)
	s.printCell(7, printed{w: &b})
	require.Contains(t, b.String(), "# seed 7: ")
	require.Contains(t, b.String(), "open session")
	of := uint64(0)
	s.flags.trace, s.print = true, func(seed uint64, _ printed) { of = seed }
	s.printTrace()
	require.EqualValues(t, 7, of)
}
