package wal

import (
	"errors"
	"path"
	"sync"

	"github.com/chubbycell/chubby/wal/vfs"
)

// ahead is the file of the next segment, made while entries still go into the present one. It has
// its full size, and is durable with its name. It has no header, and no manifest lists it. If the
// machine stops, it is therefore only a stray file, which the next Open removes.
type ahead struct {
	mu     sync.Mutex
	next   uint64   // lower numbers are given out
	file   vfs.File // nil: none is made
	number uint64   // of file
	used   uint64   // the number taken last
	isBusy bool     // one is being made
	tried  bool     // one was made, or could not be made, since the last was taken
}

// take returns the file that was made, or nil if there is none, and its number, or a new number
// that is at least least. A file that is still being made will not be used, because numbers ascend.
func (a *ahead) take(least uint64) (number uint64, f vfs.File) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, a.file, a.tried = a.file, nil, false
	if f != nil {
		a.used = a.number
		return a.number, f
	}
	a.next = max(a.next, least)
	a.used = a.next
	a.next++
	return a.used, nil
}

// WantsAhead reports whether MakeAhead has something to do: half of the present segment is full,
// and the next one is neither made nor being made.
func (l *Log) WantsAhead() bool {
	if l.err != nil || l.active == nil || 2*l.off < l.o.SegmentSize {
		return false
	}
	l.ahead.mu.Lock()
	defer l.ahead.mu.Unlock()
	return !l.ahead.isBusy && !l.ahead.tried
}

// MakeAhead makes the file of the next segment after WantsAhead has returned true, so that no
// Append waits for that. It may run concurrently with another call of the same Log, but not with
// Close. An error has no consequences: the next segment is then made when it is needed.
func (l *Log) MakeAhead() error {
	a := &l.ahead
	a.mu.Lock()
	if a.isBusy || a.tried {
		a.mu.Unlock()
		return nil
	}
	number := a.next
	a.next++
	a.isBusy = true
	a.mu.Unlock()
	f, err := l.reserve(number)
	if err == nil {
		if err = f.Sync(); err == nil {
			err = l.fs.SyncDir(l.dir)
		}
	}
	a.mu.Lock()
	a.isBusy = false
	isLate := a.used > number
	if err == nil && !isLate {
		a.file, a.number, a.tried = f, number, true
	} else if !isLate {
		a.tried = true
	}
	a.mu.Unlock()
	if f == nil || err == nil && !isLate {
		return err
	}
	return errors.Join(err, f.Close(), l.fs.Remove(path.Join(l.dir, segment{number: number}.name())))
}

// reserve makes the file of a segment, with its full size and without a header. The file is not nil
// if it was created, even if a later step failed.
func (l *Log) reserve(number uint64) (vfs.File, error) {
	f, err := l.fs.Create(path.Join(l.dir, segment{number: number}.name()))
	if err != nil {
		return nil, err
	}
	return f, f.Preallocate(max(l.o.SegmentSize, segmentHeader))
}
