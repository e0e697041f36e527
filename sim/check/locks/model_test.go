package locks

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// lockStory feeds a Model with commands on one node, in the form in which they are applied; a
// handle is named by its counter.
type lockStory struct {
	worldtest.World
	b    *Model
	seq  api.Seq
	slot paxos.Slot
}

var theLock = api.Ref{Instance: 7}

func newLockStory(t *testing.T) *lockStory {
	f := worldtest.New(t)
	return &lockStory{World: f, b: New(f.World, 250_000)}
}

func (s *lockStory) applied(c command.Command, r api.Result, e ...command.Effect) {
	s.tells(&command.Applied{Command: c, Verdict: command.Executed, Result: r, Effects: e})
}

// tells applies a command, each in a slot of its own.
func (s *lockStory) tells(a *command.Applied) *Taking {
	s.slot++
	return s.b.OnCommand(a, s.slot)
}

// delay is the effect that a lock-delay begins.
func delay(d time.Duration) command.Effect {
	return command.LockChanged{Effect: lock.DelayBegan{Lock: theLock, Freed: 9, Delay: api.DelayOf(d)}}
}

func (s *lockStory) act(session api.SessionID, d command.NodeOp, detail api.Detail) api.Seq {
	s.seq++
	s.applied(command.NodeCommand{Session: session, Seq: s.seq, Op: d}, api.Result{Code: api.OK, Detail: detail})
	return s.seq
}

func handleOf(n uint64) api.HandleID { return api.HandleID{Epoch: 1, Counter: n} }

func (s *lockStory) acquire(session api.SessionID, h uint64, mode api.Mode, gen api.LockGen, a api.Acquisition) api.Seq {
	d := command.Acquire{Node: theLock, Handle: handleOf(h), Mode: mode, Delay: api.DelayOf(time.Second)}
	return s.act(session, d, api.Held{Gen: gen, Acquisition: a})
}

func (s *lockStory) release(session api.SessionID, h uint64, a api.Acquisition) {
	s.act(session, command.Release{Node: theLock, Handle: handleOf(h), Acquisition: a}, nil)
}

func (s *lockStory) pass(d time.Duration) { s.Run(s.Now() + d) }

// Each story consists of commands and answers; told is empty if all is well.
func TestS8IsJudgedByTheLog(t *testing.T) {
	for _, c := range []struct {
		name  string
		story func(s *lockStory)
		told  string
	}{
		{"one after the other", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.release(1, 1, 5)
			s.acquire(2, 2, api.Exclusive, 6, 6)
		}, ""},
		{"two at once", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.acquire(2, 2, api.Exclusive, 6, 6)
		}, "conflicting holds"},
		{"readers together, of one generation", func(s *lockStory) {
			s.acquire(1, 1, api.Shared, 5, 5)
			s.acquire(2, 2, api.Shared, 5, 6)
		}, ""},
		{"a reader moves the generation", func(s *lockStory) {
			s.acquire(1, 1, api.Shared, 5, 5)
			s.acquire(2, 2, api.Shared, 6, 6)
		}, "generation moved"},
		{"a generation twice", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.release(1, 1, 5)
			s.acquire(2, 2, api.Exclusive, 5, 6)
		}, "generation did not grow"},
		{"the answer comes again", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.release(1, 1, 5)
			s.acquire(2, 2, api.Exclusive, 6, 6)
		}, ""},
		{"an acquisition twice", func(s *lockStory) {
			s.acquire(1, 1, api.Shared, 5, 5)
			s.acquire(2, 2, api.Shared, 5, 5)
		}, "after acquisition 5"},
		{"another acquisition for the same hold", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.acquire(1, 1, api.Exclusive, 5, 6)
		}, "is told that it holds"},
		{"a release of an older hold frees a newer one", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.release(1, 1, 5)
			s.acquire(1, 1, api.Exclusive, 6, 6)
			s.release(1, 1, 5)
		}, "releases acquisition 5"},
		{"closing frees at once", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.act(1, command.CloseHandle{Node: theLock, Handle: handleOf(1)}, nil)
			s.acquire(2, 2, api.Exclusive, 6, 6)
		}, ""},
		{"the end of a session frees at once", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.applied(command.Call{Session: 1, Op: api.EndSession{}}, api.Result{Code: api.OK})
			s.acquire(2, 2, api.Exclusive, 6, 6)
		}, ""},
		{"an expired session's lock inside the delay", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.applied(command.Expire{Session: 1}, api.Result{Code: api.OK}, delay(time.Second))
			s.pass(799 * time.Millisecond)
			s.acquire(2, 2, api.Exclusive, 6, 6)
		}, "grant inside a lock-delay"},
		{"and when the fastest clock says that it is over", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.applied(command.Expire{Session: 1}, api.Result{Code: api.OK}, delay(time.Second))
			s.pass(800 * time.Millisecond)
			s.acquire(2, 2, api.Exclusive, 6, 6)
		}, ""},
		{"a handle that no client presented", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.applied(command.FailHandle{Session: 1, Handle: handleOf(1)}, api.Result{Code: api.OK}, delay(time.Second))
			s.acquire(2, 2, api.Exclusive, 6, 6)
		}, "grant inside a lock-delay"},
		{"a handle that no client presented, and no delay", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.applied(command.FailHandle{Session: 1, Handle: handleOf(1)}, api.Result{Code: api.OK})
		}, "what begins is 0s; the lock is not freed"},
		{"a session that expired, and too short a delay", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.applied(command.Expire{Session: 1}, api.Result{Code: api.OK}, delay(999*time.Millisecond))
		}, "what begins is 999ms"},
		{"a session that expired, and too long a delay", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.applied(command.Expire{Session: 1}, api.Result{Code: api.OK}, delay(1001*time.Millisecond))
		}, "what begins is 1.001s"},
		{"a session that expired, which had shared it twice", func(s *lockStory) {
			s.acquire(1, 1, api.Shared, 5, 5)
			s.acquire(1, 2, api.Shared, 5, 6)
			s.applied(command.Expire{Session: 1}, api.Result{Code: api.OK}, delay(time.Second))
			s.pass(2 * time.Second)
			s.acquire(2, 3, api.Exclusive, 6, 8)
		}, ""},
		{"and its delays add up", func(s *lockStory) {
			s.acquire(1, 1, api.Shared, 5, 5)
			s.acquire(1, 2, api.Shared, 5, 6)
			s.applied(command.Expire{Session: 1}, api.Result{Code: api.OK}, delay(2*time.Second))
		}, "what begins is 2s"},
		{"an Acquire that was cancelled too late", func(s *lockStory) {
			seq := s.acquire(1, 1, api.Exclusive, 5, 5)
			s.act(1, command.CancelAcquire{Node: theLock, Handle: handleOf(1), Call: seq}, nil)
			s.acquire(2, 2, api.Exclusive, 6, 6)
		}, ""},
		{"the same by another handle frees nothing", func(s *lockStory) {
			seq := s.acquire(1, 1, api.Exclusive, 5, 5)
			s.act(1, command.CancelAcquire{Node: theLock, Handle: handleOf(2), Call: seq}, nil)
			s.acquire(2, 2, api.Exclusive, 6, 6)
		}, "conflicting holds"},
		{"nor on another node", func(s *lockStory) {
			seq := s.acquire(1, 1, api.Exclusive, 5, 5)
			s.act(1, command.CancelAcquire{Node: api.Ref{Instance: 8}, Handle: handleOf(1), Call: seq}, nil)
			s.acquire(2, 2, api.Exclusive, 6, 6)
		}, "conflicting holds"},
		{"an Acquire of a holder that was cancelled too late", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			seq := s.acquire(1, 1, api.Exclusive, 5, 5)
			s.act(1, command.CancelAcquire{Node: theLock, Handle: handleOf(1), Call: seq}, nil)
			s.acquire(2, 2, api.Exclusive, 6, 6)
		}, ""},
		{"cancelling another call frees nothing", func(s *lockStory) {
			seq := s.acquire(1, 1, api.Exclusive, 5, 5)
			s.act(1, command.CancelAcquire{Node: theLock, Handle: handleOf(1), Call: seq + 9}, nil)
			s.acquire(2, 2, api.Exclusive, 6, 6)
		}, "conflicting holds"},
		{"a node that was deleted", func(s *lockStory) {
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.act(1, command.DeleteNode{Node: theLock}, nil)
			s.acquire(2, 2, api.Exclusive, 6, 6)
		}, "grant of a deleted lock"},
		{"a sweep deletes, too", func(s *lockStory) {
			s.applied(command.Sweep{Node: theLock}, api.Result{Code: api.OK})
			s.acquire(2, 2, api.Exclusive, 6, 6)
		}, "grant of a deleted lock"},
	} {
		s := newLockStory(t)
		c.story(s)
		s.b.Judge()
		if c.told == "" {
			require.Nil(t, s.Failure(), c.name)
			continue
		}
		require.NotNil(t, s.Failure(), c.name)
		require.Equal(t, "S8", s.Failure().ID, c.name)
		require.Contains(t, s.Failure().Text, c.told, c.name)
	}
}

// A command that was refused or not executed has no effect.
func TestS8CountsWhatWasExecuted(t *testing.T) {
	s := newLockStory(t)
	acquire := command.NodeCommand{Session: 1, Seq: 1, Op: command.Acquire{Node: theLock, Handle: handleOf(1), Mode: api.Exclusive}}
	s.tells(&command.Applied{Command: acquire, Verdict: command.Repeated, Result: api.Result{Code: api.OK, Detail: api.Held{Gen: 5, Acquisition: 5}}})
	s.tells(&command.Applied{Command: acquire, Verdict: command.Executed, Result: api.Result{Code: api.LockHeld}})
	require.Empty(t, s.b.List)
	s.b.Judge()
	s.Good()
}

func TestALockDelayRunsUntilTheLogEndsIt(t *testing.T) {
	s := newLockStory(t)
	runs := func() bool {
		in, ok := s.b.MovedIn(theLock)
		require.True(t, ok)
		require.Equal(t, s.slot, in)
		return s.b.HasDelay(theLock)
	}
	_, ok := s.b.MovedIn(theLock)
	require.False(t, ok)
	s.acquire(8, 1, api.Shared, 5, 5)
	require.False(t, runs())
	s.acquire(7, 2, api.Shared, 5, 6)
	require.False(t, runs())
	fails := func(x api.SessionID, at api.Number) {
		s.tells(&command.Applied{Command: command.Expire{Session: x}, Number: at, Verdict: command.Executed, Result: api.Result{Code: api.OK}, Effects: []command.Effect{delay(time.Second)}})
	}
	fails(8, 9)
	require.Regexp(t, `^handle \S+ of session 7 holds it shared by acquisition 6, a lock-delay of 1s runs since handle \S+ of session 8 failed in slot \d+$`, s.b.About(theLock))
	fails(7, 10)
	require.True(t, runs())
	s.applied(command.DelayOver{Node: theLock, Freed: 9}, api.Result{Code: api.OK})
	require.True(t, runs(), "of session 7")
	s.applied(command.DelayOver{Node: theLock, Freed: 10}, api.Result{Code: api.OK})
	require.False(t, runs())
	require.Equal(t, "by the log it is free", s.b.About(theLock))
	s.Good()
}

func TestALockIsTakenOnceUntilItIsFree(t *testing.T) {
	s := newLockStory(t)
	takes := func(session api.SessionID, gen api.LockGen, a api.Acquisition) *Taking {
		s.seq++
		acquire := command.Acquire{Node: theLock, Handle: handleOf(uint64(session)), Mode: api.Shared}
		return s.tells(&command.Applied{
			Command: command.NodeCommand{Session: session, Seq: s.seq, Op: acquire}, Verdict: command.Executed,
			Result: api.Result{Code: api.OK, Detail: api.Held{Gen: gen, Acquisition: a}},
		})
	}
	require.Equal(t, &Taking{Node: theLock, Gen: 5}, takes(1, 5, 5))
	require.Nil(t, takes(2, 5, 6))
	s.release(1, 1, 5)
	require.Nil(t, takes(3, 5, 7))
	s.release(2, 2, 6)
	s.release(3, 3, 7)
	require.Equal(t, &Taking{Node: theLock, Gen: 6}, takes(1, 6, 8))
	s.Good()
}
