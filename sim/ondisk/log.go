package ondisk

import (
	"encoding/binary"
	"iter"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Frame is one frame of a log on a disk.
type Frame struct {
	File           string
	Off, Data, End int64 // of the frame, of its data, after it
	Kind           uint8 // 0: a mark
	LSN, Watermark uint64
	Slot           paxos.Slot // where the kind has one
}

// HasData reports whether there is data, which can be lost while the rest is known.
func (f *Frame) HasData() bool { return f.Data < f.End }

// SegmentHead is the size of a segment's header, before its first frame, in bytes.
const SegmentHead = 36

// Sizes in wal/doc.go.
const (
	frameHead = 24
	slotSize  = 8
	sumSize   = 4
)

// segmentsOf are the segments of a log, in order.
func segmentsOf(mem *vfs.Mem, dir string) []vfs.FileInfo {
	return slices.DeleteFunc(mem.Files(), func(f vfs.FileInfo) bool {
		return !strings.HasPrefix(f.Name, dir+"/") || !strings.HasSuffix(f.Name, ".wal")
	})
}

// Frames reads the frames of all segments of the log in a directory, in order, each
// segment as far as its frames follow one another. No sum is compared.
func Frames(mem *vfs.Mem, dir string) []Frame {
	var all []Frame
	for _, f := range segmentsOf(mem, dir) {
		all = slices.AppendSeq(all, framesIn(mem, f))
	}
	return all
}

// framesIn reads the frames of one segment, their heads alone.
func framesIn(mem *vfs.Mem, segment vfs.FileInfo) iter.Seq[Frame] {
	return framesFrom(mem, segment, SegmentHead, 0)
}

// framesFrom reads on at a frame. next is the number of the next entry; 0: any.
func framesFrom(mem *vfs.Mem, segment vfs.FileInfo, at int64, next uint64) iter.Seq[Frame] {
	return func(yield func(Frame) bool) {
		b := make([]byte, frameHead+slotSize) // a head and, where there is one, the slot behind it
		for at+frameHead+sumSize <= segment.Size {
			mem.Peek(segment.Name, b, at)
			f := Frame{
				File: segment.Name, Off: at, Kind: b[4],
				LSN: binary.LittleEndian.Uint64(b[8:]), Watermark: binary.LittleEndian.Uint64(b[16:]),
			}
			size, tag := int64(binary.LittleEndian.Uint32(b)), int64(b[5])
			f.Data = at + frameHead + tag + sumSize
			f.End = f.Data
			if size > 0 {
				f.End += size + sumSize
			}
			entry := f.Kind != 0
			if f.LSN == 0 || f.End > segment.Size || next != 0 && (f.LSN != next) == entry {
				return
			}
			if tag >= slotSize {
				f.Slot = paxos.Slot(binary.BigEndian.Uint64(b[frameHead:]))
			}
			if entry {
				next = f.LSN + 1
			}
			if !yield(f) {
				return
			}
			at = f.End
		}
	}
}

// Watermark is the number up to which a log states that all was synced: in a frame of its
// last segment, or by the first number of that segment, since the segment before was synced
// by then.
func Watermark(mem *vfs.Mem, dir string) (known uint64) { return new(Tail).Watermark(mem, dir) }

// Tail is the end of a log that grows: what it has read it does not read again. The zero
// Tail has read nothing.
type Tail struct {
	segment string
	at      int64  // after the last frame that was read
	next    uint64 // number of the next entry
	known   uint64
}

// Watermark is the Watermark of the log. The frames that were there at the last call are
// still there.
func (t *Tail) Watermark(mem *vfs.Mem, dir string) uint64 {
	all := segmentsOf(mem, dir)
	if len(all) == 0 {
		return 0
	}
	last := all[len(all)-1]
	if last.Name != t.segment {
		head := make([]byte, SegmentHead)
		if mem.Peek(last.Name, head, 0) < SegmentHead {
			return 0
		}
		*t = Tail{segment: last.Name, at: SegmentHead, known: binary.LittleEndian.Uint64(head[16:]) - 1}
	}
	for f := range framesFrom(mem, last, t.at, t.next) {
		t.at, t.known = f.End, max(t.known, f.Watermark)
		if f.Kind != 0 {
			t.next = f.LSN + 1
		}
	}
	return t.known
}

// Covered are the frames whose loss must be noticed: at or below a watermark that a durable
// frame states. Entries up to durable are known to be synced; marked is the watermark of the
// last mark known to be synced. The frame that states the highest watermark is not among
// them, so that it stays readable.
func Covered(all []Frame, durable, marked uint64) []Frame {
	known := marked
	for i := range all {
		if f := &all[i]; f.Kind != 0 && f.LSN <= durable {
			known = max(known, f.Watermark)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(f Frame) bool {
		return f.LSN > known || f.Kind == 0 && f.Watermark >= known
	})
}

// CanReadOn reports that a log reads on where the frame at off was moved to at: only marks
// stood between, so the frame has the number that comes next there. The gap that it leaves
// looks like a mark that was being written at a power cut, and all after it like a torn tail
// (wal/doc.go, What stays ambiguous).
func CanReadOn(all []Frame, file string, at, off int64) bool {
	if at >= off {
		return false
	}
	return !slices.ContainsFunc(all, func(f Frame) bool { return f.File == file && f.Kind != 0 && at <= f.Off && f.Off < off })
}
