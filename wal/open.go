package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Recovery is what a log held when it was opened. All of it is durable by then.
type Recovery struct {
	// Entries are the readable entries in order. Numbers that are missing between
	// the first and Next are in Damaged. Entries of one segment share memory: who
	// keeps the data of one keeps the segment's.
	Entries []Entry
	// Damaged are the entries whose data rotted; in order. It happens on each
	// opening again, until they are dropped.
	Damaged []Damage
	// First is the lowest number that the log still has, or would have: Next in
	// an empty log.
	First LSN
	// Next is the number after the last entry.
	Next LSN
	// Torn is the tail that was cut off, nil where the log ended cleanly. Nobody
	// was ever told that it was durable.
	Torn *Torn
	// Created says that there was no log, or none whose creation was finished.
	Created bool
	// Repaired names the copies of the manifest that had to be written anew.
	Repaired []string
}

// Damage is an entry that was durable and is not readable. Its header is.
type Damage struct {
	LSN    LSN
	Kind   uint8
	Tag    []byte
	File   string
	Offset int64 // of the frame
}

// Torn is the end of a log that was being written when the machine stopped.
type Torn struct {
	File   string
	Offset int64 // where it began: the log's end now
	Bytes  int64 // as far as it was not zero
	Whole  bool  // a whole frame of this log stood behind the place that was not
}

// Open opens the log of a directory, which it makes if there is none, and
// recovers it (doc.go has the steps). One Log at a time: a second one gets
// vfs.ErrLocked.
//
// Damage that cannot be narrowed down to the data of known entries is a
// *DamageError, and a file of another format is an ErrVersion. Then no segment
// of the log was changed.
func Open(fsys vfs.FS, dir string, o Options) (*Log, Recovery, error) {
	if o.SegmentSize == 0 {
		o.SegmentSize = DefaultSegmentSize
	}
	if o.SegmentSize > MaxSegmentSize {
		return nil, Recovery{}, fmt.Errorf("wal: %s: segments of %d bytes, at most %d", dir, o.SegmentSize, MaxSegmentSize)
	}
	l := &Log{fs: fsys, dir: dir, o: o, next: 1}
	var r Recovery
	if err := l.recover(&r); err != nil {
		return nil, Recovery{}, errors.Join(err, l.Close())
	}
	return l, r, nil
}

func (l *Log) recover(r *Recovery) error {
	if err := l.fs.MkdirAll(l.dir); err != nil {
		return err
	}
	var err error
	if l.lock, err = l.fs.Lock(path.Join(l.dir, "LOCK")); err != nil {
		return err
	}
	if err := l.readManifest(r); err != nil {
		return err
	}
	if len(l.man.segments) == 0 {
		if l.o.Watermark > 0 {
			return damaged(l.reg.copies[0].name, 0, "the log is empty; all up to #%d was durable", l.o.Watermark)
		}
		r.Created, r.First, r.Next = true, 1, 1
		return l.roll()
	}
	return l.readSegments(r)
}

// readManifest finds out which segments there are, and removes files that became
// none: a roll or a drop that the manifest has not, or has, seen.
func (l *Log) readManifest(r *Recovery) error {
	reg, value, err := OpenRegister(l.fs, l.dir, manifestName)
	if err != nil {
		return err
	}
	l.reg, r.Repaired = reg, reg.Repaired()
	names, err := l.fs.ReadDir(l.dir)
	if err != nil {
		return err
	}
	files := slices.DeleteFunc(names, func(name string) bool { _, ok := parseName(name); return !ok })
	if value == nil {
		if len(files) > 0 {
			return damaged(reg.copies[0].name, 0, "no manifest, but %d segments", len(files))
		}
		r.Created = true
		return l.change(manifest{next: 1})
	}
	if l.man, err = decodeManifest(value, reg.copies[0].name); err != nil {
		return err
	}
	return l.removeStrays(files)
}

func (l *Log) removeStrays(files []string) error {
	removed := false
	for _, name := range files {
		number, _ := parseName(name)
		if slices.ContainsFunc(l.man.segments, func(s segment) bool { return s.number == number }) {
			continue
		}
		if err := l.fs.Remove(path.Join(l.dir, name)); err != nil {
			return err
		}
		l.man.next = max(l.man.next, number+1) // a removed name may come back
		removed = true
	}
	if !removed {
		return nil
	}
	return l.fs.SyncDir(l.dir)
}

// room is what segments are read into, one after the other. A Recovery keeps none
// of it.
type room struct {
	frames []frame
	bytes  []byte
}

// rooms are of logs that were opened before: a program that opens many, as a
// simulator does, would ask for a segment of memory each time.
var rooms = sync.Pool{New: func() any { return new(room) }}

// readSegments reads all segments; the last one is mended and stays open.
func (l *Log) readSegments(r *Recovery) error {
	r.First = l.man.segments[0].first
	room := rooms.Get().(*room)
	defer rooms.Put(room)
	for i, s := range l.man.segments {
		f, b, its, err := l.readSegment(s, room.bytes)
		if err != nil {
			return err
		}
		c := scan(b, s.first, its, room.frames)
		room.frames, room.bytes = c.frames, b
		if i+1 == len(l.man.segments) {
			return l.openLast(f, b, c, r)
		}
		file, next := path.Join(l.dir, s.name()), l.man.segments[i+1].first
		if c.next != next {
			err = damaged(file, c.end, "#%d is unreadable; the next segment begins with #%d", c.next, next)
		}
		r.add(c, b, file)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// readSegment reads the whole file of a segment and checks that it is the one.
func (l *Log) readSegment(s segment, room []byte) (vfs.File, []byte, salt, error) {
	name := path.Join(l.dir, s.name())
	f, err := l.fs.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = damaged(name, 0, "the segment is gone")
	}
	if err != nil {
		return nil, nil, salt{}, err
	}
	b, found, its, err := readSegment(f, name, room)
	if err == nil && found != s {
		err = damaged(name, 0, "this is segment %d from #%d", found.number, found.first)
	}
	if err != nil {
		return nil, nil, its, errors.Join(err, f.Close())
	}
	return f, b, its, nil
}

// openLast tells what is torn from what is rotten in the last segment, cuts the
// first, reports the second, and makes the rest durable.
func (l *Log) openLast(f vfs.File, b []byte, c chain, r *Recovery) error {
	l.active, l.salt = f, c.salt
	s := l.man.last()
	file, known := path.Join(l.dir, s.name()), max(c.watermark, l.o.Watermark)
	known = max(known, c.laterWatermark(b[c.end:]))
	if known >= c.next {
		return damaged(file, c.end, "#%d is unreadable; all up to #%d was durable", c.next, known)
	}
	if i := c.firstTorn(known); i >= 0 {
		c.cutAt(i)
	}
	if n := lastNonZero(b[c.end:]); n > 0 {
		r.Torn = &Torn{File: file, Offset: c.end, Bytes: int64(n), Whole: c.wholeBehind(b[c.end:])}
	}
	r.add(c, b, file)
	r.Next = c.next
	l.off, l.next, l.synced = c.end, c.next, c.next-1
	l.stated = c.stated(s.first)
	l.recorded = l.stated
	return l.mend(r.Torn != nil, b[:c.end], c.after(known))
}

// mend cuts the last segment at the log's end and writes the frames from offset
// from on once more, over themselves: they were never known to be synced, so
// they may be in the machine's memory only, and after a failed sync of an earlier
// process the system may think otherwise. Then one sync makes all durable.
func (l *Log) mend(cut bool, b []byte, from int64) error {
	if cut {
		if err := l.active.Truncate(l.off); err != nil {
			return err
		}
	}
	if err := l.active.Preallocate(l.o.SegmentSize); err != nil {
		return err
	}
	if from < l.off {
		if _, err := l.active.WriteAt(b[from:], from); err != nil {
			return err
		}
	}
	return l.active.Sync()
}

// add takes over the frames of a chain, which stand in b. Data and tags of all
// its entries share one copy each.
func (r *Recovery) add(c chain, b []byte, file string) {
	all, size := string(b[:c.end]), 0
	for i := range c.frames {
		size += int(c.frames[i].tagged)
	}
	tags := make([]byte, 0, size)
	if n := len(r.Entries); n+len(c.frames) > cap(r.Entries) {
		r.Entries = slices.Grow(r.Entries, max(n, len(c.frames))) // doubled: append's quarter more copies a long log often
	}
	for i := range c.frames {
		f := &c.frames[i]
		if f.kind == kindMark {
			continue
		}
		from, to := f.tag()
		tags = append(tags, b[from:to]...)
		tag := tags[len(tags)-int(f.tagged) : len(tags) : len(tags)]
		if !f.good {
			r.Damaged = append(r.Damaged, Damage{LSN: f.lsn, Kind: f.kind, Tag: tag, File: file, Offset: f.off})
			continue
		}
		from, to = f.body()
		r.Entries = append(r.Entries, Entry{LSN: f.lsn, Kind: f.kind, Tag: tag, Data: all[from:to]})
	}
}
