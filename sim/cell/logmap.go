package cell

import (
	"encoding/binary"
	"iter"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/wal/vfs"
)

// frame is one frame of a replica's log on its disk, as the format in wal/doc.go
// draws it. This reader shares no code with package wal: what a strike may hit
// must not depend on what the product makes of it.
type frame struct {
	file           string
	off, data, end int64 // of the frame, of its data, behind it
	kind           uint8 // 0: a mark
	lsn, watermark uint64
	slot           paxos.Slot // where the kind has one
}

// hasData says whether there is a value, that can be lost while the rest is
// known.
func (f *frame) hasData() bool { return f.data < f.end }

// Sizes in wal/doc.go.
const (
	segmentHead = 36
	frameHead   = 24
	slotSize    = 8
	sumSize     = 4
)

// segmentsOf are the segments of a log, in order.
func segmentsOf(mem *vfs.Mem, dir string) []vfs.FileInfo {
	return slices.DeleteFunc(mem.Files(), func(f vfs.FileInfo) bool {
		return !strings.HasPrefix(f.Name, dir+"/") || !strings.HasSuffix(f.Name, ".wal")
	})
}

// framesOf reads the frames of all segments of a log, in order, each segment as
// far as its frames follow one another.
func framesOf(mem *vfs.Mem, dir string) []frame {
	var all []frame
	for _, f := range segmentsOf(mem, dir) {
		all = slices.AppendSeq(all, framesIn(mem, f))
	}
	return all
}

// framesIn reads the frames of one segment, their heads alone.
func framesIn(mem *vfs.Mem, segment vfs.FileInfo) iter.Seq[frame] {
	return func(yield func(frame) bool) {
		var next uint64                       // number that the next entry has; 0: the first of the file
		b := make([]byte, frameHead+slotSize) // a head and, where there is one, the slot behind it
		for at := int64(segmentHead); at+frameHead+sumSize <= segment.Size; {
			mem.Peek(segment.Name, b, at)
			f := frame{
				file: segment.Name, off: at, kind: b[4],
				lsn: binary.LittleEndian.Uint64(b[8:]), watermark: binary.LittleEndian.Uint64(b[16:]),
			}
			size, tag := int64(binary.LittleEndian.Uint32(b)), int64(b[5])
			f.data = at + frameHead + tag + sumSize
			f.end = f.data
			if size > 0 {
				f.end += size + sumSize
			}
			entry := f.kind != 0
			if f.lsn == 0 || f.end > segment.Size || next != 0 && (f.lsn != next) == entry {
				return
			}
			if tag >= slotSize {
				f.slot = paxos.Slot(binary.BigEndian.Uint64(b[frameHead:]))
			}
			if entry {
				next = f.lsn + 1
			}
			if !yield(f) {
				return
			}
			at = f.end
		}
	}
}

// stated is up to where a log says that all was synced: in a frame of its last segment,
// or by where that begins, as the one before was synced by then.
func stated(mem *vfs.Mem, dir string) (known uint64) {
	all := segmentsOf(mem, dir)
	if len(all) == 0 {
		return 0
	}
	last, begins := all[len(all)-1], make([]byte, segmentHead)
	if mem.Peek(last.Name, begins, 0) < segmentHead {
		return 0
	}
	known = binary.LittleEndian.Uint64(begins[16:]) - 1
	for f := range framesIn(mem, last) {
		known = max(known, f.watermark)
	}
	return known
}

// covered are the frames whose loss must be noticed: at or below a watermark that
// a durable frame states. durable is up to where entries are known to be synced,
// marked what the last mark known to be synced states. The frame that states the
// highest watermark is not among them, so that it stays readable.
func covered(all []frame, durable, marked uint64) []frame {
	known := marked
	for i := range all {
		if f := &all[i]; f.kind != 0 && f.lsn <= durable {
			known = max(known, f.watermark)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(f frame) bool {
		return f.lsn > known || f.kind == 0 && f.watermark >= known
	})
}

// readsOn says that a log reads on where the frame at off has moved to at: nothing but
// marks stood between, so it has the number that comes next there. What it leaves behind
// looks like a mark that was being written when the power went, and all behind that like
// a torn tail (wal/doc.go, What stays ambiguous).
func readsOn(all []frame, file string, at, off int64) bool {
	if at >= off {
		return false
	}
	return !slices.ContainsFunc(all, func(f frame) bool { return f.file == file && f.kind != 0 && at <= f.off && f.off < off })
}
