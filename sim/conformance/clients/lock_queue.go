package clients

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
)

// LockQueue holds the programs of one client that want the lock of one handle. The client
// lets one of them acquire it at a time (package client). It must let the next one try as
// soon as none has the lock and none has an Acquire under way (L1).
type LockQueue struct {
	handle    *client.Handle
	waiting   []*client.CallID // Acquires that have not ended; one with a zero CallID was not sent
	lock      Lock             // the last lock that was acquired, nil: none
	idleSince time.Duration    // true time since when the programs wait without a reason; below 0: they have one
	gaveUp    bool             // an Acquire has ended since lock was acquired
}

// OnAcquire records that a program wants the lock.
func (q *LockQueue) OnAcquire(ask *client.CallID) {
	q.waiting, q.idleSince = append(q.waiting, ask), -1
}

// OnAcquireEnd records that the program's Acquire has ended.
func (q *LockQueue) OnAcquireEnd(ask *client.CallID) {
	q.waiting = slices.DeleteFunc(q.waiting, func(x *client.CallID) bool { return x == ask })
	q.idleSince, q.gaveUp = -1, true
}

// SetLock records the lock that a program acquired by the handle.
func (q *LockQueue) SetLock(l Lock) { q.lock, q.gaveUp = l, false }

// onStatus checks the queue against status s. The client may let a program in at the present
// instant; a state that has lasted since an earlier instant stays.
func (q *LockQueue) onStatus(at time.Duration, s session.Status) breach {
	sent := func(ask *client.CallID) bool { return ask.Session != 0 }
	switch {
	case len(q.waiting) == 0, !canDeliver(s), s.Queued > 0, slices.ContainsFunc(q.waiting, sent), q.lock != nil && !IsLost(q.lock):
		q.idleSince = -1
	case q.idleSince < 0:
		q.idleSince = at
	case q.idleSince < at:
		return breachf("L1", "has let none of %d programs acquire the lock of a handle of %s for %v, although it is not held and no Acquire is under way%s", len(q.waiting), q.handle.Name(), at-q.idleSince, q.last())
	}
	return breach{}
}

// last says what was done last with the lock of the handle: after that the next program was to be let in.
func (q *LockQueue) last() string {
	switch {
	case q.lock != nil && !q.gaveUp:
		return fmt.Sprintf("; the last program that acquired it by this handle holds it no more: %v", q.lock.Err())
	case q.gaveUp:
		return "; the last Acquire by this handle ended without it"
	}
	return ""
}

// Lock is a lock as its holder sees it: a *client.Lock.
type Lock interface {
	Held() bool
	Err() error
}

// IsLost reports that lock l is not held any more, for good.
func IsLost(l Lock) bool {
	return !l.Held() && l.Err() != nil && !errors.Is(l.Err(), client.ErrJeopardy)
}
