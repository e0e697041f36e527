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
	// RetryMax bounds every pause. Default 2 s.
	RetryMax time.Duration

	// Window bounds how far the newest call that was sent may be ahead of the
	// oldest one that is waited for, and so the calls under way. At most
	// api.MaxWindow. Default 64.
	Window int
	// Queue bounds the calls that wait for their first sending; beyond it Start
	// refuses. Default 1024.
	Queue int
}

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
	if c.AnswerWait < 0 || c.RetryMin < 0 || c.RetryMax < 0 {
		fault("a negative duration: AnswerWait %v, RetryMin %v, RetryMax %v", c.AnswerWait, c.RetryMin, c.RetryMax)
	}
	if c.Window < 0 || c.Window > api.MaxWindow {
		fault("Window %d is not within 0 to %d", c.Window, api.MaxWindow)
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
	base = min(base, c.RetryMax)
	half := base / 2
	return base - time.Duration(c.Draw()%uint64(half+1))
}
