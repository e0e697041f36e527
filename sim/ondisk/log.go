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
	Off, Data, End int64 // where the frame begins, where its data begins, where it ends
	Kind           uint8 // 0: a mark
	LSN, Watermark uint64
	Slot           paxos.Slot // if the kind has one
}

// HasData reports whether the frame has data, which can be lost while the header stays known.
func (f *Frame) HasData() bool { return f.Data < f.End }

// SegmentHead is the size of a segment's header, before its first frame, in bytes.
const SegmentHead = 36

// Sizes in wal/doc.go.
const (
	frameHead = 24
	slotSize  = 8
	sumSize   = 4
)

// segmentsOf returns the segments of a log, in order.
func segmentsOf(mem *vfs.Mem, dir string) []vfs.FileInfo {
	return slices.DeleteFunc(mem.Files(), func(f vfs.FileInfo) bool {
		return !strings.HasPrefix(f.Name, dir+"/") || !strings.HasSuffix(f.Name, ".wal")
	})
}

// Frames reads the frames of all segments of the log in a directory, in order. In each
// segment it stops at the first frame that does not continue the one before. It compares no
// checksums.
func Frames(mem *vfs.Mem, dir string) []Frame {
	var all []Frame
	for _, f := range segmentsOf(mem, dir) {
		all = slices.AppendSeq(all, framesIn(mem, f))
	}
	return all
}

// framesIn reads the headers of the frames of one segment.
func framesIn(mem *vfs.Mem, segment vfs.FileInfo) iter.Seq[Frame] {
	return framesFrom(mem, segment, SegmentHead, 0)
}

// framesFrom reads frames of a segment from offset at on. next is the number of the next
// entry; 0: any.
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

// Watermark returns the number of the last entry that the log states is synced. A frame of
// the last segment states it, or the first number in that segment's header: all segments
// before were synced when it was created.
func Watermark(mem *vfs.Mem, dir string) (known uint64) { return new(Tail).Watermark(mem, dir) }

// Tail reads the end of a growing log and remembers what it has read. The zero Tail has read
// nothing.
type Tail struct {
	segment string
	at      int64  // the end of the last frame read
	next    uint64 // number of the next entry
	known   uint64
}

// Watermark returns what the function Watermark does. The frames that were there at the last
// call must still be there.
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

// Covered returns the frames whose loss must be noticed: those at or below a watermark that a
// durable frame states. Entries up to durable are known to be synced; marked is the watermark
// of the last mark known to be synced. The frame that states the highest watermark is not
// among them, so that it stays readable.
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

// CanReadOn reports whether a log can still be read on at offset at after the frame at off
// was moved there. It can if only marks stood between: then the frame has the number that
// comes next. The gap that the frame leaves looks like a mark that was being written at a
// power cut, and all after it like a torn tail (wal/doc.go, What stays ambiguous).
func CanReadOn(all []Frame, file string, at, off int64) bool {
	if at >= off {
		return false
	}
	return !slices.ContainsFunc(all, func(f Frame) bool { return f.File == file && f.Kind != 0 && at <= f.Off && f.Off < off })
}
