package wal

import (
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Options configure a log. The zero Options are valid for a log whose data no client chooses.
type Options struct {
	// SegmentSize is the size of a segment, in bytes. A frame that does not fit begins the next
	// segment, and a frame larger than SegmentSize has a segment of its own; 1 therefore means a
	// segment per entry. 0 means DefaultSegmentSize; more than MaxSegmentSize is refused.
	SegmentSize int64
	// Watermark is a number that the owner knows, from elsewhere, to be synced; 0 says nothing. A
	// log that ends below it is damaged.
	Watermark LSN
	// Salt draws 64 bits, once for each new segment, within Open, Append or Idle. A client that
	// chooses the data of entries must be able neither to predict nor to read them. Otherwise it
	// can write data that makes a log with a torn tail look damaged (doc.go, Frames within data).
	// So draw them from a cryptographic source or, in a simulation, from keyed draws.
	//
	// With nil every salt is 0, which is no secret. That is for tests, and for logs whose data no
	// client chooses.
	Salt func() uint64
}

// DefaultSegmentSize is the SegmentSize of the zero Options.
const DefaultSegmentSize = 8 << 20

// flushSize is how much Append collects before it writes.
const flushSize = 1 << 20

// Log is an open log. Its calls must not overlap, except that MakeAhead may.
//
// The first error of the disk, in any call but MakeAhead, is final: the contents of the disk are then
// unknown until the log is opened again, and every later Append, Sync, Idle and DropBefore fails with
// the same error. No write or sync is ever retried.
type Log struct {
	fs   vfs.FS
	dir  string
	o    Options
	lock io.Closer
	reg  *Register // holds the manifest
	man  manifest

	ahead    ahead    // the next segment, if it is made
	active   vfs.File // the last segment
	salt     salt     // of its frames
	off      int64    // offset of the next frame
	buf      []byte   // frames not yet written
	next     LSN      // number of the next entry
	synced   LSN      // the watermark: everything up to here is durable
	stated   LSN      // the watermark of the last frame written
	recorded LSN      // the highest watermark that is itself durable
	dirty    bool     // something was written since the last sync
	err      error    // final
}

// Next returns the number that the next appended entry must have.
func (l *Log) Next() LSN { return l.next }

// Synced returns the highest number up to which everything is durable.
func (l *Log) Synced() LSN { return l.synced }

// Append appends entries; their numbers continue from Next. They are not durable before Sync. If an
// entry breaks the contract of Entry, Append does nothing and returns ErrEntry. It does not keep
// tags and data.
func (l *Log) Append(es ...Entry) error {
	if l.err != nil {
		return l.err
	}
	for i := range es {
		if err := es[i].check(l.next + LSN(i)); err != nil {
			return err
		}
	}
	for i := range es {
		if err := l.put(&es[i]); err != nil {
			return l.fail("append", err)
		}
	}
	return l.fail("append", l.flush())
}

func (l *Log) put(e *Entry) error {
	if err := l.makeRoom(frameSize(e)); err != nil {
		return err
	}
	l.buf = l.salt.appendFrame(l.buf, e, l.synced)
	l.stated = l.synced
	l.next++
	if len(l.buf) < flushSize {
		return nil
	}
	return l.flush()
}

// makeRoom rolls unless the active segment has room for a frame of this size. The first frame of a
// segment always fits.
func (l *Log) makeRoom(size int64) error {
	at := l.off + int64(len(l.buf))
	if at == segmentHeader || at+size <= l.o.SegmentSize {
		return nil
	}
	if err := l.flush(); err != nil {
		return err
	}
	return l.roll()
}

// flush writes the collected frames.
func (l *Log) flush() error {
	if len(l.buf) == 0 {
		return nil
	}
	_, err := l.active.WriteAt(l.buf, l.off)
	l.off += int64(len(l.buf))
	l.dirty = true
	if l.buf = l.buf[:0]; cap(l.buf) > 2*flushSize {
		l.buf = nil
	}
	return err
}

// Sync makes everything that was appended durable, with one SyncData. It does nothing if there is
// nothing new.
func (l *Log) Sync() error {
	if l.err != nil {
		return l.err
	}
	return l.fail("sync", l.sync())
}

func (l *Log) sync() error {
	if !l.dirty {
		return nil
	}
	if err := l.active.SyncData(); err != nil {
		return err
	}
	l.dirty, l.synced, l.recorded = false, l.next-1, l.stated
	return nil
}

// Idle makes the watermark itself durable, in a frame without an entry, unless a frame states it
// already; it first syncs what was appended. Call it when nothing was appended for a while: until
// then, rot of the last entries looks like a torn tail.
func (l *Log) Idle() error {
	if l.err != nil {
		return l.err
	}
	return l.fail("idle", l.idle())
}

func (l *Log) idle() error {
	if err := l.sync(); err != nil || l.recorded == l.synced {
		return err
	}
	mark := Entry{LSN: l.synced, Kind: kindMark}
	if err := l.makeRoom(frameSize(&mark)); err != nil || l.recorded == l.synced {
		return err // a roll says it, too
	}
	l.buf = l.salt.appendFrame(l.buf, &mark, l.synced)
	l.stated = l.synced
	if err := l.flush(); err != nil {
		return err
	}
	return l.sync()
}

// DropBefore removes entries below lsn, as far as they fill whole segments; the last segment always
// stays. The caller must have made durable elsewhere what it still needs of them.
func (l *Log) DropBefore(lsn LSN) error {
	if l.err != nil {
		return l.err
	}
	return l.fail("drop", l.drop(lsn))
}

// CanDrop reports whether DropBefore would remove anything now. It makes no disk call.
func (l *Log) CanDrop(lsn LSN) bool {
	return l.err == nil && len(l.man.without(lsn).segments) < len(l.man.segments)
}

func (l *Log) drop(lsn LSN) error {
	next := l.man.without(lsn)
	gone := l.man.segments[:len(l.man.segments)-len(next.segments)]
	if len(gone) == 0 {
		return nil
	}
	if err := l.change(next); err != nil {
		return err
	}
	for _, s := range gone {
		if err := l.fs.Remove(path.Join(l.dir, s.name())); err != nil {
			return err
		}
	}
	return l.fs.SyncDir(l.dir)
}

// roll begins a segment for the entries from next on. The segment before is synced by then, so its
// place in the manifest implies a watermark.
func (l *Log) roll() error {
	if err := l.sync(); err != nil {
		return err
	}
	number, f := l.ahead.take(l.man.next)
	s := segment{number: number, first: l.next}
	its := l.o.draw()
	var err error
	if f == nil {
		f, err = l.create(s, its)
	} else if err = l.begin(f, s, its); err == nil {
		err = f.SyncData()
	}
	if err == nil {
		err = l.change(l.man.with(s))
	}
	if err != nil {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
		return err
	}
	old := l.active
	l.active, l.salt, l.off = f, its, segmentHeader
	l.stated, l.recorded = l.synced, l.synced
	if old == nil {
		return nil
	}
	return old.Close()
}

// create makes the file of a segment, durable with its name. The file is new: no bytes of another
// segment lie under its frames.
func (l *Log) create(s segment, its salt) (vfs.File, error) {
	f, err := l.reserve(s.number)
	if f == nil {
		return nil, err
	}
	if err == nil {
		err = l.begin(f, s, its)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = l.fs.SyncDir(l.dir)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// begin writes the header of a segment.
func (l *Log) begin(f vfs.File, s segment, its salt) error {
	_, err := f.WriteAt(s.appendHeader(nil, its), 0)
	return err
}

// change is the only way to change the list of segments: the caller passes a changed copy; change
// makes it durable, and then makes it the present one.
func (l *Log) change(next manifest) error {
	if err := l.reg.Write(next.encode()); err != nil {
		return err
	}
	l.man = next
	return nil
}

// fail makes an error final; it returns nil for nil.
func (l *Log) fail(what string, err error) error {
	if err != nil {
		l.err = fmt.Errorf("wal: %s %s: %w", what, l.dir, err)
	}
	return l.err
}

// Close closes the files and releases the lock. It does not sync. Every later Append, Sync, Idle and
// DropBefore fails with ErrClosed, or with the final error if there was one.
func (l *Log) Close() error {
	var err error
	if l.active != nil {
		err = l.active.Close()
	}
	if _, f := l.ahead.take(0); f != nil {
		err = errors.Join(err, f.Close())
	}
	if l.reg != nil {
		err = errors.Join(err, l.reg.Close())
	}
	if l.lock != nil {
		err = errors.Join(err, l.lock.Close())
	}
	l.active, l.reg, l.lock = nil, nil, nil
	if l.err == nil {
		l.err = fmt.Errorf("wal: %s: %w", l.dir, ErrClosed)
	}
	return err
}
