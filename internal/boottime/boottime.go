// Package boottime is concurrent: the present instant by a clock that goes on while the
// machine is suspended.
//
// The instants of time.Now are compared by a clock that on Linux stands still while the
// machine is suspended. A lease that is counted by it would last longer than its grantor
// thinks, by the whole suspension. Now adds the time that the machine was suspended, so
// leases end in time.
package boottime

import (
	"sync"
	"time"
)

// Now is time.Now, plus the time that the machine was suspended since the program started.
// Compare its instants with each other only: once the machine was suspended they are ahead
// of those of time.Now. On other systems than Linux it is time.Now.
func Now() time.Time { return time.Now().Add(process.suspended()) }

var process = newMeter(readOnce, readClocks)

// short is what no suspension lasts. Smaller differences of the two clocks are not told
// from the time that it takes to read them.
const short = 10 * time.Millisecond

// meter measures suspensions by the difference of two clocks: one that counts them, and one
// that does not.
type meter struct {
	// read returns the difference, as bounds: it takes time to read two clocks.
	read func() (low, high time.Duration)
	// most returns a bound above only, in less time.
	most func() time.Duration

	mu    sync.Mutex
	base  time.Duration // the difference when the program started
	total time.Duration
}

func newMeter(most func() time.Duration, read func() (low, high time.Duration)) *meter {
	_, high := read()
	return &meter{most: most, read: read, base: high}
}

// suspended is the time that the machine was suspended, and perhaps a little more. It
// never decreases.
func (m *meter) suspended() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.most()-m.base-m.total <= short {
		return m.total
	}
	low, high := m.read()
	if low-m.base-m.total > short {
		m.total = high - m.base
	}
	return m.total
}
