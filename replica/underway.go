package replica

import (
	"sync"
	"time"
)

// underWay notes since when a job has been under way. Its methods are safe for concurrent use.
type underWay struct {
	mu    sync.Mutex
	since time.Time // zero: there is no job
}

func (u *underWay) begin(now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.since = now
}

func (u *underWay) end() { u.begin(time.Time{}) }

// age is for how long the present job has been under way; 0: there is none.
func (u *underWay) age(now time.Time) time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.since.IsZero() {
		return 0
	}
	return now.Sub(u.since)
}
