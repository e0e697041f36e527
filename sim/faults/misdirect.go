package faults

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal/vfs"
)

// misdirect makes the disk look as if a write of the log had gone astray: the bytes are in another
// place, and their own place still holds zeros. No replica reads an open log, so moving a write now
// and misdirecting it then leave the same disk. While damage may not stop a replica yet, misdirect
// instead sends the next write to one copy of its promise astray.
func misdirect(c *Faults, d *sim.Draw) {
	s, ok := decay(c, d)
	if !ok {
		return
	}
	if !mayStop(c) || d.Chance(1, 3) {
		s.astray()
		return
	}
	from, off, n := s.Run()
	to, at, room := s.Run()
	if n == 0 || room == 0 || from == to && ondisk.CanReadOn(s.Hits, to, at, off) {
		return
	}
	c.budget.Doom(s.id)
	s.Notef("what was written to %s at %d stands in %s at %d, %d bytes", from, off, to, at, min(n, room))
	b, err := s.Mem.Contents(from)
	sure(err)
	moved := b[off : off+n]
	sure(s.Mem.Overlay(from, off, make([]byte, n)))
	sure(s.Mem.Overlay(to, at, moved[:min(n, room)]))
	s.reread()
}

// astray sends the next write to one copy of the promise into the data of some value, or loses it.
func (s *decayed) astray() {
	lost := &vfs.Place{}
	if values := s.Values(); len(values) > 0 && s.Draw.Chance(3, 4) {
		if f := values[s.Draw.Int(len(values))]; f.End-f.Data > int64(ondisk.PromiseImage) {
			lost = &vfs.Place{Name: f.File, Off: f.Data}
		}
	}
	it := s.Draw.Int(2)
	name, other := damage.Registers[0]+ondisk.Copies[it], damage.Registers[0]+ondisk.Copies[1-it]
	mem := s.Mem
	reads := s.c.kept(func() { s.c.later(s.Draw.Duration(0, time.Second), func() { s.rereadOf(other) }) })
	mem.SetFault(func(call vfs.Call) vfs.Fault {
		if call.Op != vfs.OpWriteAt || call.Name != name {
			return vfs.Fault{}
		}
		mem.SetFault(nil)
		s.Notef("a write to %s goes astray", name)
		reads()
		return vfs.Fault{Astray: lost}
	})
	s.c.until(Outage(s.Draw), func() { mem.SetFault(nil) })
}

// rereadOf is reread of a file. At times one read of the file fails: the file is the better of two
// copies, and is read once more.
func (s *decayed) rereadOf(file string) {
	if s.Draw.Chance(1, 2) {
		mem := s.Mem
		mem.SetFault(func(call vfs.Call) vfs.Fault {
			if call.Op != vfs.OpReadAt || call.Name != file {
				return vfs.Fault{}
			}
			mem.SetFault(nil)
			return vfs.Fault{Err: vfs.ErrIO}
		})
		s.c.until(Outage(s.Draw), func() { mem.SetFault(nil) })
	}
	s.reread()
}
