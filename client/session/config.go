package session

import (
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Config configures a Machine. Replicas and Draw are required; the other fields have defaults,
// which zero selects.
type Config struct {
	// Replicas are the ids of the cell's replicas: at least one, none of them 0, no duplicates.
	Replicas []uint32
	// Draw returns 64 random bits. The Machine draws its nonce, its first sending id, the order
	// in which it tries replicas, and all jitter from it. Two machines must never draw the same
	// numbers: a simulator hands out keyed draws, a program uses a cryptographic source.
	Draw func() uint64

	// AnswerWait is how long a sending waits for its answer before the call is sent again,
	// perhaps to another replica. It doubles with each missed answer, up to RetryMax. Default
	// 300 ms.
	AnswerWait time.Duration
	// RetryMin is the pause after the first refusal of a call. It doubles with each refusal, up to
	// RetryMax, but stays at 16 RetryMin for a while if there is no master. Default 20 ms.
	RetryMin time.Duration
	// RetryMax bounds every pause except ParkedRetry. Default 2 s.
	RetryMax time.Duration
	// ParkedRetry is the pause after the master has answered that an Acquire waits for its
	// lock. Default 5 s.
	ParkedRetry time.Duration

	// Rho bounds the rate error of the clocks of clients and masters, in parts per million,
	// below a million. It must be no less than the cell's own figure: a client with a lower one
	// would count on its session for too long. Default DefaultRho.
	Rho int64
	// Grace is how long the client tries to reach a master after its lease may be over, before it
	// gives up the session (C11.17). Default 45 s.
	Grace time.Duration

	// Window bounds how far the newest call that was sent may be ahead of the oldest one with a
	// waiting caller, and so the number of calls in flight. At most half of api.MaxWindow: the
	// other half is reserved for calls that clean up. Default 64.
	Window int
	// Queue bounds the calls that wait to be sent for the first time. Beyond it Start refuses
	// calls, except Release and CloseHandle. Default 1024.
	Queue int

	// Cache is the cache of files, directories and open handles. The zero value turns it on.
	Cache Cache
}

// DefaultRho is also the default of replicas.
const DefaultRho = 1000

// million expresses 1 in parts per million.
const million = 1_000_000

// maxWindow leaves room for one CancelAcquire per call.
const maxWindow = api.MaxWindow / 2

// Validate returns all faults at once.
func (c Config) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if len(c.Replicas) == 0 {
		fault("no replicas")
	}
	for i, r := range c.Replicas {
		if r == 0 {
			fault("replica %d has the id 0", i)
		}
		for _, s := range c.Replicas[:i] {
			if r == s {
				fault("replica id %d is listed twice", r)
			}
		}
	}
	if c.Draw == nil {
		fault("no Draw")
	}
	if min(c.AnswerWait, c.RetryMin, c.RetryMax, c.ParkedRetry, c.Grace) < 0 {
		fault("negative duration: AnswerWait %v, RetryMin %v, RetryMax %v, ParkedRetry %v, Grace %v",
			c.AnswerWait, c.RetryMin, c.RetryMax, c.ParkedRetry, c.Grace)
	}
	if c.Rho < 0 || c.Rho >= million {
		fault("Rho %d ppm is not within 0 to %d", c.Rho, million-1)
	}
	if c.Window < 0 || c.Window > maxWindow {
		fault("Window %d is not within 0 to %d", c.Window, maxWindow)
	}
	if c.Queue < 0 {
		fault("Queue %d is negative", c.Queue)
	}
	faults = append(faults, c.Cache.fault())
	return errors.Join(faults...)
}

// withDefaults returns the Config with defaults in place of zero fields.
func (c Config) withDefaults() Config {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&c.AnswerWait, 300*time.Millisecond)
	set(&c.RetryMin, 20*time.Millisecond)
	set(&c.RetryMax, 2*time.Second)
	set(&c.ParkedRetry, 5*time.Second)
	set(&c.Grace, 45*time.Second)
	if c.Rho == 0 {
		c.Rho = DefaultRho
	}
	if c.Window == 0 {
		c.Window = 64
	}
	if c.Queue == 0 {
		c.Queue = 1024
	}
	c.Cache = c.Cache.WithDefaults()
	return c
}

// pause returns base doubled n times, at most RetryMax, with jitter, so that clients that were
// refused together do not retry together.
func (c Config) pause(base time.Duration, n int) time.Duration {
	for ; n > 0 && base < c.RetryMax; n-- {
		base += min(base, c.RetryMax-base)
	}
	return c.jitter(min(base, c.RetryMax))
}

// A cell that has lost its master usually has another one within seconds, and answers no call
// before each client has found it. So while a client looks for the master, its pauses stay short
// for a while.
const (
	searchLevel = 4  // pauses double this often, to 16 RetryMin,
	searchSteps = 12 // stay there for this many further refusals, and then double again
)

// searchPause returns the pause after n refusals, the last of which says that there is no master yet.
func (c Config) searchPause(n int) time.Duration {
	return c.pause(c.RetryMin, max(min(n, searchLevel), n-searchSteps))
}

// jitter returns a random duration between half of d and d.
func (c Config) jitter(d time.Duration) time.Duration {
	return d - time.Duration(c.Draw()%uint64(d/2+1))
}
