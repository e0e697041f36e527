package torture

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/chubbycell/chubby/linearizability"
)

// check judges what is complete while the run goes on, and says how it goes.
func (r *run) check(ctx context.Context) *sync.WaitGroup {
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 1; pause(ctx, time.Second); n++ {
			for _, b := range r.take() {
				r.judge(b, nil, linearizability.Budget{})
			}
			r.judgeLocks()
			if err := r.readApplied(); err != nil {
				r.broken("log", "%v", err)
			}
			r.settle(maxBooks)
			if n%10 == 0 {
				r.say("%d operations, %d fail-overs; %s", r.operations(), max(0, len(r.order.began)-1), r.presentFault())
			}
		}
	})
	return &wg
}

// readApplied takes in what replicas have applied since it was called last.
func (r *run) readApplied() error {
	for _, from := range r.readers {
		broken, err := r.order.read(from)
		if err != nil {
			return err
		}
		if broken != "" {
			r.disagree = true
			r.broken("S1", "%s", broken)
		}
	}
	if text := r.order.stale(); text != "" && !r.disagree {
		r.broken("S7", "%s", text)
	}
	return nil
}

func (r *run) openApplied() error {
	r.order = newOrder()
	for _, s := range r.cell.servers {
		from, err := openApplied(s.id, s.applied)
		if err != nil {
			return err
		}
		r.readers = append(r.readers, from)
	}
	return nil
}

// take returns histories that are complete.
func (r *run) take() (complete []book) {
	r.mu.Lock()
	defer r.mu.Unlock()
	complete, r.ready = r.ready, nil
	return complete
}

// maxBooks is how many histories are kept: the newest ones, which are still added to.
const maxBooks = 300

// settle judges the oldest histories once and for all, with the order of the log, until no more
// than some are left. They are forgotten then, but for what is counted.
func (r *run) settle(left int) {
	seen := r.order
	if r.order.holes() > 0 || r.disagree {
		seen = nil // what is in a hole would be taken for what is nowhere
	}
	for _, b := range r.oldest(left) {
		if len(r.violationsNow()) >= maxViolations {
			return
		}
		v := r.judge(b, seen, linearizability.Budget{Steps: 20_000_000})
		r.tally.histories++
		r.tally.placed += v.placed
		if v.undecided {
			r.tally.undecided++
			if err := b.write(filepath.Join(r.cfg.Dir, b.title())); err != nil {
				r.say("the undecided history %s cannot be written: %v", b.title(), err)
			}
		}
		b.outcomes(func(o linearizability.Outcome) {
			switch o {
			case linearizability.OutcomeUnknown:
				r.tally.unknown++
			case linearizability.OutcomeFailed:
				r.tally.failed++
			}
		})
	}
}

// tally counts what histories were that are settled.
type tally struct{ histories, placed, undecided, unknown, failed int }

// oldest takes the oldest histories out of the list, so that some are left: those before the first one of which
// a call is under way. That call may be in the log, and is not known there yet.
func (r *run) oldest(left int) []book {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for n < len(r.books)-left && r.books[n].isAtRest() {
		n++
	}
	old := r.books[:n:n]
	r.books = r.books[n:]
	return old
}

// judge judges one history.
func (r *run) judge(b book, seen *order, budget linearizability.Budget) verdict {
	v := b.judge(seen, budget)
	if v.broken == "" {
		return v
	}
	path := filepath.Join(r.cfg.Dir, b.title())
	if err := b.write(path); err != nil {
		v.text += "\n(" + err.Error() + ")"
	}
	r.breaks(Violation{v.broken, v.text, path + ".jsonl"})
	return v
}

func (r *run) judgeLocks() {
	for _, l := range r.locks {
		if property, text := l.judge(); property != "" {
			r.broken(property, "%s", text)
		}
		l.forget()
	}
}

// conclude judges everything, with the order of the log.
func (r *run) conclude(ctx context.Context, in *injector, begun time.Time, took time.Duration) (*Report, error) {
	rep := &Report{
		Seed: r.cfg.Seed, Seconds: took.Seconds(), Replicas: r.cfg.Replicas, Clients: r.cfg.Clients,
		Faults: map[string]int{}, Kills: in.kills, Operations: r.operations(),
		Rows: r.ops.rows.Load(), Files: r.ops.files.Load(), Locks: r.ops.locks.Load(), Events: r.counts.events.Load(),
	}
	for k, n := range in.counts { // order-free: fills a map
		rep.Faults[string(k)] = n
	}
	if err := r.readApplied(); err != nil {
		return nil, err
	}
	for _, from := range r.readers {
		from.f.Close()
	}
	rep.Slots, rep.Holes = len(r.order.slots), r.order.holes()
	r.say("judging the remaining histories")
	if ctx.Err() == nil {
		r.settle(0)
	}
	r.judgeLocks()
	r.finish(ctx, rep, begun)
	return rep, nil
}

func (r *run) finish(ctx context.Context, rep *Report, begun time.Time) {
	t := r.tally
	rep.Histories, rep.Placed, rep.Undecided, rep.Unknown, rep.Failed = t.histories, t.placed, t.undecided, t.unknown, t.failed
	for _, s := range r.sessions {
		rep.Lost += s.lost
	}
	rep.Failovers = max(0, len(r.order.began)-1)
	rep.LongestGap, rep.GapDuring = r.gap.longest.Seconds(), r.gap.during
	rep.Violations = append([]Violation{}, r.violationsNow()...)
	switch {
	case len(rep.Violations) > 0:
		rep.Verdict, rep.Dir = Broken, r.cfg.Dir
		rep.FirstBroken = max(0, (r.clock.begun.Add(r.first)).Sub(begun).Seconds()) // or before the cell served
	case ctx.Err() != nil:
		rep.Verdict = Interrupted
	case rep.Undecided > 0:
		rep.Verdict, rep.Dir = Undecided, r.cfg.Dir
	default:
		rep.Verdict = Clean
		if rep.Operations == 0 { // the logs may say why
			rep.Dir = r.cfg.Dir
		}
	}
}
