package damage

import (
	"fmt"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Disk is a replica's disk, with drawn kinds of damage as its methods.
type Disk struct {
	Draw *sim.Draw
	Mem  *vfs.Mem
	Hits []ondisk.Frame // frames of the log that may be hit
	// Note is called with a description of each damage, for people; it may be nil.
	Note func(what string)
}

// Notef formats a text for Note.
func (s *Disk) Notef(format string, args ...any) {
	if s.Note != nil {
		s.Note(fmt.Sprintf(format, args...))
	}
}

// must panics on an error of damage to a place that was looked up a moment ago.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Size returns the size of a file in bytes.
func (s *Disk) Size(file string) int64 {
	b, err := s.Mem.Contents(file)
	must(err)
	return int64(len(b))
}

// Garbage damages n bytes from off on: it flips a bit or two, zeroes all, or writes random
// bytes.
func (s *Disk) Garbage(file string, off, n int64) {
	s.Notef("of %d bytes of %s from %d on, some go bad", n, file, off)
	s.garbage(file, off, n)
}

func (s *Disk) garbage(file string, off, n int64) {
	switch s.Draw.Int(3) {
	case 0:
		for range 1 + s.Draw.Int(2) {
			must(s.Mem.Corrupt(file, off+s.Draw.Between(0, n-1), 1<<s.Draw.Int(8)))
		}
	case 1:
		must(s.Mem.Overlay(file, off, make([]byte, n)))
	case 2:
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(s.Draw.Uint64())
		}
		must(s.Mem.Overlay(file, off, b))
	}
}

// Values returns the frames that hold a vote or a learned value: these have a slot, and data
// to lose.
func (s *Disk) Values() (found []ondisk.Frame) {
	for _, f := range s.Hits {
		if f.HasData() {
			found = append(found, f)
		}
	}
	return found
}

// Run picks at most a sector of contiguous bytes within frames that may be hit. n is 0 if
// there are none.
func (s *Disk) Run() (file string, off, n int64) {
	if len(s.Hits) == 0 {
		return "", 0, 0
	}
	i := s.Draw.Int(len(s.Hits))
	f := s.Hits[i]
	end := f.End
	for _, g := range s.Hits[i+1:] {
		if g.File != f.File || g.Off != end {
			break
		}
		end = g.End
	}
	return f.File, f.Off, min(end-f.Off, s.Draw.Between(1, vfs.SectorSize))
}

// RotHeader damages the header of a frame or of a segment.
func (s *Disk) RotHeader() {
	if len(s.Hits) == 0 {
		return
	}
	f := s.Hits[s.Draw.Int(len(s.Hits))]
	if s.Draw.Chance(1, 4) {
		s.Garbage(f.File, 0, ondisk.SegmentHead)
	} else {
		s.RotHeaderOf(f)
	}
}

// RotHeaderOf flips a bit or two in the header of f: a header that is all wrong is easy to
// detect.
func (s *Disk) RotHeaderOf(f ondisk.Frame) {
	s.Notef("the header of record %d goes bad, in %s at %d", f.LSN, f.File, f.Off)
	for range 1 + s.Draw.Int(2) {
		must(s.Mem.Corrupt(f.File, f.Off+s.Draw.Between(0, f.Data-f.Off-1), 1<<s.Draw.Int(8)))
	}
}

// RotEnd damages the last record of a log that ends with a mark. That mark alone says that
// the record was synced.
func (s *Disk) RotEnd() {
	for i := len(s.Hits) - 1; i >= 0; i-- {
		if s.Hits[i].Kind != 0 {
			s.RotHeaderOf(s.Hits[i])
			return
		}
	}
}

// RotRegister damages the named copies of one of the registers.
func (s *Disk) RotRegister(copies ...string) {
	name := Registers[s.Draw.Weighted([]uint32{2, 1})]
	for _, suffix := range copies {
		if b, err := s.Mem.Contents(name + suffix); err == nil && len(b) > 0 {
			s.Garbage(name+suffix, 0, int64(len(b)))
		}
	}
}

// RotValues damages up to four of the latest values, chosen among that many.
func (s *Disk) RotValues(latest int) {
	values := s.Values()
	values = values[max(0, len(values)-latest):]
	for range min(len(values), 1+s.Draw.Int(4)) {
		f := values[s.Draw.Int(len(values))]
		s.Notef("the value of record %d goes bad, of slot %d", f.LSN, f.Slot)
		s.garbage(f.File, f.Data, f.End-f.Data)
	}
}

// Register returns the value of the promise register, and the bytes of the copy that has it;
// both are nil if no copy can be read.
func (s *Disk) Register() (value, image []byte) {
	var best uint64
	for _, suffix := range ondisk.Copies {
		if v, version, ok := ondisk.Copy(s.Mem, Registers[0]+suffix); ok && (value == nil || version > best) {
			b, err := s.Mem.Contents(Registers[0] + suffix)
			must(err)
			value, image, best = v, b, version
		}
	}
	return value, image
}

// IsOutdated reports whether the log shows that a value of the promise register is old: the
// log was cut since, or it has a record of a later life or of a higher promise. boot and
// promise are the last of which the log has a record.
func (s *Disk) IsOutdated(was []byte, boot paxos.Boot, promise paxos.Ballot) bool {
	manifest, ok := ondisk.Register(s.Mem, Registers[1])
	says := ondisk.ReadPromise(was)
	return ok && (says.First < ondisk.Begin(manifest) || says.Boot < boot || says.Ballot.Less(promise))
}
