package session

import (
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Config says how long sessions live without a word of their clients.
type Config struct {
	// LeaseMin is the length of a lease where sessions are few. 0: sessions have no
	// leases and live until they are ended.
	LeaseMin time.Duration
	LeaseMax time.Duration // the longest lease, where they are many
	// KeepAliveRate is how many KeepAlives a second the master is to answer: with
	// more sessions than that allows for, leases become longer.
	KeepAliveRate int
	// IdleAfter ends a session that for so long has had no open handle and made no
	// call. 0: such a session lives on.
	IdleAfter time.Duration
}

// DefaultConfig is Chubby's: leases of 12 s, up to a minute where there are many
// sessions, and an end after a minute in which a session was not used (CHU §2.8,
// §4.1).
func DefaultConfig() Config {
	return Config{LeaseMin: 12 * time.Second, LeaseMax: time.Minute, KeepAliveRate: 2000, IdleAfter: time.Minute}
}

// MaxLease bounds LeaseMax, so that an answer that was held for as long as one lease
// and tells of another one keeps to api.MaxLease.
const MaxLease = api.MaxLease / 2

// Validate returns all faults at once, joined, or nil.
func (c Config) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("sessions: "+format, args...))
	}
	if c.LeaseMin < 0 || c.LeaseMin > 0 && c.LeaseMin < minLease {
		fault("LeaseMin is %v; 0, or at least %v", c.LeaseMin, minLease)
	}
	if c.LeaseMax < c.LeaseMin || c.LeaseMax > MaxLease {
		fault("LeaseMax is %v; between LeaseMin, %v, and %v", c.LeaseMax, c.LeaseMin, MaxLease)
	}
	if c.LeaseMin > 0 && c.KeepAliveRate < 1 {
		fault("KeepAliveRate is %d; above 0", c.KeepAliveRate)
	}
	if c.IdleAfter < 0 {
		fault("IdleAfter is %v; not negative", c.IdleAfter)
	}
	return errors.Join(faults...)
}

// minLease keeps all parts of a lease above a millisecond.
const minLease = 48 * time.Millisecond

// hasLeases reports whether sessions have leases.
func (c Config) hasLeases() bool { return c.LeaseMin > 0 }

// length is how long leases are to be with so many sessions, in steps of a quarter
// of the shortest one.
func (c Config) length(sessions int) time.Duration {
	if !c.hasLeases() {
		return 0
	}
	want := min(time.Duration(sessions)*(time.Second/time.Duration(c.KeepAliveRate)), c.LeaseMax)
	step := c.LeaseMin / 4
	want = (want + step - 1) / step * step
	return min(max(want, c.LeaseMin), c.LeaseMax)
}
