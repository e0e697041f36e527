// Package boottime is concurrent: the present instant by a clock that goes on while the
// machine is suspended.
//
// The instants of time.Now are compared by a clock that on Linux stands still while the
// machine is suspended. A lease that is counted by it would last longer than its grantor
// thinks, by the whole suspension. Now adds the time that the machine was suspended, so
// leases end in time.
//
// The clock that counts suspensions costs a system call, and a hit in a client's cache asks
// for the present instant each time. So it is read only when a suspension is possible: the
// kernel moves the time of day ahead of the monotonic clock by the same suspension at the
// same moment, and time.Now has both without a system call. Where their distance stands
// still, the machine was not suspended. The exception is a time of day that an operator
// sets back by the length of the suspension, to a millisecond, before the process runs again.
package boottime

import (
	"sync"
	"sync/atomic"
	"time"
)

// Now is time.Now, plus the time that the machine was suspended since the program started.
// Compare its instants with each other only: once the machine was suspended they are ahead
// of those of time.Now. On other systems than Linux it is time.Now.
func Now() time.Time {
	now := time.Now()
	return now.Add(process.suspended(distance(now)))
}

var (
	started = time.Now()
	process = newMeter(readClocks)
)

// distance returns how far the time of day is ahead of the monotonic clock, but for a
// constant.
func distance(now time.Time) time.Duration {
	return now.Round(0).Sub(started.Round(0)) - now.Sub(started)
}

// short is what no suspension lasts. Smaller differences of the two clocks are not told
// from the time that it takes to read them.
const short = 10 * time.Millisecond

// still is how far the distance may move before the clocks are read. The time of day is
// slewed by at most 0.5 ms a second, so they are read every two seconds at most.
const still = time.Millisecond

// meter measures suspensions by the difference of two clocks: one that counts them, and one
// that does not.
type meter struct {
	// read returns the difference, as bounds: it takes time to read two clocks.
	read func() (low, high time.Duration)
	base time.Duration // the difference when the program started

	seen  atomic.Int64 // the distance before the clocks were last read
	total atomic.Int64 // the time suspended; stored before the distance it belongs to

	reading sync.Mutex
}

func newMeter(read func() (low, high time.Duration)) *meter {
	_, high := read()
	return &meter{read: read, base: high}
}

// suspended is the time that the machine was suspended, and perhaps a little more. It
// never decreases.
func (m *meter) suspended(distance time.Duration) time.Duration {
	if moved := distance - time.Duration(m.seen.Load()); -still <= moved && moved <= still {
		return time.Duration(m.total.Load())
	}
	m.reading.Lock()
	defer m.reading.Unlock()
	total := time.Duration(m.total.Load())
	if low, high := m.read(); low-m.base-total > short {
		total = high - m.base
		m.total.Store(int64(total))
	}
	m.seen.Store(int64(distance))
	return total
}
