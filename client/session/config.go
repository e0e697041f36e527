package session

import (
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Config is what a Machine is made from. Fields that are zero take the default
// given; Replicas and Draw have none.
type Config struct {
	// Replicas are the ids of the cell's replicas: at least one, none 0, none
	// twice.
	Replicas []uint32
	// Draw gives 64 random bits. The Machine draws its nonce, its first sending
	// id, the order in which it tries replicas and all jitter from it, so two
	// machines must never get the same numbers: a simulator hands out keyed
	// draws, a program a cryptographic source.
	Draw func() uint64

	// AnswerWait is how long a sending waits for an answer before the call is
	// sent again, perhaps to another replica; it doubles with each answer
	// missed, up to RetryMax. Default 300 ms.
	AnswerWait time.Duration
	// RetryMin is the pause after the first refusal of a call; it doubles with
	// each, up to RetryMax. Default 20 ms.
	RetryMin time.Duration
	// RetryMax bounds every pause but ParkedRetry. Default 2 s.
	RetryMax time.Duration
	// ParkedRetry is the pause after the master has said that an Acquire waits for
	// its lock. Default 5 s.
	ParkedRetry time.Duration

	// Rho bounds the rate error of the clocks of clients and masters, in parts per
	// million. It must be no less than the cell's own figure: a client that takes
	// clocks for better than its masters do counts on its session for too long.
	// Below a million. Default DefaultRho.
	Rho int64
	// Grace is for how long the client waits, after its lease may be over, to hear
	// that it is not (C11.17). Default 45 s.
	Grace time.Duration

	// Window bounds how far the newest call that was sent may be ahead of the
	// oldest one that is waited for, and so the calls under way. At most half of
	// api.MaxWindow: the other half is for what calls leave to be tidied. Default 64.
	Window int
	// Queue bounds the calls that wait for their first sending; beyond it Start
	// refuses, but for calls that free something. Default 1024.
	Queue int
}

// DefaultRho is what replicas are configured with by default, too.
const DefaultRho = 1000

// million is 1 in parts per million.
const million = 1_000_000

// maxWindow leaves room for one CancelAcquire to each call.
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
				fault("replica id %d stands twice", r)
			}
		}
	}
	if c.Draw == nil {
		fault("no Draw")
	}
	if min(c.AnswerWait, c.RetryMin, c.RetryMax, c.ParkedRetry, c.Grace) < 0 {
		fault("a negative duration: AnswerWait %v, RetryMin %v, RetryMax %v, ParkedRetry %v, Grace %v",
			c.AnswerWait, c.RetryMin, c.RetryMax, c.ParkedRetry, c.Grace)
	}
	if c.Rho < 0 || c.Rho >= million {
		fault("Rho is %d ppm; at least 0, below %d", c.Rho, million)
	}
	if c.Window < 0 || c.Window > maxWindow {
		fault("Window %d is not within 0 to %d", c.Window, maxWindow)
	}
	if c.Queue < 0 {
		fault("Queue %d is negative", c.Queue)
	}
	return errors.Join(faults...)
}

// withDefaults fills the zero fields.
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
	return c
}

// pause is base doubled n times, at most RetryMax, and of that a random part
// between a half and all: clients that were refused together do not come back
// together.
func (c Config) pause(base time.Duration, n int) time.Duration {
	for ; n > 0 && base < c.RetryMax; n-- {
		base += min(base, c.RetryMax-base)
	}
	return c.jitter(min(base, c.RetryMax))
}

func (c Config) jitter(d time.Duration) time.Duration {
	return d - time.Duration(c.Draw()%uint64(d/2+1))
}
