package client

import (
	"sync"
	"time"
)

// longestNap bounds how long a timer waits before it reads the clock of the Runtime again. The timers of the system
// stand still while the machine is suspended, and that clock does not: a timer that fell due meanwhile rings this long
// after the resume, at the latest.
const longestNap = time.Second

// alarm calls ring once, in a goroutine of its own, when an instant has come by a clock that need not run as the timers
// of the system do.
type alarm struct {
	now  func() time.Time
	at   time.Time
	ring func()

	mu        sync.Mutex
	timer     *time.Timer
	isStopped bool
}

func newAlarm(now func() time.Time, d time.Duration, ring func()) *alarm {
	a := &alarm{now: now, at: now().Add(d), ring: ring}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer = time.AfterFunc(min(d, longestNap), a.look)
	return a
}

// look rings if it is time, and else naps again.
func (a *alarm) look() {
	a.mu.Lock()
	left := a.at.Sub(a.now())
	isDue := !a.isStopped && left <= 0
	if !a.isStopped && left > 0 {
		a.timer.Reset(min(left, longestNap))
	}
	a.mu.Unlock()
	if isDue {
		a.ring()
	}
}

// stop prevents the ring if it has not begun, and does not wait for it.
func (a *alarm) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.isStopped = true
	a.timer.Stop()
}
