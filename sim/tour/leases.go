package tour

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/scenario"
)

// reads reads the row again and again, and says whenever what comes of it is another thing. A read that waits is told
// with the true time of the last one that did not.
func (a actor) reads(from, until time.Duration) {
	a.at(from)
	var atOnce time.Duration
	for was := ""; a.World().Now() < until; {
		began := a.Now()
		_, err := a.get(2 * sec)
		is := "reads the row at once"
		switch {
		case err != nil:
			is = "reads the row: " + short(err)
		case a.took(began) > 300*ms:
			is = "reads the row, and has waited"
		default:
			atOnce = a.World().Now()
		}
		if is != was && err == nil && a.took(began) > 300*ms {
			a.says("%s for %v; it read at once until %.3f s", is, a.took(began), atOnce.Seconds())
		} else if is != was {
			a.says("%s", is)
		}
		was = is
		if a.Sleep(a.ctx, 100*ms) != nil {
			return
		}
	}
}

// deposed cuts a master off from its cell, and not from its clients.
func deposed() Scene {
	return Scene{
		Name: "deposed", Title: "A master that does not know that it was deposed",
		Questions: [3]Question{
			{"The master reaches its client, and no other replica. For how long may it answer reads?", "Until its lease is over, by its own clock. (It believes for longer that it leads, but answers no read.) A majority granted the lease, and promised to help no other leader until then, so no other leader can have written anything."},
			{"When may another master serve?", "When the leases that the others have granted are over by their clocks, a majority has promised at a higher ballot, and a command in the log has begun a new epoch."},
			{"The link works again. How does the old master learn that it was deposed, and what becomes of a write that it had begun?", "By then it has given up leading, since no majority answered. The first message with a higher ballot tells it of another leader, or a nack to one of its own messages does. Only the old master has voted for its write. Phase 1 of its successor did not get that vote, and the successor filled the slot with another value, so the write was not executed there. (With that vote, the successor would have had to propose it.) The client sends the write again, to the new master, with the same sequence number."},
		},
		Read: []string{"paxos/lease.go", "replica/master/tenure.go"},
		seed: 3, clients: 2, length: 18 * sec, tune: []string{"master-lease=2s", "session-lease=6s"},
		parts: func() (func(scenario.Stage), func(int, actor)) {
			return func(s scenario.Stage) {
					s.After(6*sec, func() { ends(s, 7*sec, apart(s, s.Leader())) })
				}, func(i int, a actor) {
					if i == 0 {
						a.writes(sec, 5*sec)
						a.reads(5500*ms, 17*sec)
					} else {
						a.at(6500 * ms)
						a.says("asks to put another value")
						began := a.Now()
						err := a.within(10*sec, func(ctx context.Context) error { return a.Client().Put(ctx, "g1/row", "another") })
						a.says("has put it, after %v: %s", a.took(began), short(err))
					}
				}
		},
		tells: []tell{
			{kind: says, text: `put`, most: 2},
			{kind: moments.Durable, text: `voted`, from: 6500 * ms, most: 3},
			{kind: moments.Executes, text: `Put.*another`, from: 6500 * ms},
			{kind: moments.Done, text: `are lost`},
			{kind: says, text: `reads the row`, most: 6, from: 5 * sec},
			{kind: moments.Believes, text: `leader`, most: 8, from: 6 * sec},
			{kind: moments.Believes, text: `serves clients`, from: 6 * sec},
			{kind: moments.Done, text: `get through again`},
		},
	}
}

// slowClock has the clock of a master run as slow as clocks may, and those of the others as fast.
func slowClock() Scene {
	return Scene{
		Name: "slow-clock", Title: "A lease on a slow clock",
		Questions: [3]Question{
			{"The clock of the master is 10 % slow, and those of the others are 10 % fast. Which side believes in the lease for longer?", "If both counted the same time, the master would. Its slow clock makes the lease last longer, and the fast clocks of the others make it shorter: both are bad. It helps that the master counts from the instant at which it asked, and the others from when they answered, which is later."},
			{"All are configured for clocks that may err by 10 %. What must the master do with a lease of 2 s?", "It must count less: 2 s times (1 - rho) / (1 + rho), with rho = 0.1. Then even its slow clock reaches the end before the fast clocks of the others do. The difference is the margin: the clocks may use all of it, and no more."},
			{"What if a clock errs by more than was configured?", "Then two masters may answer reads at one instant. The protocol cannot notice that: the bound is a promise of the operator. `chubby sim experiment drift` shows at which error it breaks."},
		},
		Read: []string{"paxos/lease.go", "docs/decisions/0006-leases-in-heartbeats.md", "sim/experiment/drift.go"},
		seed: 3, clients: 1, length: 22 * sec, tune: []string{"master-lease=2s", "session-lease=6s"},
		parts: func() (func(scenario.Stage), func(int, actor)) {
			return func(s scenario.Stage) {
					s.After(5*sec, func() {
						leader := s.Leader()
						const ppb = 1000 * rho
						leader.Clock().SetRate(-ppb)
						for _, m := range others(s, leader) {
							m.Clock().SetRate(ppb)
						}
						s.After(5*sec, func() { ends(s, 9*sec, apart(s, leader)) })
					})
				}, func(_ int, a actor) {
					a.writes(sec, 8*sec)
					a.reads(9*sec, 20*sec)
				}
		},
		tells: []tell{
			{kind: moments.Done, text: `clock`, most: 3, from: 5 * sec},
			{kind: moments.Done, text: `are lost`},
			{kind: says, text: `reads the row`, most: 5},
			{kind: moments.Believes, text: `leader`, most: 7, from: 10 * sec},
			{kind: moments.Durable, text: `promise`, most: 2, from: 10 * sec},
			{kind: moments.Believes, text: `serves clients`, from: 10 * sec},
			{kind: moments.Done, text: `get through again`},
		},
	}
}

// clientOnly cuts a client off from all replicas, both ways, and returns what mends it.
func clientOnly(s scenario.Stage, i int) (mend func()) {
	a := s.Clients()[i].Addr()
	s.World().Net().Isolate([]sim.Addr{a}...)
	return func() { s.World().Net().Rejoin(a) }
}
