package clients

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
)

// Two programs want the lock of one handle. The status is checked twice, and something may
// happen before or between.
func TestL1ProgramsThatShareAHandleAcquireInTurn(t *testing.T) {
	valid := session.Status{State: session.Open, Lease: session.Valid}
	for name, c := range map[string]struct {
		before  func(s *LockQueue, st *session.Status)
		between func(s *LockQueue, st *session.Status)
		breaks  bool
	}{
		"both wait":                        {nil, nil, true},
		"one has asked the cell":           {func(s *LockQueue, _ *session.Status) { s.waiting[0].Session = 7 }, nil, false},
		"one asks it now":                  {nil, func(s *LockQueue, _ *session.Status) { s.waiting[1].Session = 7 }, false},
		"one is to ask when there is room": {func(_ *LockQueue, st *session.Status) { st.Queued = 1 }, nil, false},
		"in jeopardy":                      {func(_ *LockQueue, st *session.Status) { st.Lease = session.Jeopardy }, nil, false},
		"the session is over":              {nil, func(_ *LockQueue, st *session.Status) { st.State = session.Over }, false},
		"one has the lock":                 {func(s *LockQueue, _ *session.Status) { s.lock = &fakeLock{held: true} }, nil, false},
		"one may have the lock":            {func(s *LockQueue, _ *session.Status) { s.lock = &fakeLock{err: client.ErrJeopardy} }, nil, false},
		"one has released the lock":        {func(s *LockQueue, _ *session.Status) { s.lock = &fakeLock{err: client.ErrNotHeld} }, nil, true},
		"one gives up":                     {nil, func(s *LockQueue, _ *session.Status) { s.OnAcquireEnd(s.waiting[0]) }, false},
		"another one comes":                {nil, func(s *LockQueue, _ *session.Status) { s.OnAcquire(&client.CallID{}) }, false},
		"none wants it":                    {func(s *LockQueue, _ *session.Status) { s.waiting = nil }, nil, false},
	} {
		s, st := LockQueue{handle: new(client.Handle), idleSince: -1}, valid
		s.OnAcquire(&client.CallID{})
		s.OnAcquire(&client.CallID{})
		if c.before != nil {
			c.before(&s, &st)
		}
		require.Zero(t, s.onStatus(1*time.Second, st), name)
		require.Zero(t, s.onStatus(1*time.Second, st), "%s: it may be let in at this instant", name)
		if c.between != nil {
			c.between(&s, &st)
		}
		require.Equal(t, c.breaks, s.onStatus(2*time.Second, st) != breach{}, name)
	}
}

// The report says what was done last with the lock: after that the next program was to be let in.
func TestAReportOfALockThatNoneGetsSaysWhatCameBefore(t *testing.T) {
	for says, before := range map[string]func(*LockQueue){
		"no Acquire is under way": func(*LockQueue) {},
		"no Acquire is under way; the last program that acquired it by this handle holds it no more: lock not held": func(s *LockQueue) {
			s.OnAcquireEnd(s.waiting[0])
			s.SetLock(&fakeLock{err: client.ErrNotHeld})
		},
		"no Acquire is under way; the last Acquire by this handle ended without it": func(s *LockQueue) {
			s.SetLock(&fakeLock{err: client.ErrNotHeld})
			s.OnAcquireEnd(s.waiting[0])
		},
	} {
		s := LockQueue{handle: new(client.Handle), idleSince: -1}
		s.OnAcquire(&client.CallID{})
		s.OnAcquire(&client.CallID{})
		valid := session.Status{State: session.Open, Lease: session.Valid}
		before(&s)
		require.Zero(t, s.onStatus(1*time.Second, valid))
		require.True(t, strings.HasSuffix(s.onStatus(2*time.Second, valid).text, says), "%s: %v", says, s.onStatus(2*time.Second, valid))
	}
}
