package cell

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal/vfs"
)

// misdirect makes a write of the log have gone astray: the bytes stand elsewhere,
// and what stood in their place before, zeros, stands there still. No replica reads
// an open log, so a write that is moved now and one that went astray then leave
// the same disk. Before that may stop a replica, it is the next write to one copy
// of its promise that goes astray.
func misdirect(c *Cell, d *sim.Draw) {
	s, ok := c.decay(d)
	if !ok {
		return
	}
	if !c.mayStop() || d.Chance(1, 3) {
		s.astray()
		return
	}
	from, off, n := s.run()
	to, at, room := s.run()
	if n == 0 || room == 0 || from == to && ondisk.CanReadOn(s.hits, to, at, off) {
		return
	}
	c.watch.Budget.Doom(s.id)
	b, err := s.mem.Contents(from)
	must(err)
	moved := b[off : off+n]
	must(s.mem.Overlay(from, off, make([]byte, n)))
	must(s.mem.Overlay(to, at, moved[:min(n, room)]))
	s.reread()
}

// astray sends the next write to one copy of the promise into the data of some
// value, or nowhere.
func (s *decayed) astray() {
	lost := &vfs.Place{}
	if values := s.values(); len(values) > 0 && s.d.Chance(3, 4) {
		if f := values[s.d.Int(len(values))]; f.End-f.Data > int64(ondisk.PromiseImage) {
			lost = &vfs.Place{Name: f.File, Off: f.Data}
		}
	}
	it := s.d.Int(2)
	name, other := damage.Registers[0]+ondisk.Copies[it], damage.Registers[0]+ondisk.Copies[1-it]
	mem := s.mem
	mem.SetFault(func(call vfs.Call) vfs.Fault {
		if call.Op != vfs.OpWriteAt || call.Name != name {
			return vfs.Fault{}
		}
		mem.SetFault(nil)
		s.c.later(s.d.Duration(0, time.Second), func() { s.rereadOf(other) })
		return vfs.Fault{Astray: lost}
	})
	s.c.until(outage(s.d), func() { mem.SetFault(nil) })
}

// rereadOf is reread, at times with one read of a file that fails: it is the better of
// two copies, and is read once more.
func (s *decayed) rereadOf(file string) {
	if s.d.Chance(1, 2) {
		mem := s.mem
		mem.SetFault(func(call vfs.Call) vfs.Fault {
			if call.Op != vfs.OpReadAt || call.Name != file {
				return vfs.Fault{}
			}
			mem.SetFault(nil)
			return vfs.Fault{Err: vfs.ErrIO}
		})
		s.c.until(outage(s.d), func() { mem.SetFault(nil) })
	}
	s.reread()
}
