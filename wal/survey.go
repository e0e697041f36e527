package wal

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"sync"

	"github.com/chubbycell/chubby/wal/vfs"
)

// survey reads the files of a log and judges them. Open, Verify and Dump share it,
// so that they cannot disagree. It changes nothing.
type survey struct {
	fs    vfs.FS
	dir   string
	owner LSN      // Options.Watermark
	man   manifest // as list read it
}

// list decodes the manifest's value, nil if there is none, and finds the segment files that it does
// not list.
func (v *survey) list(value []byte) (strays []string, err error) {
	names, err := v.fs.ReadDir(v.dir)
	if err != nil {
		return nil, err
	}
	files := slices.DeleteFunc(names, func(name string) bool { _, ok := parseName(name); return !ok })
	switch {
	case value == nil && len(files) > 0:
		return nil, damaged(v.manifest(), 0, "no manifest, but %d segments", len(files))
	case value == nil:
		return nil, nil
	}
	if v.man, err = decodeManifest(value, v.manifest()); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(files, v.isListed), nil
}

// manifest returns the file that errors about the manifest name.
func (v *survey) manifest() string { return path.Join(v.dir, manifestName+registerSuffixes[0]) }

// isListed reports whether the manifest lists a file.
func (v *survey) isListed(name string) bool {
	return slices.ContainsFunc(v.man.segments, func(s segment) bool { return s.name() == name })
}

// empty returns what is wrong with a log without segments.
func (v *survey) empty() error {
	if v.owner == 0 {
		return nil
	}
	return damaged(v.manifest(), 0, "the log is empty; all up to #%d was durable", v.owner)
}

// room is the memory into which segments are read, one after the other. A Recovery keeps none of
// it.
type room struct {
	frames []frame
	bytes  []byte
}

// rooms are the rooms of logs that were opened before. A program that opens many logs, like a
// simulator, would otherwise allocate a segment of memory each time.
var rooms = sync.Pool{New: func() any { return new(room) }}

// examined is a segment that was read. Its memory is reused for the next one.
type examined struct {
	segment          // as the manifest lists it
	name    string   // of its file, for errors
	f       vfs.File // open; nil if it could not be opened or is another one
	b       []byte   // all of it
	c       chain    // its entries, up to a torn one
	known   LSN      // everything up to here was durable
	last    bool     // in the manifest
	torn    *Torn    // what lies behind the chain
}

// each reads segment after segment. It calls visit for each one, with the error with which recovery
// ends there, or nil if recovery goes on. visit owns the file. An error of visit ends each.
func (v *survey) each(visit func(x *examined, err error) error) error {
	room := rooms.Get().(*room)
	defer rooms.Put(room)
	for i, s := range v.man.segments {
		x := &examined{segment: s, name: path.Join(v.dir, s.name()), last: i+1 == len(v.man.segments)}
		err := v.read(x, room)
		switch {
		case err != nil:
		case x.last:
			err = v.judgeLast(x)
		default:
			err = x.judge(v.man.segments[i+1].first)
		}
		if err := visit(x, err); err != nil {
			return err
		}
	}
	return nil
}

// read reads the whole file of a segment and checks that it is the listed one.
func (v *survey) read(x *examined, room *room) error {
	f, err := v.fs.Open(x.name)
	if errors.Is(err, fs.ErrNotExist) {
		err = damaged(x.name, 0, "the segment is gone")
	}
	if err != nil {
		return err
	}
	b, found, its, err := readSegment(f, x.name, room.bytes)
	if err == nil && found != x.segment {
		err = damaged(x.name, 0, "this is segment %d from #%d", found.number, found.first)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	x.f, x.b, x.c = f, b, scan(b, x.first, its, room.frames)
	room.frames, room.bytes = x.c.frames, b
	return nil
}

// judge judges a segment that is not the last: all of it was durable, up to the first number of the
// next one.
func (x *examined) judge(next LSN) error {
	x.known = next - 1
	if x.c.next != next {
		return damaged(x.name, x.c.end, "#%d is unreadable; the next segment begins with #%d", x.c.next, next)
	}
	return nil
}

// judgeLast distinguishes torn from rotten in the last segment.
func (v *survey) judgeLast(x *examined) error {
	c, b := &x.c, x.b
	known := max(c.watermark, v.owner)
	known = max(known, c.laterWatermark(b[c.end:]))
	x.known = known
	if known >= c.next {
		return damaged(x.name, c.end, "#%d is unreadable; all up to #%d was durable", c.next, known)
	}
	if i := c.firstTorn(known); i >= 0 {
		c.cutAt(i)
	}
	if n := lastNonZero(b[c.end:]); n > 0 {
		x.torn = &Torn{File: x.name, Offset: c.end, Bytes: int64(n), Whole: c.hasWholeBehind(b[c.end:])}
	}
	return nil
}
