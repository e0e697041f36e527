package lock_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// believed is what is known of one lock from answers and effects. It checks S8.
type believed struct {
	t      *testing.T
	path   []string
	gen    api.LockGen // the highest seen
	holds  map[lock.Owner]lock.Granted
	delays map[api.Number]bool
}

func (s believed) copy() believed {
	holds, delays := map[lock.Owner]lock.Granted{}, map[api.Number]bool{}
	for o, g := range s.holds {
		holds[o] = g
	}
	for p := range s.delays {
		delays[p] = true
	}
	s.holds, s.delays = holds, delays
	return s
}

func (s *believed) must(ok bool, what string) {
	if !ok {
		require.Fail(s.t, what, "after %v: holders %v, delays %v, generation %d", s.path, s.holds, s.delays, s.gen)
	}
}

func (s *believed) see(effects []lock.Effect) {
	failed := false
	for _, e := range effects {
		switch e := e.(type) {
		case lock.Granted:
			s.granted(e)
		case lock.Freed:
			_, held := s.holds[e.Owner]
			s.must(held && s.holds[e.Owner].Acquisition == e.Acquisition, "a handle that did not hold it was freed")
			delete(s.holds, e.Owner)
			failed = failed || e.Failed
		case lock.DelayBegan:
			s.must(!s.delays[e.Freed] && e.Delay > 0, "a delay began twice")
			s.delays[e.Freed] = true
		case lock.DelayEnded:
			s.must(s.delays[e.Freed], "a delay ended that was not running")
			delete(s.delays, e.Freed)
		case lock.Claimable:
			s.must(len(s.delays) == 0, "claimable while a delay runs")
		}
	}
	s.must(!failed || len(s.delays) > 0, "a holder failed and no delay runs") // all claims here ask for a delay
}

// granted checks S8: holders are compatible; no grant falls into a lock-delay; the generation grows
// whenever the lock goes from free to held, and only then.
func (s *believed) granted(g lock.Granted) {
	_, twice := s.holds[g.Owner]
	s.must(!twice, "granted twice")
	for _, h := range s.holds {
		s.must(h.Mode == api.Shared && g.Mode == api.Shared, "two holders in conflicting modes")
	}
	s.must(len(s.delays) == 0, "a grant inside a lock-delay")
	if len(s.holds) == 0 {
		s.must(g.Gen > s.gen, "the generation did not grow from free to held")
	} else {
		s.must(g.Gen == s.gen, "the generation changed while the lock was held")
	}
	s.gen = g.Gen
	s.holds[g.Owner] = g
}

// walk tries every sequence of steps of two clients up to the depth.
type walk struct {
	tx        *db.Txn
	clients   []lock.Owner
	released  map[lock.Owner]lock.Granted // the last hold that was released; copies of its Release may come
	steps     int
	sometimes map[string]bool
}

// step is one command of a client, or the end of the oldest delay.
type step struct {
	name string
	do   func(at api.Number, s believed) []lock.Effect
}

func (w *walk) stepsOf(o lock.Owner, name string) []step {
	acquire := func(m api.Mode) func(api.Number, believed) []lock.Effect {
		return func(at api.Number, _ believed) []lock.Effect {
			g, effects := lock.Acquire(w.tx, at, lock.Claim{Lock: file, Owner: o, Mode: m, Delay: 5000})
			w.sometimes[g.Code.String()] = true
			return effects
		}
	}
	return []step{
		{name + " acquires exclusively", acquire(api.Exclusive)},
		{name + " acquires shared", acquire(api.Shared)},
		{name + " releases", func(_ api.Number, s believed) []lock.Effect {
			g := s.holds[o]
			if code, effects := lock.Release(w.tx, file, o, g.Acquisition); code == api.OK {
				w.released[o] = g
				return effects
			}
			return nil
		}},
		{name + "'s last release comes again", func(_ api.Number, s believed) []lock.Effect {
			code, effects := lock.Release(w.tx, file, o, w.released[o].Acquisition)
			s.must(code == api.NotHeld, "a delayed copy of a release freed something")
			return effects
		}},
		{name + " fails", func(at api.Number, _ believed) []lock.Effect { return lock.FailSession(w.tx, at, o.Session) }},
	}
}

func (w *walk) delayOver(_ api.Number, s believed) []lock.Effect {
	for freed := api.Number(1); len(s.delays) > 0; freed++ {
		if s.delays[freed] {
			_, effects := lock.EndDelay(w.tx, file, freed)
			return effects
		}
	}
	ended, _ := lock.EndDelay(w.tx, file, 1)
	s.must(!ended, "a delay ended that was not running")
	return nil
}

// down takes every step from here. A step that changes no row and has no effect leads to the same
// state, so its continuations are left out.
func (w *walk) down(s believed, at api.Number, depth int) {
	all := append(w.stepsOf(w.clients[0], "A"), w.stepsOf(w.clients[1], "B")...)
	for _, x := range append(all, step{"the oldest delay ends", w.delayOver}) {
		mark, next := w.tx.Mark(), s.copy()
		next.path = append(s.path[:len(s.path):len(s.path)], x.name)
		was := w.released
		w.released = map[lock.Owner]lock.Granted{w.clients[0]: was[w.clients[0]], w.clients[1]: was[w.clients[1]]}
		next.see(x.do(at, s))
		w.steps++
		if w.tx.Mark() != mark {
			w.agrees(next)
			if depth > 1 {
				w.down(next, at+1, depth-1)
			}
		}
		w.released = was
		w.tx.RollbackTo(mark)
	}
}

// agrees compares the rows with what is known from effects.
func (w *walk) agrees(s believed) {
	now := lock.Get(w.tx, file)
	s.must(now.Holders == uint64(len(s.holds)) && now.Delays == uint64(len(s.delays)), "rows and effects differ")
	for o, g := range s.holds {
		q := api.Sequencer{Node: file, Mode: g.Mode, Gen: g.Gen}
		s.must(lock.CheckSequencer(w.tx, q) == lock.Valid, "a holder's sequencer is not valid")
		h, ok := lock.GetHold(w.tx, file, o)
		s.must(ok && h.Acquisition == g.Acquisition, "a holder has no hold")
	}
	for gen := api.LockGen(1); gen <= s.gen; gen++ {
		for _, m := range []api.Mode{api.Exclusive, api.Shared} {
			v := lock.CheckSequencer(w.tx, api.Sequencer{Node: file, Mode: m, Gen: gen})
			s.must(v != lock.Valid || gen == s.gen && len(s.holds) > 0, "the sequencer of an earlier period is valid")
		}
	}
	if err := lock.AuditLock(w.tx, file); err != nil {
		s.must(false, fmt.Sprint(err))
	}
}

// S8 over all interleavings of two clients' acquires, releases, copies of
// releases and failures, and of the ends of delays.
func TestS8HoldsInEveryInterleavingOfTwoClients(t *testing.T) {
	w := &walk{tx: db.New().Begin(), clients: []lock.Owner{owners["A"], owners["B"]},
		released: map[lock.Owner]lock.Granted{}, sometimes: map[string]bool{}}
	w.down(believed{t: t, holds: map[lock.Owner]lock.Granted{}, delays: map[api.Number]bool{}}, 1, 8)
	t.Logf("%d steps", w.steps)
	require.Greater(t, w.steps, 10_000)
	for _, answer := range []api.Code{api.OK, api.LockHeld, api.LockDelayed, api.LockOther} {
		require.True(t, w.sometimes[answer.String()], "%v was never answered", answer)
	}
}
