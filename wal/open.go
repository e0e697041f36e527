package wal

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Recovery is the content of a log when it was opened. All of it is durable by then.
type Recovery struct {
	// Entries are the readable entries in order. Numbers that are missing between the first and
	// Next are in Damaged. Entries of one segment share memory: keeping the data of one keeps the
	// data of all.
	Entries []Entry
	// Damaged are the entries whose data rotted, in order. Each opening reports them again until
	// they are dropped.
	Damaged []Damage
	// First is the lowest number that the log still has; in an empty log it equals Next.
	First LSN
	// Next is the number after the last entry.
	Next LSN
	// Torn is the tail that was cut off, or nil if the log ended cleanly. It was never acknowledged
	// as durable.
	Torn *Torn
	// Created reports that there was no log, or only one whose creation was not finished.
	Created bool
	// Repaired names the copies of the manifest that had to be rewritten.
	Repaired []string
}

// Damage is an entry that was durable and whose data is not readable. Its header is.
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
	Offset int64 // where it began: now the end of the log
	Bytes  int64 // up to the last byte that was not zero
	Whole  bool  // a whole frame of this log followed the torn place
}

// Open opens and recovers the log of a directory, and creates one if there is none (doc.go has the
// steps). Only one Log at a time can be open: a second Open fails with vfs.ErrLocked.
//
// Damage that cannot be narrowed down to the data of known entries is a *DamageError, and a file of
// another format is an ErrVersion. No segment of the log was changed then.
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
	l.ahead.next = l.man.next
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
	v := &survey{fs: l.fs, dir: l.dir, owner: l.o.Watermark}
	if err := l.readManifest(v, r); err != nil {
		return err
	}
	if len(l.man.segments) == 0 {
		if err := v.empty(); err != nil {
			return err
		}
		r.Created, r.First, r.Next = true, 1, 1
		return l.roll()
	}
	r.First = l.man.segments[0].first
	return v.each(func(x *examined, err error) error { return l.take(x, r, err) })
}

// readManifest finds out which segments there are, and removes the files that the manifest does not
// list: an unfinished roll or drop has left them.
func (l *Log) readManifest(v *survey, r *Recovery) error {
	reg, value, err := OpenRegister(l.fs, l.dir, manifestName)
	if err != nil {
		return err
	}
	l.reg, r.Repaired = reg, reg.Repaired()
	strays, err := v.list(value)
	if err != nil {
		return err
	}
	l.man = v.man
	if value == nil {
		r.Created = true
		return l.change(manifest{next: 1})
	}
	return l.removeStrays(strays)
}

func (l *Log) removeStrays(strays []string) error {
	for _, name := range strays {
		if err := l.fs.Remove(path.Join(l.dir, name)); err != nil {
			return err
		}
		number, _ := parseName(name)
		l.man.next = max(l.man.next, number+1) // a removed name may come back
	}
	if len(strays) == 0 {
		return nil
	}
	return l.fs.SyncDir(l.dir)
}

// take records the contents of a segment, or err, which was found instead. The last segment is
// repaired and stays open.
func (l *Log) take(x *examined, r *Recovery, err error) error {
	if x.last && x.f != nil {
		l.active, l.salt = x.f, x.c.salt
	}
	if err != nil && (x.last || x.f == nil) {
		return err
	}
	r.take(x)
	if !x.last {
		return errors.Join(err, x.f.Close())
	}
	c := &x.c
	l.off, l.next, l.synced = c.end, c.next, c.next-1
	l.stated = c.stated(x.first)
	l.recorded = l.stated
	return l.mend(r.Torn != nil, x.b[:c.end], c.after(x.known))
}

// mend cuts the last segment at the log's end and writes the frames from offset from on over
// themselves. They were never known to be synced, so they may be only in the machine's memory; and
// after a failed sync of an earlier process the system may consider them written. One sync then
// makes everything durable.
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

// take records the contents of a segment.
func (r *Recovery) take(x *examined) {
	r.Torn, r.Next = x.torn, x.c.next
	r.add(x.c, x.b, x.name)
}

// add records the frames of a chain, which are in b. The data and the tags of all its entries share
// one copy each.
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
