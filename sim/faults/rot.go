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

// decayed is a disk that the atlas lets a strike damage.
type decayed struct {
	damage.Disk
	c  *Faults
	m  *sim.Machine
	id paxos.NodeID
}

// decay picks a disk that may be damaged; false if there is none.
func decay(c *Faults, d *sim.Draw) (decayed, bool) { return decayOf(c, anyReplica(c, d), d) }

// decayOf takes this one, if it may be damaged.
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

// noteOf writes into the trace what a fault does to a disk: no call of it fails then, and no line would tell.
func noteOf(c *Faults, m *sim.Machine) func(string) {
	return func(what string) { c.world.Tracef(m.Addr(), "fault", "disk.damage %s", what) }
}

// mayStop says whether it is time for damage that stops a replica.
func mayStop(c *Faults) bool { return c.world.Now() >= c.budget.Fatal }

// reread mostly starts the replica again before long: rot is found when it is
// read.
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

// rotValue lets values go bad, of the latest votes or of any. Often one of the
// others is taken away for the time in which the replica comes back, so that
// what is unreadable must be decided on. At times it waits for a log that has just
// been shortened: of its end, the register alone says that it was synced. Or it takes
// votes that their leader has not heard of, and asks for again.
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

// rotUnheard cuts off what the others say to the leader, and in the middle of that lets
// the latest votes of one of them go bad: a replica that comes back with less than it had voted
// for is asked for it once more, at the same ballot.
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

// OnTruncated is told that a replica has shortened its log.
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

// rotStore lets one copy of a register go bad; late in a run also both, headers,
// or runs of bytes of the log; at times it waits for a log that has just been marked.
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

// OnMarked is told that a replica has marked its log.
func (c *Faults) OnMarked(m *sim.Machine) {
	waiting := c.onMark
	c.onMark = nil
	for _, f := range waiting {
		c.later(0, func() { f(m) })
	}
}

// readError makes a read fail that need not fail again, of any file, or of the kind
// that a start reads later than the registers; or it spoils sectors of the log for
// good. Reads come when a replica starts.
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
