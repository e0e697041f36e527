package cell

import (
	"encoding/binary"
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
	sumSize     = 4
)

// framesOf reads the frames of all segments of a log, in order, each segment as
// far as its frames follow one another.
func framesOf(mem *vfs.Mem, dir string) []frame {
	var all []frame
	for _, f := range mem.Files() {
		if !strings.HasPrefix(f.Name, dir+"/") || !strings.HasSuffix(f.Name, ".wal") {
			continue
		}
		b, err := mem.Contents(f.Name)
		if err != nil || len(b) < segmentHead {
			continue
		}
		all = appendFrames(all, f.Name, b)
	}
	return all
}

func appendFrames(all []frame, file string, b []byte) []frame {
	var next uint64 // number that the next entry has; 0: the first of the file
	for at := int64(segmentHead); at+frameHead+sumSize <= int64(len(b)); {
		h := b[at:]
		f := frame{
			file: file, off: at, kind: h[4],
			lsn: binary.LittleEndian.Uint64(h[8:]), watermark: binary.LittleEndian.Uint64(h[16:]),
		}
		size, tag := int64(binary.LittleEndian.Uint32(h)), int64(h[5])
		f.data = at + frameHead + tag + sumSize
		f.end = f.data
		if size > 0 {
			f.end += size + sumSize
		}
		entry := f.kind != 0
		if f.lsn == 0 || f.end > int64(len(b)) || next != 0 && (f.lsn != next) == entry {
			break
		}
		if tag >= 8 {
			f.slot = paxos.Slot(binary.BigEndian.Uint64(b[at+frameHead:]))
		}
		if entry {
			next = f.lsn + 1
		}
		all = append(all, f)
		at = f.end
	}
	return all
}

// stated is up to where a log says that all was synced: in a frame of its last segment,
// or by where that begins, as the one before was synced by then.
func stated(mem *vfs.Mem, dir string) (known uint64) {
	last := ""
	for _, f := range mem.Files() {
		if strings.HasPrefix(f.Name, dir+"/") && strings.HasSuffix(f.Name, ".wal") {
			last = f.Name
		}
	}
	b, err := mem.Contents(last)
	if err != nil || len(b) < segmentHead {
		return 0
	}
	known = binary.LittleEndian.Uint64(b[16:]) - 1
	for _, f := range appendFrames(nil, last, b) {
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
