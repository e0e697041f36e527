package shrink

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// toy is a fault that harms nothing.
type toy string

func (f toy) Name() string          { return string(f) }
func (toy) Help() string            { return "does nothing" }
func (toy) Strike(s scenario.Stage) { s.Outage() }

// both is a checker that breaks as soon as two faults have struck.
type both struct{ one, two bool }

func (b *both) On(_ time.Duration, e event.Event) error {
	f, _ := e.(event.FaultStruck)
	b.one, b.two = b.one || f == (event.FaultStruck{Kind: "alpha", N: 8}), b.two || f == (event.FaultStruck{Kind: "beta", N: 9})
	if b.one && b.two {
		return fmt.Errorf("both have struck")
	}
	return nil
}

func (*both) End() error { return nil }

// If a checker breaks if and only if two named faults strike, the shrunk case has these two faults, three replicas, and
// no clients.
func TestWhatIsNeededIsLeft(t *testing.T) {
	o := plan.Options{
		Seed: 7, Replicas: 5, Clients: 4, Duration: 80 * time.Second, Faults: []string{"alpha", "beta", "crash", "clock-rate", "late"},
		With: &scenario.Extension{
			Faults:     []scenario.Fault{toy("alpha"), toy("beta")},
			Properties: []scenario.Property{{ID: "X1", Help: "not both", New: func() scenario.Checker { return &both{} }}},
		},
	}
	var sizes []Size
	c, err := Shrinker{Run: cell.Run, Jobs: 2, Told: func(s Size) { sizes = append(sizes, s) }}.Shrink(t.Context(), o)
	require.NoError(t, err)
	require.True(t, c.Done)
	require.ElementsMatch(t, []plan.Fault{{Kind: "alpha", N: 8}, {Kind: "beta", N: 9}}, c.Options.Script.Faults())
	require.Equal(t, 2, c.Is.Faults)
	require.Greater(t, c.Was.Faults, 10)
	require.Equal(t, 3, c.Is.Replicas)
	require.Zero(t, c.Is.Clients)
	require.Equal(t, c.Is, sizes[len(sizes)-1])
	require.Less(t, c.Options.Script.Safety, c.Is.Time+2*time.Second)
	require.Equal(t, "X1", c.Result.Breach.ID)
	require.Equal(t, c.Result.Hash, cell.Run(c.Options).Hash, "one case is one history")
}

// scripted returns a made-up simulator: a run breaks if its script has all the needed faults.
func scripted(needed ...plan.Fault) func(plan.Options) cell.Result {
	return func(o plan.Options) cell.Result {
		if o.Record != nil {
			for i := range 100 {
				o.Record.Strikes = append(o.Record.Strikes, &plan.Strike{Fault: plan.Fault{Kind: "crash", N: i + 1}, At: time.Duration(i) * time.Second})
			}
			o.Record.Safety = 100 * time.Second
			o.Script = o.Record
		}
		r := cell.Result{Seed: o.Seed}
		for _, f := range needed {
			if !slices.Contains(o.Script.Faults(), f) {
				return r
			}
		}
		r.Breach = &cell.Breach{ID: "S1", Check: "two values", At: 100 * time.Second}
		return r
	}
}

func crash(n int) plan.Fault { return plan.Fault{Kind: "crash", N: n} }

func TestFaultsFarApartAreFound(t *testing.T) {
	for _, needed := range [][]plan.Fault{{}, {crash(1)}, {crash(100)}, {crash(1), crash(50), crash(100)}, {crash(7), crash(8), crash(9), crash(60), crash(61)}} {
		for _, jobs := range []int{1, 4} {
			c, err := Shrinker{Run: scripted(needed...), Jobs: jobs}.Shrink(t.Context(), plan.Options{Seed: 1})
			require.NoError(t, err)
			require.Equal(t, len(needed), len(c.Options.Script.Faults()))
			require.Subset(t, c.Options.Script.Faults(), needed)
			require.Less(t, c.Runs, 200)
			require.True(t, c.Done)
		}
	}
}

// Another property, or another check of the same one, is another failure.
func TestAnotherBreakIsNotTheSame(t *testing.T) {
	run := scripted(crash(10))
	other := func(o plan.Options) cell.Result {
		r := run(o)
		if r.Breach != nil && o.Script != nil && len(o.Script.Strikes) < 50 {
			r.Breach.Check = "a lost vote"
		}
		return r
	}
	c, err := Shrinker{Run: other}.Shrink(t.Context(), plan.Options{Seed: 1})
	require.NoError(t, err)
	require.Len(t, c.Options.Script.Strikes, 50)
	require.Equal(t, "two values", c.Result.Breach.Check)
}

// If an early fault causes a break that is found after the run, the shrunk run is short.
func TestARunThatIsJudgedAtItsEndIsCutShort(t *testing.T) {
	run := scripted(crash(4))
	late := func(o plan.Options) cell.Result {
		r := run(o)
		if r.Breach != nil && o.Script != nil {
			r.Breach.At = o.Script.Safety + time.Minute
		}
		return r
	}
	c, err := Shrinker{Run: late, Jobs: 1}.Shrink(t.Context(), plan.Options{Seed: 1})
	require.NoError(t, err)
	require.Equal(t, []plan.Fault{crash(4)}, c.Options.Script.Faults())
	require.Less(t, c.Options.Script.Safety, 13*time.Second)
	require.Less(t, c.Runs, 40)
}

// needsAll returns a made-up simulator: with the draws of the seed a run breaks only with all its faults, with set n of
// other draws it needs only some.
func needsAll(n uint64, some ...plan.Fault) func(plan.Options) cell.Result {
	var all []plan.Fault
	for i := range 100 {
		all = append(all, crash(i+1))
	}
	exact, loose := scripted(all...), scripted(some...)
	return func(o plan.Options) cell.Result {
		if o.Script != nil && o.Script.LinkDraws == n {
			return loose(o)
		}
		return exact(o)
	}
}

// A break that needs an exact order of messages is looked for with other delays of messages.
func TestAnExactOrderIsLookedForAmongNeighbours(t *testing.T) {
	c, err := Shrinker{Run: needsAll(sets + 3), Jobs: 2}.Shrink(t.Context(), plan.Options{Seed: 1})
	require.NoError(t, err)
	require.True(t, c.Done)
	require.Empty(t, c.Options.Script.Faults())
	require.EqualValues(t, sets+3, c.Options.Script.LinkDraws)

	c, err = Shrinker{Run: needsAll(1 << 40), Jobs: 2}.Shrink(t.Context(), plan.Options{Seed: 1})
	require.NoError(t, err)
	require.True(t, c.Done, "the number of neighbours is bounded")
	require.Len(t, c.Options.Script.Faults(), 100)
	require.Zero(t, c.Options.Script.LinkDraws)
}

// A break that needs a few faults that stand far apart is found in no neighbour without a half of them, but in one with all faults.
func TestAnExactOrderIsLookedForWithAllFaults(t *testing.T) {
	needed := []plan.Fault{crash(4), crash(34), crash(64), crash(94)}
	run, never := needsAll(sets+40, needed...), scripted(crash(101))
	other := func(o plan.Options) cell.Result {
		if o.Script != nil && o.Script.LinkDraws != 0 && o.Script.LinkDraws != sets+40 {
			return never(o)
		}
		return run(o)
	}
	c, err := Shrinker{Run: other, Jobs: 2}.Shrink(t.Context(), plan.Options{Seed: 1})
	require.NoError(t, err)
	require.True(t, c.Done)
	require.Equal(t, needed, c.Options.Script.Faults())
	require.EqualValues(t, sets+40, c.Options.Script.LinkDraws)
}

// Other delays may have the break come much sooner. What had not happened by then is left out at once: the strikes by the
// first run after that, the last turns of the hostile client by a few more.
func TestFaultsAfterAnEarlierBreakAreLeftOutAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	exact, early, never := needsAll(1<<40), scripted(crash(1), crash(2), crash(3), crash(4), crash(5), crash(6), crash(7)), scripted(crash(101))
	const turns = 64
	var after int
	c, err := Shrinker{Jobs: 1, Run: func(o plan.Options) cell.Result {
		if o.Record != nil {
			for n := range turns {
				o.Record.Tricks = append(o.Record.Tricks, &plan.Trick{N: n + 1})
			}
			return exact(o)
		}
		switch {
		case o.Script.LinkDraws == 0 && len(o.Script.Tricks) == turns:
			return exact(o)
		case o.Script.LinkDraws <= sets:
			return never(o)
		}
		if after++; after == 6 { // the find, the strikes, and 1, 2 and 4 turns
			cancel()
		}
		if len(o.Script.Tricks) < 4 {
			return never(o)
		}
		r := early(o)
		if r.Breach != nil {
			r.Breach.At = 7 * time.Second
		}
		return r
	}}.Shrink(ctx, plan.Options{Seed: 1})
	require.NoError(t, err)
	require.False(t, c.Done)
	require.Len(t, c.Options.Script.Strikes, 8)
	require.Len(t, c.Options.Script.Tricks, 4)
}

// A case that is of a run with other delays, and of which many faults are left, has all passes in the end.
func TestACaseOfOtherDelaysHasAllPasses(t *testing.T) {
	var all, needed []plan.Fault
	for i := range 100 {
		all = append(all, crash(i+1))
		if i < 50 && i%3 != 2 {
			needed = append(needed, crash(i+1))
		}
	}
	exact, loose, never := scripted(all...), scripted(needed...), scripted(crash(101))
	c, err := Shrinker{Jobs: 2, Run: func(o plan.Options) cell.Result {
		switch {
		case o.Script == nil || o.Script.LinkDraws == 0:
			return exact(o)
		case o.Script.LinkDraws == 3 && len(o.Script.Strikes) <= 50:
			return loose(o)
		}
		return never(o)
	}}.Shrink(t.Context(), plan.Options{Seed: 1})
	require.NoError(t, err)
	require.True(t, c.Done)
	require.EqualValues(t, 3, c.Options.Script.LinkDraws)
	require.Equal(t, needed, c.Options.Script.Faults())
}

// Few faults are enough: the messages of such a case have the delays of its seed.
func TestASmallCaseKeepsTheDelaysOfItsSeed(t *testing.T) {
	for _, needed := range [][]plan.Fault{{crash(10), crash(20)}, {crash(10), crash(90)}, {crash(60), crash(90)}} {
		c, err := Shrinker{Run: scripted(needed...), Jobs: 1}.Shrink(t.Context(), plan.Options{Seed: 1})
		require.NoError(t, err)
		require.Len(t, c.Options.Script.Faults(), 2)
		require.Zero(t, c.Options.Script.LinkDraws)
	}
}

// If ctx ends, Shrink returns what it has found, and Runs counts only candidates that ran.
func TestTimeIsUp(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	run, runs := scripted(crash(3), crash(90)), 0
	counted := func(o plan.Options) cell.Result { runs++; return run(o) }
	c, err := Shrinker{Run: counted, Jobs: 1, Told: func(s Size) {
		if s.Faults < 60 {
			stop()
		}
	}}.Shrink(ctx, plan.Options{Seed: 1})
	require.NoError(t, err)
	require.False(t, c.Done)
	require.Less(t, c.Is.Faults, 60)
	require.Greater(t, c.Is.Faults, 2)
	require.NotNil(t, c.Result.Breach)
	const others = 3 // runs to record the failure, to replay it, and to get the result of the case
	require.Equal(t, runs-others, c.Runs)
}

// If ctx ends while a candidate with a lower number still runs, a failing candidate that was found is kept.
func TestTimeIsUpWhileAnotherCandidateRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		const late = time.Hour
		defer time.Sleep(late)
		run := scripted(crash(10))
		slow := func(o plan.Options) cell.Result {
			if o.Script != nil && len(o.Script.Strikes) == 0 {
				time.Sleep(late)
			}
			return run(o)
		}
		c, err := Shrinker{Run: slow, Jobs: 2}.Shrink(ctx, plan.Options{Seed: 1})
		require.NoError(t, err)
		require.False(t, c.Done)
		require.NotEmpty(t, c.Options.Script.Without, "no standing fault is needed")
	})
}

// A checker of a user may depend on more than its events.
func TestARunThatDoesNotBreakAgainIsNoCase(t *testing.T) {
	run, seen := scripted(crash(10)), map[int]bool{}
	fickle := func(o plan.Options) cell.Result {
		if o.Script != nil && len(o.Script.Strikes) == 1 && seen[1] {
			return cell.Result{Seed: o.Seed}
		}
		r := run(o)
		if o.Script != nil && r.Breach != nil {
			seen[len(o.Script.Strikes)] = true
		}
		return r
	}
	_, err := Shrinker{Run: fickle, Jobs: 1}.Shrink(t.Context(), plan.Options{Seed: 8})
	require.ErrorIs(t, err, ErrDiffers)
	require.ErrorContains(t, err, "seed 8")
}

func TestWhatDoesNotFailIsNotShrunk(t *testing.T) {
	_, err := Shrinker{Run: func(o plan.Options) cell.Result { return cell.Result{Seed: o.Seed} }}.Shrink(t.Context(), plan.Options{Seed: 8})
	require.ErrorIs(t, err, ErrClean)
	require.ErrorContains(t, err, "seed 8")
}
