package torture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
)

// lock is one lock that clients contend for, the resource that its holders write to, and what
// is known of who held it.
//
// A hold is known to last from the first to the last instant at which its client answered that
// it is held. The cell had granted it before, and took it away later. So any two of these
// intervals must be apart, and after one that was not given up the lock-delay must pass. An
// Acquire that returns tells less: the session may be in jeopardy by then, and the lock lost.
type lock struct {
	run   *run
	name  string
	delay time.Duration
	res   resource

	mu    sync.Mutex
	holds []*hold
}

// hold is one acquisition.
type hold struct {
	holder   string
	gen      uint64
	from, to int64 // when it was known to be held for the first and the last time; 0: never
	released bool  // it was given up
}

// delays are the lock-delays of the locks. The longer ones outlast what a session lives longer
// than its client can be sure of.
var delays = []time.Duration{3 * time.Second, 400 * time.Millisecond, 5 * time.Second}

func newLocks(r *run) (all []*lock) {
	for i, d := range delays {
		all = append(all, &lock{run: r, name: fmt.Sprintf("/ls/local/torture-lock-%d", i+1), delay: d})
	}
	return all
}

// work contends for the lock until ctx ends.
func (l *lock) work(ctx context.Context, s *session, who int64) {
	var h *client.Handle
	of := 0
	last := "" // the newest sequencer that was given up
	for n := 0; ctx.Err() == nil; n++ {
		cl, life, err := s.client(ctx)
		if err != nil {
			continue
		}
		if life != of {
			h, of = nil, life
		}
		if h == nil {
			h, err = l.open(ctx, cl)
		}
		if err == nil {
			last, err = l.turn(ctx, s, h, fmt.Sprintf("client %d, acquisition %d", who, n), who, last)
		}
		if err != nil {
			s.met(life, err)
			pause(ctx, time.Duration(rand.IntN(20))*time.Millisecond)
		}
	}
}

func (l *lock) open(ctx context.Context, cl *client.Client) (*client.Handle, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return cl.Open(ctx, l.name, client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay, LockDelay: l.delay})
}

// turn acquires the lock, holds it, works with the resource, and gives it up.
func (l *lock) turn(ctx context.Context, s *session, h *client.Handle, name string, who int64, last string) (string, error) {
	short, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	got, err := h.Acquire(short, client.Exclusive)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = nil // its turn did not come
		}
		return last, err
	}
	held, err := newHold(name, got)
	if err != nil {
		return last, err
	}
	if l.delay > time.Second {
		s.holds.Add(1)
		defer s.holds.Add(-1)
	}
	l.run.count(&l.run.ops.locks)
	l.askAbout(short, h, got, last)
	l.hold(ctx, s, got, held, who)
	return got.Sequencer(), l.giveUp(ctx, got, held)
}

func newHold(name string, got *client.Lock) (*hold, error) {
	seq, err := client.ParseSequencer(got.Sequencer())
	if err != nil {
		return nil, err
	}
	return &hold{holder: name, gen: seq.Generation}, nil
}

// look asks whether the lock is held, and takes down when it was.
func (l *lock) look(got *client.Lock, x *hold) bool {
	before := l.run.clock.now()
	yes := got.Held()
	after := l.run.clock.now()
	if yes {
		l.mu.Lock()
		defer l.mu.Unlock()
		if x.from == 0 {
			x.from = after
			l.holds = append(l.holds, x)
		}
		x.to = before
	}
	return yes
}

// hold holds the lock for a moment, or as long as the client is cut off.
func (l *lock) hold(ctx context.Context, s *session, got *client.Lock, x *hold, who int64) {
	until := time.Now().Add(time.Duration(rand.IntN(25)) * time.Millisecond)
	if rand.IntN(30) == 0 {
		until = until.Add(time.Second)
	}
	wrote := false
	for ctx.Err() == nil {
		held := l.look(got, x)
		if !held && !errors.Is(got.Err(), client.ErrJeopardy) {
			return // lost
		}
		if held && !wrote {
			wrote = true
			l.res.increment(x.gen, who)
		}
		if held && !s.silent.Load() && time.Now().After(until) {
			return
		}
		pause(ctx, 2*time.Millisecond)
	}
}

// giveUp releases the lock if it may be held.
func (l *lock) giveUp(ctx context.Context, got *client.Lock, x *hold) error {
	l.look(got, x)
	if err := got.Err(); err != nil && !errors.Is(err, client.ErrJeopardy) {
		return err // it is lost
	}
	l.mu.Lock()
	x.released = true
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if err := got.Release(ctx); errors.Is(err, client.ErrSessionExpired) {
		return err
	}
	return nil
}

// askAbout asks the cell about two sequencers: that of a hold which lasts is valid, and that of
// one which had been given up before is not.
func (l *lock) askAbout(ctx context.Context, h *client.Handle, got *client.Lock, last string) {
	if rand.IntN(8) != 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if last != "" && last != got.Sequencer() && h.CheckSequencer(ctx, last) == nil {
		l.run.broken("S10", "%s: the cell called sequencer %q valid while %q was the present one", l.name, last, got.Sequencer())
	}
	err := h.CheckSequencer(ctx, got.Sequencer())
	if got.Held() && errors.Is(err, client.ErrStaleSequencer) {
		l.run.broken("S10", "%s: the cell called sequencer %q stale while its lock was held", l.name, got.Sequencer())
	}
}

// judge checks what is known so far: exclusion and lock-delays, claims, and the resource.
func (l *lock) judge() (property, text string) {
	l.mu.Lock()
	events, claims := l.events()
	l.mu.Unlock()
	if found := linearizability.CheckExclusion(events); len(found) > 0 {
		return "S8", fmt.Sprintf("%v: %s", found[0].Kind, found[0].Text)
	}
	if found := linearizability.CheckHoldClaims(claims); len(found) > 0 {
		return "S9", fmt.Sprintf("%v: %s", found[0].Kind, found[0].Text)
	}
	if found := linearizability.CheckFencing(l.res.log()); len(found) > 0 {
		return "S10", fmt.Sprintf("%s: %v: %s", l.name, found[0].Kind, found[0].Text)
	}
	return "", ""
}

// forget drops holds that have nothing to do with later ones.
func (l *lock) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	long := l.run.clock.now() - int64(2*time.Minute)
	for len(l.holds) > 100 && l.holds[0].to < long {
		l.holds = l.holds[1:]
	}
}

// events are those of all holds, in the order of time: grants as late as they can have been,
// ends as early.
func (l *lock) events() (events []linearizability.HoldEvent, claims []linearizability.HoldClaim) {
	for _, x := range l.holds {
		if x.to < x.from {
			continue // it was seen once
		}
		e := linearizability.HoldEvent{At: x.from, Kind: linearizability.HoldGranted, Path: l.name, Holder: x.holder, Gen: x.gen}
		events = append(events, e)
		e.At, e.Kind = x.to, linearizability.HoldReleased
		if !x.released {
			e.Kind, e.Until = linearizability.HoldFailed, x.to+int64(shortest(l.delay))
		}
		events = append(events, e)
		claims = append(claims, linearizability.HoldClaim{Holder: x.holder, Path: l.name, From: x.from, To: x.to})
	}
	// Holds are in the order in which they were granted: at equal times the end of one stands
	// in front of the grant of the next.
	slices.SortStableFunc(events, func(a, b linearizability.HoldEvent) int {
		return cmp.Compare(a.At, b.At)
	})
	return events, claims
}

// shortest is how much time passes at least while a master counts d, by a clock that is as
// fast as a cell allows.
func shortest(d time.Duration) time.Duration { return d * 1000 / 1001 }
