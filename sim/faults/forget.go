package faults

import (
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal/vfs"
)

// The faults in this file are disks that have lost something: an operator restores files that are
// too old, or a file system forgets some. A replica that does not have everything that it told
// others must stop (replica/disk/store/doc.go, When a store refuses to open). Each strike leaves
// evidence, because no replica can notice a loss without evidence: see package damage.

// forget removes files late in a run, or restores both copies of a replica's promise to an earlier
// state.
func forget(c *Faults, d *sim.Draw) {
	if !mayStop(c) {
		return
	}
	s, ok := decay(c, d)
	if !ok {
		return
	}
	switch d.Weighted([]uint32{4, 1, 1, 1, 1}) {
	case 0:
		s.older()
	case 1:
		s.vanish(func(file string) bool { return strings.HasPrefix(file, damage.Registers[0]) })
	case 2:
		s.vanish(func(file string) bool { return strings.HasPrefix(file, damage.DataDir+"/log/") })
	case 3:
		s.vanish(func(file string) bool { return strings.HasSuffix(file, ".snap") })
	case 4:
		var segments []string
		for _, f := range s.Mem.Files() {
			if strings.HasSuffix(f.Name, ".wal") {
				segments = append(segments, f.Name)
			}
		}
		if len(segments) > 0 {
			one := segments[d.Int(len(segments))]
			s.vanish(func(file string) bool { return file == one })
		}
	}
}

// restart cuts the power, applies change to the disk, and starts the machine again.
func (s *decayed) restart(change func()) {
	up := s.m.Up()
	if up {
		s.c.cluster.Retire(s.m)
		s.m.Crash()
	}
	change()
	if up {
		s.m.StartAfter(time.Duration(s.Draw.LogUniform(int64(time.Millisecond), int64(time.Second))))
	}
}

// vanish removes the files for which meant is true. It spares snapshots beside a log that was never
// cut: a replica without them has lost nothing, and need not stop. It also spares a disk whose log
// has no record yet: without its register, that is a new disk.
func (s *decayed) vanish(meant func(file string) bool) {
	s.restart(func() {
		manifest, ok := ondisk.Register(s.Mem, damage.Registers[1])
		var gone []string
		snapshots := false
		for _, f := range s.Mem.Files() {
			if meant(f.Name) {
				gone = append(gone, f.Name)
				snapshots = snapshots || strings.HasSuffix(f.Name, ".snap")
			}
		}
		boot, _ := s.c.facts.LastNoted(s.id)
		if len(gone) == 0 || !ok || boot == 0 || snapshots && ondisk.Begin(manifest) == 1 {
			return
		}
		s.c.budget.Doom(s.id)
		for _, name := range gone {
			s.Notef("%s is gone", name)
			sure(s.Mem.Lose(name))
		}
	})
}

// older waits until the disk shows that the present content of the promise register is old, and
// then restores that content.
func (s *decayed) older() {
	was, image := s.Register()
	if was == nil || damage.HalfWritten(s.Mem) {
		return
	}
	gap, looks := s.Draw.Duration(10*time.Millisecond, 200*time.Millisecond), 0
	var look func()
	look = func() {
		switch looks++; {
		case s.c.budget.IsDead(s.id), s.c.budget.IsDoomed(s.id):
		case s.isOutdated(was):
			s.restart(func() { s.putBack(was, image) })
		case looks < 50:
			s.c.later(gap, look)
		}
	}
	s.c.later(gap, look)
}

// putBack restores both copies of the promise register, if the disk still shows after the power cut
// that they are old.
func (s *decayed) putBack(was, image []byte) {
	for _, suffix := range ondisk.Copies {
		if b, err := s.Mem.Contents(damage.Registers[0] + suffix); err != nil || len(b) < len(image) {
			return
		}
	}
	if !s.isOutdated(was) {
		return
	}
	s.c.budget.Doom(s.id)
	s.Notef("both copies of the promise register are what they were a while ago")
	for _, suffix := range ondisk.Copies {
		sure(s.Mem.Overlay(damage.Registers[0]+suffix, 0, image))
	}
}

// isOutdated reports whether the log shows that a promise register is old.
func (s *decayed) isOutdated(was []byte) bool {
	boot, promise := s.c.facts.LastNoted(s.id)
	return s.IsOutdated(was, boot, promise)
}

// halfMended cuts a replica's power as it writes the second copy of a register, when the first copy
// must be on the disk. Or it kills the replica as it writes the first copy, and cuts the power
// while its next life repairs the two: the first copy may then be only in the machine's memory.
func halfMended(c *Faults, d *sim.Draw) {
	m, name := anyReplica(c, d), damage.Registers[d.Weighted([]uint32{2, 1})]
	mem := m.Disk().Mem()
	if d.Chance(1, 2) {
		atWrite(mem, name+".b", c.kept(func() { c.later(0, func() { cutPower(c, m, d) }) }))
		c.until(Outage(d), func() { mem.SetFault(nil) })
		return
	}
	atWrite(mem, name+".a", c.kept(func() {
		c.later(0, func() {
			if !m.Up() {
				return
			}
			c.cluster.Retire(m)
			m.Kill()
			atWrite(mem, name+".b", c.kept(func() { c.later(0, func() { cutPower(c, m, d) }) }))
			m.StartAfter(time.Duration(d.LogUniform(int64(time.Millisecond), int64(100*time.Millisecond))))
		})
	}))
	c.until(Outage(d), func() { mem.SetFault(nil) })
}

// atWrite calls f at the next write to a file.
func atWrite(mem *vfs.Mem, file string, f func()) {
	mem.SetFault(func(call vfs.Call) vfs.Fault {
		if call.Op == vfs.OpWriteAt && call.Name == file {
			mem.SetFault(nil)
			f()
		}
		return vfs.Fault{}
	})
}
