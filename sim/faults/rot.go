package faults

import (
	"math"
	"strings"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal/vfs"
)

// decayed is a disk that a strike may damage.
type decayed struct {
	damage.Disk
	c  *Faults
	m  *sim.Machine
	id paxos.NodeID
}

// decay draws a disk that may be damaged; ok is false if there is none.
func decay(c *Faults, d *sim.Draw) (decayed, bool) { return decayOf(c, anyReplica(c, d), d) }

// decayOf returns the disk of m, if it may be damaged.
func decayOf(c *Faults, m *sim.Machine, d *sim.Draw) (decayed, bool) {
	id := paxos.NodeID(m.Addr())
	if !c.budget.Take(id) {
		return decayed{}, false
	}
	mem := m.Disk().Mem()
	mark, synced := c.facts.Covered(id)
	known := max(uint64(mark), damage.Vouched(mem))
	hits := ondisk.Covered(ondisk.Frames(mem, damage.DataDir+"/log"), uint64(synced), known)
	return decayed{damage.Disk{Draw: d, Mem: mem, Hits: hits, Note: noteOf(c, m)}, c, m, id}, true
}

// noteOf returns a function that writes into the trace what a fault does to a disk. Without it the
// trace would show nothing, because no disk call fails at that moment.
func noteOf(c *Faults, m *sim.Machine) func(string) {
	return func(what string) { c.world.Tracef(m.Addr(), "fault", "disk.damage %s", what) }
}

// mayStop reports whether it is time for damage that stops a replica.
func mayStop(c *Faults) bool { return c.world.Now() >= c.budget.Fatal }

// reread usually restarts the replica soon, because a replica finds rot only when it reads.
func (s *decayed) reread() {
	if !s.m.Up() || s.Draw.Chance(1, 4) {
		return
	}
	s.c.cluster.Retire(s.m)
	if s.Draw.Chance(1, 2) {
		s.m.Kill()
	} else {
		s.m.Crash()
	}
	s.m.StartAfter(time.Duration(s.Draw.LogUniform(int64(time.Millisecond), int64(time.Second))))
}

// rotValue makes values go bad, either the latest votes or any. Often another replica is taken away
// while the damaged one comes back, so that the unreadable value must be decided. At times rotValue
// waits for a log that has just been shortened: only the register then shows that the log's end was
// synced. Or it damages votes that their leader has not received, and asks for again.
func rotValue(c *Faults, d *sim.Draw) {
	switch d.Weighted([]uint32{4, 2, 2}) {
	case 0:
		rotValueOf(c, anyReplica(c, d), d)
	case 1:
		c.onDrop = append(c.onDrop, keptTo(c, func(m *sim.Machine) { rotValueOf(c, m, d) }))
	case 2:
		c.aim(d, func() { rotUnheard(c, d) })
	}
}

// rotUnheard cuts the links to the leader, and meanwhile makes the latest votes of one other
// replica go bad. That replica comes back with fewer votes than it had cast, and is asked for them
// once more, at the same ballot.
func rotUnheard(c *Faults, d *sim.Draw) {
	to := c.leader(d)
	if to == nil {
		return
	}
	voter := anyReplica(c, d)
	begins := d.Duration(0, 100*time.Millisecond)
	for _, m := range c.replicas {
		if m == to {
			continue
		}
		if voter == to {
			voter = m
		}
		l := c.world.Net().Link(m.Addr(), to.Addr())
		l.Cut()
		c.until(begins+Outage(d), l.Mend)
	}
	c.later(begins, func() {
		if s, ok := decayOf(c, voter, d); ok {
			s.RotValues(8)
			s.reread()
		}
	})
}

// OnTruncated is called when a replica has shortened its log.
func (c *Faults) OnTruncated(m *sim.Machine) {
	waiting := c.onDrop
	c.onDrop = nil
	for _, f := range waiting {
		c.later(0, func() { f(m) })
	}
}

func rotValueOf(c *Faults, m *sim.Machine, d *sim.Draw) {
	s, ok := decayOf(c, m, d)
	if !ok {
		return
	}
	latest := math.MaxInt
	if d.Chance(2, 3) {
		latest = 8
	}
	s.RotValues(latest)
	s.reread()
	if d.Chance(1, 2) {
		c.later(d.Duration(0, 4*c.plan.Link.Delay[0]), func() {
			if m := anyReplica(c, d); m != s.m {
				cutPower(c, m, d)
			}
		})
	}
}

// rotStore makes one copy of a register go bad; late in a run also both copies, headers, or runs of
// bytes of the log. At times it waits for a log that has just been marked.
func rotStore(c *Faults, d *sim.Draw) {
	if mayStop(c) && d.Chance(1, 3) {
		c.onMark = append(c.onMark, keptTo(c, func(m *sim.Machine) {
			if s, ok := decayOf(c, m, d); ok {
				c.budget.Doom(s.id)
				s.RotEnd()
				s.reread()
			}
		}))
		return
	}
	s, ok := decay(c, d)
	if !ok {
		return
	}
	how := 0
	if mayStop(c) {
		how = d.Weighted([]uint32{1, 2, 1, 1, 1})
	}
	if how > 0 {
		c.budget.Doom(s.id)
	}
	switch how {
	case 0:
		s.RotRegister(ondisk.Copies[d.Int(2)])
	case 1:
		s.RotRegister(ondisk.Copies...)
	case 2, 3:
		s.RotHeader()
	case 4:
		if file, off, n := s.Run(); n > 0 {
			s.Garbage(file, off, n)
		}
	}
	s.reread()
}

// OnMarked is called when a replica has marked its log.
func (c *Faults) OnMarked(m *sim.Machine) {
	waiting := c.onMark
	c.onMark = nil
	for _, f := range waiting {
		c.later(0, func() { f(m) })
	}
}

// readError makes a read fail once, of any file, or of the kind that a start reads after the
// registers. Or it spoils sectors of the log for good. Reads happen when a replica starts.
func readError(c *Faults, d *sim.Draw) {
	if !mayStop(c) || d.Chance(1, 2) {
		m := anyReplica(c, d)
		kind := []string{"", ".wal", ".snap"}[d.Int(3)]
		failOnce(c, m, d, func(call vfs.Call) vfs.Fault {
			if call.Op == vfs.OpReadAt && strings.HasSuffix(call.Name, kind) {
				return vfs.Fault{Err: vfs.ErrIO}
			}
			return vfs.Fault{}
		})
		cutPower(c, m, d)
		return
	}
	s, ok := decay(c, d)
	if !ok {
		return
	}
	c.budget.Doom(s.id)
	if file, off, n := s.Run(); n > 0 {
		s.Notef("%d bytes of %s from %d on can be read no more", n, file, off)
		sure(s.Mem.Spoil(file, off, int(n)))
	}
	s.reread()
}
