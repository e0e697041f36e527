package lock_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// dumb is the simplest model of one lock: its holders, and until when no handle may claim it.
type dumb struct {
	gen    api.LockGen
	holds  map[string]lock.Hold
	delays map[api.Number]api.LockDelay
}

func (d *dumb) acquire(at api.Number, who string, m api.Mode, delay api.LockDelay) lock.Grant {
	if h, ok := d.holds[who]; ok && h.Mode == m {
		return lock.Grant{Code: api.OK, Already: true, Gen: d.gen, Acquisition: h.Acquisition}
	} else if ok {
		return lock.Grant{Code: api.LockOther}
	}
	for _, h := range d.holds {
		if m == api.Exclusive || h.Mode == api.Exclusive {
			return lock.Grant{Code: api.LockHeld}
		}
	}
	if len(d.delays) > 0 {
		return lock.Grant{Code: api.LockDelayed}
	}
	if len(d.holds) == 0 {
		d.gen = api.LockGen(at)
	}
	d.holds[who] = lock.Hold{Mode: m, Acquisition: api.Acquisition(at), Delay: min(delay, 60_000)}
	return lock.Grant{Code: api.OK, Gen: d.gen, Acquisition: api.Acquisition(at)}
}

func (d *dumb) fail(at api.Number, who ...string) {
	for _, w := range who {
		if delay := max(d.holds[w].Delay, d.delays[at]); delay > 0 {
			d.delays[at] = delay
		}
		delete(d.holds, w)
	}
}

// TestTheTableIsItsTwin runs two locks of one table against two dumb ones.
func TestTheTableIsItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &table{t: t, tx: db.New().Begin()}
		nodes := []api.Ref{file, ref("/f", 5)}
		twins := []*dumb{{holds: map[string]lock.Hold{}, delays: map[api.Number]api.LockDelay{}},
			{holds: map[string]lock.Hold{}, delays: map[api.Number]api.LockDelay{}}}
		// A and B use the first lock, C and D the second; A has two handles.
		use := map[string]int{"A": 0, "a": 0, "B": 0, "C": 1, "D": 1}
		names := slices.Sorted(maps.Keys(use))
		for range rapid.IntRange(1, 60).Draw(t, "commands") {
			at := b.step()
			who := rapid.SampledFrom(names).Draw(t, "who")
			i := use[who]
			n, d := nodes[i], twins[i]
			switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
			case what < 4:
				m := rapid.SampledFrom([]api.Mode{api.Exclusive, api.Shared, api.Shared}).Draw(t, "mode")
				delay := rapid.SampledFrom([]api.LockDelay{0, 1, 7000, 90_000}).Draw(t, "delay")
				g, _ := lock.Acquire(b.tx, at, lock.Claim{Lock: n, Owner: owners[who], Mode: m, Delay: delay})
				require.Equal(t, d.acquire(at, who, m, delay), g)
			case what < 6:
				a := api.Acquisition(rapid.IntRange(max(1, int(at)-12), int(at)).Draw(t, "acquisition"))
				code, _ := lock.Release(b.tx, n, owners[who], a)
				if a == d.holds[who].Acquisition {
					require.Equal(t, api.OK, code)
					delete(d.holds, who)
				} else {
					require.Equal(t, api.NotHeld, code)
				}
			case what == 6:
				lock.FailHandle(b.tx, at, owners[who])
				d.fail(at, who)
			case what == 7:
				lock.FailSession(b.tx, at, owners[who].Session)
				if d.fail(at, who); who == "A" || who == "a" {
					d.fail(at, "A", "a")
				}
			case what == 8 && len(d.delays) > 0:
				freed := rapid.SampledFrom(slices.Sorted(maps.Keys(d.delays))).Draw(t, "freed")
				ended, _ := lock.EndDelay(b.tx, n, freed)
				require.True(t, ended)
				delete(d.delays, freed)
			default:
				freed := at - api.Number(rapid.IntRange(0, 9).Draw(t, "stale"))
				ended, _ := lock.EndDelay(b.tx, n, freed)
				require.Equal(t, d.delays[freed] > 0, ended)
				delete(d.delays, freed)
			}
			b.audit()
			for i := range twins {
				b.equal(nodes[i], twins[i])
			}
		}
	})
}

func (b *table) equal(n api.Ref, d *dumb) {
	holds, running := map[string]lock.Hold{}, map[api.Number]api.LockDelay{}
	for _, h := range lock.Holders(b.tx, n) {
		holds[nameOf(h.Owner)] = h.Hold
	}
	for _, x := range lock.Delays(b.tx) {
		if x.Lock == n {
			running[x.Freed] = x.Length
		}
	}
	require.Equal(b.t, d.holds, holds)
	require.Equal(b.t, d.delays, running)
	require.Equal(b.t, d.gen, lock.Get(b.tx, n).Gen)
}
