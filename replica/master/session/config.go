package session

import (
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Config says how long sessions live without KeepAlives or calls.
type Config struct {
	// LeaseMin is the length of a lease while there are few sessions. 0: sessions have no
	// leases and live until they are ended.
	LeaseMin time.Duration
	LeaseMax time.Duration // the longest lease, with many sessions
	// KeepAliveRate is how many KeepAlives a second the master should get at most: leases become
	// longer when there are more sessions.
	KeepAliveRate int
	// IdleAfter is how long a session may live without an open handle and without a call. Then
	// it is ended. 0: such a session lives on.
	IdleAfter time.Duration
}

// DefaultConfig returns Chubby's values: leases of 12 s, up to a minute with many sessions, and
// the end of a session that was not used for a minute (CHU §2.8, §4.1).
func DefaultConfig() Config {
	return Config{LeaseMin: 12 * time.Second, LeaseMax: time.Minute, KeepAliveRate: 2000, IdleAfter: time.Minute}
}

// MaxLease bounds LeaseMax. It is half of api.MaxLease, since an answer that was held for one lease
// and grants another one tells of both.
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

// length returns how long leases should be with so many sessions, in steps of a quarter of LeaseMin.
func (c Config) length(sessions int) time.Duration {
	if !c.hasLeases() {
		return 0
	}
	want := min(time.Duration(sessions)*(time.Second/time.Duration(c.KeepAliveRate)), c.LeaseMax)
	step := c.LeaseMin / 4
	want = (want + step - 1) / step * step
	return min(max(want, c.LeaseMin), c.LeaseMax)
}
