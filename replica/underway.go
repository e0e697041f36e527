package replica

import (
	"sync"
	"time"

	"github.com/chubbycell/chubby/internal/instant"
)

// underWay notes since when a job has been under way, and how long others took. Its methods are safe for
// concurrent use.
type underWay struct {
	mu    sync.Mutex
	since time.Time // zero: there is no job
	took  instant.Histogram
}

func (u *underWay) begin(now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.since = now
}

// end ends the job, which counts among those whose length finished returns if counts is set.
func (u *underWay) end(now time.Time, counts bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if counts {
		u.took.Add(now.Sub(u.since))
	}
	u.since = time.Time{}
}

// finished returns how long the jobs took that counted.
func (u *underWay) finished() instant.Histogram {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.took
}

// age is for how long the present job has been under way; 0: there is none.
func (u *underWay) age(now time.Time) time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.since.IsZero() {
		return 0
	}
	return now.Sub(u.since)
}
