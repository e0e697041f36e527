package cell

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
	c    *Cell
	d    *sim.Draw
	m    *sim.Machine
	id   paxos.NodeID
	mem  *vfs.Mem
	hits []ondisk.Frame // that may be hit
}

// decay picks a disk that may be damaged; false if there is none.
func (c *Cell) decay(d *sim.Draw) (decayed, bool) { return c.decayOf(c.anyReplica(d), d) }

// decayOf takes this one, if it may be damaged.
func (c *Cell) decayOf(m *sim.Machine, d *sim.Draw) (decayed, bool) {
	id := paxos.NodeID(m.Addr())
	if !c.watch.Budget.Take(id) {
		return decayed{}, false
	}
	facts, mem := &c.watch.Disks[id], m.Disk().Mem()
	known := max(uint64(facts.Mark), damage.Vouched(mem))
	hits := ondisk.Covered(ondisk.Frames(mem, damage.DataDir+"/log"), uint64(facts.Lsn), known)
	return decayed{c, d, m, id, mem, hits}, true
}

// mayStop says whether it is time for damage that stops a replica.
func (c *Cell) mayStop() bool { return c.world.Now() >= c.watch.Budget.Fatal }

// must is for damage to a place that was looked up a moment ago.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// garbage changes n bytes from off on: a bit or two, all to zero, or to anything.
func (s *decayed) garbage(file string, off, n int64) {
	switch s.d.Int(3) {
	case 0:
		for range 1 + s.d.Int(2) {
			must(s.mem.Corrupt(file, off+s.d.Between(0, n-1), 1<<s.d.Int(8)))
		}
	case 1:
		must(s.mem.Overlay(file, off, make([]byte, n)))
	case 2:
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(s.d.Uint64())
		}
		must(s.mem.Overlay(file, off, b))
	}
}

// reread mostly starts the replica again before long: rot is found when it is
// read.
func (s *decayed) reread() {
	if !s.m.Up() || s.d.Chance(1, 4) {
		return
	}
	s.c.retire(running(s.m))
	if s.d.Chance(1, 2) {
		s.m.Kill()
	} else {
		s.m.Crash()
	}
	s.m.StartAfter(time.Duration(s.d.LogUniform(int64(time.Millisecond), int64(time.Second))))
}

// values are the frames that hold a vote or a learned value: these have a slot,
// and data to lose.
func (s *decayed) values() (found []ondisk.Frame) {
	for _, f := range s.hits {
		if f.HasData() {
			found = append(found, f)
		}
	}
	return found
}

// rotValue lets values go bad, of the latest votes or of any. Often one of the
// others is taken away for the time in which the replica comes back, so that
// what is unreadable must be decided on. At times it waits for a log that has just
// been shortened: of its end, the register alone says that it was synced. Or it takes
// votes that their leader has not heard of, and asks for again.
func rotValue(c *Cell, d *sim.Draw) {
	switch d.Weighted([]uint32{4, 2, 2}) {
	case 0:
		c.rotValueOf(c.anyReplica(d), d)
	case 1:
		c.onDrop = append(c.onDrop, func(m *sim.Machine) { c.rotValueOf(m, d) })
	case 2:
		c.aim(d, func() { c.rotUnheard(d) })
	}
}

// rotUnheard cuts off what the others say to the leader, and in the middle of that lets
// the latest votes of one of them go bad: who comes back with less than he had voted for is
// asked for it once more, at the same ballot.
func (c *Cell) rotUnheard(d *sim.Draw) {
	to := c.leader(d)
	if to == nil {
		return
	}
	voter := c.anyReplica(d)
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
		c.until(begins+outage(d), l.Mend)
	}
	c.later(begins, func() {
		if s, ok := c.decayOf(voter, d); ok {
			s.rotValues(8)
			s.reread()
		}
	})
}

// rotValues lets some of the latest values go bad, of so many.
func (s *decayed) rotValues(latest int) {
	values := s.values()
	values = values[max(0, len(values)-latest):]
	for range min(len(values), 1+s.d.Int(4)) {
		f := values[s.d.Int(len(values))]
		s.garbage(f.File, f.Data, f.End-f.Data)
	}
}

// dropped is told that a replica has shortened its log.
func (c *Cell) dropped(m *sim.Machine) {
	waiting := c.onDrop
	c.onDrop = nil
	for _, f := range waiting {
		c.later(0, func() { f(m) })
	}
}

func (c *Cell) rotValueOf(m *sim.Machine, d *sim.Draw) {
	s, ok := c.decayOf(m, d)
	if !ok {
		return
	}
	latest := math.MaxInt
	if d.Chance(2, 3) {
		latest = 8
	}
	s.rotValues(latest)
	s.reread()
	if d.Chance(1, 2) {
		c.later(d.Duration(0, 4*c.plan.Link.Delay[0]), func() {
			if m := c.anyReplica(d); m != s.m {
				c.cutPower(m, d)
			}
		})
	}
}

// rotStore lets one copy of a register go bad; late in a run also both, headers,
// or runs of bytes of the log; at times it waits for a log that has just been marked.
func rotStore(c *Cell, d *sim.Draw) {
	if c.mayStop() && d.Chance(1, 3) {
		c.onMark = append(c.onMark, func(m *sim.Machine) {
			if s, ok := c.decayOf(m, d); ok {
				c.watch.Budget.Doom(s.id)
				s.rotEnd()
				s.reread()
			}
		})
		return
	}
	s, ok := c.decay(d)
	if !ok {
		return
	}
	how := 0
	if c.mayStop() {
		how = d.Weighted([]uint32{1, 2, 1, 1, 1})
	}
	if how > 0 {
		c.watch.Budget.Doom(s.id)
	}
	switch how {
	case 0:
		s.rotRegister(ondisk.Copies[d.Int(2)])
	case 1:
		s.rotRegister(ondisk.Copies...)
	case 2, 3:
		s.rotHeader()
	case 4:
		if file, off, n := s.run(); n > 0 {
			s.garbage(file, off, n)
		}
	}
	s.reread()
}

func (s *decayed) rotRegister(copies ...string) {
	name := damage.Registers[s.d.Weighted([]uint32{2, 1})]
	for _, suffix := range copies {
		if b, err := s.mem.Contents(name + suffix); err == nil && len(b) > 0 {
			s.garbage(name+suffix, 0, int64(len(b)))
		}
	}
}

// rotHeader hits the header of a frame or of a segment.
func (s *decayed) rotHeader() {
	if len(s.hits) == 0 {
		return
	}
	f := s.hits[s.d.Int(len(s.hits))]
	if s.d.Chance(1, 4) {
		s.garbage(f.File, 0, ondisk.SegmentHead)
	} else {
		s.rotHeaderOf(f)
	}
}

// rotHeaderOf hits bits of it: a header that is all wrong is easy to tell.
func (s *decayed) rotHeaderOf(f ondisk.Frame) {
	for range 1 + s.d.Int(2) {
		must(s.mem.Corrupt(f.File, f.Off+s.d.Between(0, f.Data-f.Off-1), 1<<s.d.Int(8)))
	}
}

// rotEnd hits the last record of a log that has just been marked: of all that follows it
// the mark alone says that it was synced.
func (s *decayed) rotEnd() {
	for i := len(s.hits) - 1; i >= 0; i-- {
		if s.hits[i].Kind != 0 {
			s.rotHeaderOf(s.hits[i])
			return
		}
	}
}

// marked is told that a replica has marked its log.
func (c *Cell) marked(m *sim.Machine) {
	waiting := c.onMark
	c.onMark = nil
	for _, f := range waiting {
		c.later(0, func() { f(m) })
	}
}

// run picks up to a sector of bytes that belong to frames which may be hit.
func (s *decayed) run() (file string, off, n int64) {
	if len(s.hits) == 0 {
		return "", 0, 0
	}
	i := s.d.Int(len(s.hits))
	f := s.hits[i]
	end := f.End
	for _, g := range s.hits[i+1:] {
		if g.File != f.File || g.Off != end {
			break
		}
		end = g.End
	}
	return f.File, f.Off, min(end-f.Off, s.d.Between(1, vfs.SectorSize))
}

// readError makes a read fail that need not fail again, of any file, or of the kind
// that a start reads later than the registers; or it spoils sectors of the log for
// good. Reads come when a replica starts.
func readError(c *Cell, d *sim.Draw) {
	if !c.mayStop() || d.Chance(1, 2) {
		m := c.anyReplica(d)
		kind := []string{"", ".wal", ".snap"}[d.Int(3)]
		c.failOnce(m, d, func(call vfs.Call) vfs.Fault {
			if call.Op == vfs.OpReadAt && strings.HasSuffix(call.Name, kind) {
				return vfs.Fault{Err: vfs.ErrIO}
			}
			return vfs.Fault{}
		})
		c.cutPower(m, d)
		return
	}
	s, ok := c.decay(d)
	if !ok {
		return
	}
	c.watch.Budget.Doom(s.id)
	if file, off, n := s.run(); n > 0 {
		must(s.mem.Spoil(file, off, int(n)))
	}
	s.reread()
}

// spoilt says whether a segment of a log has sectors that cannot be read. Copies
// of a register that cannot be read are written anew.
func spoilt(mem *vfs.Mem) bool {
	for _, f := range mem.Files() {
		if f.Spoilt > 0 && strings.HasSuffix(f.Name, ".wal") {
			return true
		}
	}
	return false
}
