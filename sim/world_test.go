package sim

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func hashOf(t *testing.T, seed uint64) uint64 {
	w := rough(Config{Seed: seed})
	defer w.Close()
	require.Equal(t, Reached, w.Run(2*time.Second), failed(w))
	require.Greater(t, w.Steps(), uint64(1000))
	return w.Hash()
}

func TestOneSeedIsOneHistory(t *testing.T) {
	procs, gc := runtime.GOMAXPROCS(0), debug.SetGCPercent(100)
	defer func() {
		runtime.GOMAXPROCS(procs)
		debug.SetGCPercent(gc)
	}()
	seen := map[uint64]uint64{}
	for seed := uint64(1); seed <= 4; seed++ {
		runtime.GOMAXPROCS(2)
		debug.SetGCPercent(100)
		h := hashOf(t, seed)
		require.Equal(t, h, hashOf(t, seed))
		runtime.GOMAXPROCS(1)
		debug.SetGCPercent(5)
		require.Equal(t, h, hashOf(t, seed))
		debug.SetGCPercent(-1)
		require.Equal(t, h, hashOf(t, seed))
		require.Zero(t, seen[h], "seeds %d and %d", seed, seen[h])
		seen[h] = seed
	}
}

// Another set of link draws changes when messages arrive, and nothing else that is drawn.
func TestLinksAloneDrawAnew(t *testing.T) {
	run := func(set uint64) (hash, other, link uint64) {
		w := chat(Config{Seed: 1, Link: lan(), LinkDraws: set}, 3)
		defer w.Close()
		w.Run(time.Second)
		delay := w.links.Stream("link.delay", 1)
		return w.Hash(), w.Draw("test", 1).Uint64(), delay.Uint64()
	}
	hash, other, link := run(0)
	require.Equal(t, uint64(0x187f7295736d7921), hash, "set 0 is the seed's own")
	seen := map[uint64]bool{hash: true, link: true}
	for set := uint64(1); set <= 4; set++ {
		h, o, l := run(set)
		require.False(t, seen[h] || seen[l], "set %d", set)
		require.Equal(t, other, o)
		seen[h], seen[l] = true, true
		again, _, _ := run(set)
		require.Equal(t, h, again)
	}
}

// The hash is the same on every target (GOARCH, -race). It is a constant here, so that a run on any
// target is compared with it.
func TestTheHashIsPinned(t *testing.T) {
	w := chat(Config{Seed: 1, Link: lan()}, 3)
	defer w.Close()
	w.Run(time.Second)
	require.Equal(t, uint64(0x187f7295736d7921), w.Hash())
}

func TestStepsAndRunsGoTheSameWay(t *testing.T) {
	a, b := rough(Config{Seed: 5}), rough(Config{Seed: 5})
	defer a.Close()
	defer b.Close()
	a.Run(300 * time.Millisecond)
	for b.Steps() < a.Steps() {
		require.True(t, b.Step())
	}
	require.Equal(t, a.Hash(), b.Hash())
}

func TestRunSaysWhyItReturns(t *testing.T) {
	w := New(Config{Steps: 5})
	defer w.Close()
	require.Equal(t, Quiet, w.Run(time.Second))
	require.Equal(t, time.Second, w.Now())
	n := 0
	var again func()
	again = func() { n++; w.After(time.Second, again) }
	w.After(0, again)
	require.Equal(t, Reached, w.RunFor(2*time.Second))
	require.Equal(t, 3, n)
	w.After(0, w.Stop)
	require.Equal(t, Stopped, w.RunFor(time.Second))
	require.Equal(t, Exhausted, w.RunFor(time.Hour))
	require.Equal(t, uint64(5), w.Steps())

	w = New(Config{})
	defer w.Close()
	w.After(time.Second, func() { w.Break("S1", "two values in slot %d", 7) })
	require.Equal(t, Failed, w.Run(time.Hour))
	require.Equal(t, "S1", w.Failure().ID)
	require.Equal(t, Broken, w.Failure().Kind)
	require.Equal(t, time.Second, w.Failure().At)
	require.False(t, w.Step())
}

func TestTimersOfTheWorldCanBeStopped(t *testing.T) {
	w := New(Config{})
	defer w.Close()
	fired := false
	timer := w.After(time.Second, func() { fired = true })
	timer.Stop()
	Timer{}.Stop()
	w.Run(time.Minute)
	require.False(t, fired)
}

// After JudgeOnly, breaks of other properties are noted, once each, and the run goes on until the
// judged property breaks.
func TestOnePropertyMayBeJudgedAlone(t *testing.T) {
	w := New(Config{Seed: 1})
	defer w.Close()
	w.JudgeOnly("S7")
	for i := range 3 {
		w.After(time.Duration(i+1)*time.Second, func() { w.Break("S11", "report %d", i) })
	}
	w.After(4*time.Second, func() { w.Break("L1", "late") })
	w.After(5*time.Second, func() { w.Break("S7", "two masters") })
	require.Equal(t, Reached, w.Run(4500*time.Millisecond))
	require.Nil(t, w.Failure())
	require.Len(t, w.Noted(), 2)
	first := w.Noted()[0]
	require.Equal(t, []any{"S11", "report 0", time.Second}, []any{first.ID, first.Text, first.At})
	require.Equal(t, "L1", w.Noted()[1].ID)
	require.Equal(t, Failed, w.Run(time.Minute))
	require.Equal(t, "S7", w.Failure().ID)
}

// A run that a conformance check ends reports kind Conformance: it has broken no property.
func TestADivergenceIsNoBrokenProperty(t *testing.T) {
	for _, judged := range []string{"", "S7"} {
		w := New(Config{Seed: 1})
		if judged != "" {
			w.JudgeOnly(judged)
		}
		w.After(time.Second, func() { w.Diverge("S11", "the client waits for %d", 3) })
		w.After(2*time.Second, func() { w.Break("S7", "two masters") })
		require.Equal(t, Failed, w.Run(time.Minute))
		f := w.Failure()
		if judged != "" {
			require.Equal(t, Broken, f.Kind)
			require.Len(t, w.Noted(), 1)
			f = w.Noted()[0]
		}
		require.Equal(t, []any{Conformance, "S11", time.Second}, []any{f.Kind, f.ID, f.At})
		require.Equal(t, "conformance", f.Kind.String())
		require.Equal(t, "conformance S11 broken at 1.000000000 (machine -, event 1): the client waits for 3", f.Error())
		w.Close()
	}
}
