package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// Tunable is a number of the product, of its machines or of its clients that each seed draws, and
// that Options.Tune may set for all seeds. Its range is about that from which seeds draw. Far
// outside of it, the bounds that checks demand do not hold.
type Tunable struct {
	Name, Help string
	Range      string // of its values, as text

	set func(p *Plan, value string) error
}

// Tunables returns all tunables, in the order of reports.
func Tunables() []Tunable { return slices.Clone(tunables) }

var tunables = []Tunable{
	span("session-lease", "leases of sessions", 500*time.Millisecond, 20*time.Second, func(p *Plan, d time.Duration) {
		s := &p.Driver.Core.Sessions
		s.LeaseMin, s.LeaseMax, s.KeepAliveRate = d, d, max(s.KeepAliveRate, 1)
	}),
	span("master-lease", "grants by which a master reads alone; never shorter than the heartbeat interval requires", 200*time.Millisecond, 15*time.Second, func(p *Plan, d time.Duration) {
		c := &p.Driver.Core.Paxos
		c.Lease.Grant = max(d, leastGrant(c.Heartbeat, c.Lease.Rho))
		p.Misfit = Misfit{}
	}),
	span("grace", "how long a client in jeopardy waits", 4*time.Second, 45*time.Second, func(p *Plan, d time.Duration) { p.Calls.Grace = d }),
	span("lock-delay", "longest lock-delay", 0, 4*time.Second, func(p *Plan, d time.Duration) { p.Calls.Delay = d / 2 }),
	span("heartbeat", "between two heartbeats of a leader; election timeouts change with it", 40*time.Millisecond, 250*time.Millisecond, beat),
	span("election", "shortest election timeout; never shorter than the heartbeat interval requires", 100*time.Millisecond, time.Second, func(p *Plan, d time.Duration) {
		c := &p.Driver.Core.Paxos
		spread := c.ElectionMax - c.ElectionMin
		c.ElectionMin = max(d, 2*c.Heartbeat+20*time.Millisecond)
		c.ElectionMax = c.ElectionMin + spread
	}),
	span("retransmit", "first retransmission timeout", 20*time.Millisecond, 200*time.Millisecond, func(p *Plan, d time.Duration) { p.Driver.Core.Paxos.Retransmit = d }),
	count("window", "slots that a leader may have open", 1, 64, func(p *Plan, n int) {
		p.Driver.Core.Paxos.Window, p.Driver.Core.Paxos.MaxAhead = n, max(p.Driver.Core.Paxos.MaxAhead, n)
	}),
	count("batch", "commands in one slot", 1, 64, func(p *Plan, n int) { p.Driver.Core.Paxos.MaxBatchCommands = n }),
	count("snapshot-every", "slots between two snapshots", 1, 1000, func(p *Plan, n int) { p.Driver.SnapshotEvery = paxos.Slot(n) }),
	count("keep-slots", "slots below a snapshot that are kept for laggards", 0, 499, func(p *Plan, n int) { p.Driver.KeepSlots = paxos.Slot(n) }),
	count("caches", "0: clients cache nothing; 1: they do", 0, 1, func(p *Plan, n int) {
		if p.Caches.On = n == 1; p.Caches.On {
			p.Caches.Handles, p.Caches.Idle = max(p.Caches.Handles, 16), max(p.Caches.Idle, time.Second)
		} else {
			p.Caches = CachePlan{}
		}
	}),
	count("programs", "programs on each client machine", 1, 4, func(p *Plan, n int) { p.Calls.Threads = n }),
	span("link-delay", "shortest delay of a message; the longest is four times that", 100*time.Microsecond, 8*time.Millisecond, func(p *Plan, d time.Duration) {
		p.Link.Delay = sim.Table{d, d + d/4, d + d/2, 2 * d, 4 * d}
	}),
	span("disk-sync", "shortest sync of a disk; the longest is three times that", 100*time.Microsecond, 10*time.Millisecond, func(p *Plan, d time.Duration) {
		p.Disk.Sync = sim.Table{d, d + d/4, d + d/2, 3 * d}
	}),
}

// beat sets the heartbeat interval, and raises the timeouts and grants that must be longer. It
// removes a misfit, which would disturb comparisons.
func beat(p *Plan, d time.Duration) {
	c := &p.Driver.Core.Paxos
	longer := 2 * (d - c.Heartbeat)
	c.Heartbeat, c.ElectionMin, c.ElectionMax = d, c.ElectionMin+longer, c.ElectionMax+longer
	if c.Lease.Grant > 0 {
		c.Lease.Grant = max(c.Lease.Grant, leastGrant(d, c.Lease.Rho))
	}
	p.Misfit = Misfit{}
}

func span(name, help string, least, most time.Duration, set func(*Plan, time.Duration)) Tunable {
	return tunable(name, help, least, most, time.ParseDuration, set)
}

func count(name, help string, least, most int, set func(*Plan, int)) Tunable {
	return tunable(name, help, least, most, strconv.Atoi, set)
}

func tunable[T int | time.Duration](name, help string, least, most T, parse func(string) (T, error), set func(*Plan, T)) Tunable {
	between := fmt.Sprintf("%v to %v", least, most)
	return Tunable{Name: name, Help: help, Range: between, set: func(p *Plan, value string) error {
		v, err := parse(value)
		if err != nil || v < least || v > most {
			return fmt.Errorf("%s=%s: %s", name, value, between)
		}
		set(p, v)
		return nil
	}}
}

// tune sets the given tunables, in their order. It runs after all draws, so that these are the same
// whatever is set.
func tune(p *Plan, all []string) error {
	for _, s := range all {
		name, value, _ := strings.Cut(s, "=")
		i := slices.IndexFunc(tunables, func(t Tunable) bool { return t.Name == name })
		if i < 0 {
			return fmt.Errorf("unknown tunable %q; `sim list` names them all", name)
		}
		if err := tunables[i].set(p, value); err != nil {
			return err
		}
	}
	return nil
}
