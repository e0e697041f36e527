// Package labtest is test support: the test that every system of the lab has to pass.
package labtest

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/lab"
)

// seeds is how many are played of each variant.
const seeds = 20

// Breaks plays every variant of every break of a system: the harm happens in each faulty one
// and in no repaired one, whatever the seed; one seed is one history; and the story of
// each variant keeps to its lines.
func Breaks(t *testing.T, s lab.System) {
	require.NoError(t, s.Validate())
	t.Run("without faults", func(t *testing.T) { peace(t, s) })
	t.Run("runs at a time", func(t *testing.T) { together(t, s) })
	for i := range s.Breaks {
		b := &s.Breaks[i]
		if b.Script == nil {
			continue
		}
		t.Run(b.ID, func(t *testing.T) {
			happened := map[string]bool{}
			for seed := uint64(1); seed <= seeds; seed++ {
				all, err := lab.Check(b, seed)
				require.NoError(t, err)
				for k := range all {
					f := &all[k]
					story := lab.Tell(&s, b, all, k)
					happened[f.Variant+f.Guard] = happened[f.Variant+f.Guard] || f.Happened
					require.True(t, f.AsClaimed(), "seed %d, %q, resource %s: %s\n%s", seed, f.Variant, f.Guard, f.Outcome.String(), strings.Join(story, "\n"))
					require.LessOrEqual(t, len(story), lab.MaxStory, "%q\n%s", f.Variant, strings.Join(story, "\n"))
				}
				if seed == 1 {
					again, err := lab.Check(b, seed)
					require.NoError(t, err)
					require.Equal(t, all, again, "one seed, one history")
					t.Log("\n" + strings.Join(lab.Tell(&s, b, all, 0), "\n"))
				}
			}
			for _, v := range b.Faulty {
				require.True(t, happened[v.Name+v.Resource()], "%q, resource %s: never in %d seeds", v.Name, v.Resource(), seeds)
			}
		})
	}
}

// together runs variants at the same time, as `chubby lab load` and `chubby lab matrix` do. What
// runs share by mistake the race detector sees.
func together(t *testing.T, s lab.System) {
	b := &lab.Break{ID: "together", Script: func(b *lab.Bench) { b.Client("A", lab.Job{Work: time.Second}) }}
	var all []lab.Variant
	for i := range s.Breaks {
		all = append(append(all, s.Breaks[i].Faulty...), s.Breaks[i].Repaired...)
	}
	all = append(all, lab.Variant{Name: "default", Guard: lab.ReadFence, Build: s.Default})
	var runs sync.WaitGroup
	for _, v := range append(all, all...) {
		runs.Go(func() {
			_, err := lab.Run(b, v, 1)
			assert.NoError(t, err)
		})
	}
	runs.Wait()
}

// peace runs the system with its defaults and without faults: each of three clients has the lock
// five times, one at a time, and a resource that checks tokens refuses nothing.
func peace(t *testing.T, s lab.System) {
	calm := &lab.Break{ID: "peace", Script: func(b *lab.Bench) {
		for i, name := range []string{"A", "B", "C"} {
			b.Client(name, lab.Job{Start: time.Duration(i) * time.Second, Times: 5, Work: time.Second, Rest: 2 * time.Second})
		}
	}, Length: 10 * time.Minute}
	for seed := uint64(1); seed <= seeds; seed++ {
		o, err := lab.Run(calm, lab.Variant{Name: "default", Guard: lab.ReadFence, Build: s.Default}, seed)
		require.NoError(t, err)
		require.Len(t, o.Holds, 15, "seed %d: a client did not get the lock as often as it wanted", seed)
		for _, h := range []lab.Harm{lab.Overlapping, lab.LosesUpdate, lab.TakesStale, lab.RefusesHolder} {
			require.False(t, h.In(&o), "seed %d: %s: %s", seed, h.Name, o.String())
		}
	}
}
