package driver

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
)

func idOf(slot paxos.Slot, size int64) SnapshotID {
	return SnapshotID{Handle: paxos.Handle{Slot: slot, Members: []paxos.NodeID{1, 2, 3}}, Size: size, Sum: uint64(slot)}
}

// puller is a transfer of node 1 of three, with a clock.
type puller struct {
	*fetch
	t   *testing.T
	now time.Time
}

func newPuller(t *testing.T) *puller {
	p := &puller{t: t, now: time.Unix(100, 0), fetch: &fetch{peers: []paxos.NodeID{2, 3}, pause: 10 * time.Millisecond, retry: time.Second}}
	p.begin(p.now, paxos.Behind{Source: 2, Floor: 8})
	p.asked("2: ask any snapshot of slot 7 on")
	return p
}

// asked is what was asked since the last time.
func (p *puller) asked(want ...string) {
	p.t.Helper()
	var got []string
	for _, a := range p.asks {
		got = append(got, fmt.Sprintf("%d: %v", a.to, a.m))
	}
	p.asks = nil
	require.Equal(p.t, want, got)
}

func (p *puller) pass(d time.Duration) bool {
	p.now = p.now.Add(d)
	return p.askAgain(p.now)
}

func (p *puller) got(from paxos.NodeID, x Piece) bool { return p.fetch.onPiece(p.now, from, x) }

// done lets the disk take the piece that was got.
func (p *puller) done(next int64) {
	p.t.Helper()
	require.NotNil(p.t, p.piece)
	id := p.id
	p.piece = nil
	p.onPut(p.now, PutDone{ID: id, Next: next})
}

func TestOnePieceAfterTheOther(t *testing.T) {
	p := newPuller(t)
	id := idOf(9, 300)
	require.False(t, p.got(2, Piece{ID: idOf(6, 300), Data: "x"}), "too old to help")
	require.False(t, p.got(2, Piece{ID: id, Offset: 1, Data: "x"}), "not the beginning")
	require.True(t, p.got(2, Piece{ID: id, Data: "first"}))
	require.False(t, p.got(2, Piece{ID: id, Data: "first"}), "the disk is at it")
	require.True(t, p.wake().IsZero(), "nothing to wait for but the disk")
	p.done(128)
	p.asked(fmt.Sprintf("2: ask %v at 128", id))
	require.False(t, p.got(2, Piece{ID: id, Data: "first"}), "a duplicate")
	require.False(t, p.got(2, Piece{ID: idOf(10, 300), Offset: 128, Data: "x"}), "of another snapshot")
	require.True(t, p.got(2, Piece{ID: id, Offset: 128, Data: "second"}))
	p.piece = nil
	p.onPut(p.now, PutDone{ID: id, Rows: db.New()})
	require.Zero(t, p.slot)
	require.False(t, p.dropped)
	require.True(t, p.wake().IsZero())
}

func TestASilentSourceIsAskedTwiceAndThenAnotherOne(t *testing.T) {
	p := newPuller(t)
	require.True(t, p.got(2, Piece{ID: idOf(9, 300), Data: "first"}))
	p.done(128)
	p.asked(fmt.Sprintf("2: ask %v at 128", p.id))
	require.False(t, p.pass(9*time.Millisecond))
	p.asked()
	require.False(t, p.pass(time.Millisecond))
	p.asked(fmt.Sprintf("2: ask %v at 128", p.id))
	require.False(t, p.pass(19*time.Millisecond), "the wait doubles")
	require.True(t, p.pass(time.Millisecond))
	p.asked(fmt.Sprintf("3: ask %v at 128", p.id)) // it may have the same one
	require.False(t, p.onGone(p.now, 3, Gone{ID: p.id}), "the giver may be slow")
	p.asked()
	require.False(t, p.pass(40*time.Millisecond))
	p.asked(fmt.Sprintf("2: ask %v at 128", p.id))
	require.True(t, p.pass(80*time.Millisecond))
	p.asked(fmt.Sprintf("3: ask %v at 128", p.id))
	require.True(t, p.onGone(p.now, 3, Gone{ID: p.id}), "or dead")
	p.asked("3: ask any snapshot of slot 7 on")
	require.True(t, p.dropped, "what was taken in is of no use")
	require.True(t, p.got(3, Piece{ID: idOf(20, 50), Data: "x"}))
}

// A laggard that has waited for a piece waits as long for the next one, and twice, before it
// asks again; and less and less where pieces come quickly.
func TestALaggardLearnsHowLongPiecesTake(t *testing.T) {
	p := newPuller(t)
	take := func(d time.Duration) time.Duration {
		p.now = p.now.Add(d)
		require.True(t, p.got(2, Piece{ID: idOf(9, 300), Offset: p.next, Data: "x"}))
		p.done(p.next + 1)
		p.asks = nil
		return p.due.Sub(p.now)
	}
	require.Equal(t, 10*time.Millisecond, take(time.Millisecond))
	require.Equal(t, 60*time.Millisecond, take(30*time.Millisecond))
	require.Equal(t, 80*time.Millisecond, take(time.Minute), "it is bounded")
	for last := 80 * time.Millisecond; last > 10*time.Millisecond; {
		next := take(time.Millisecond)
		require.Less(t, next, last)
		last = next
	}
}

// A source that is busy answers when another is asked already. It is the one that
// answers.
func TestALateAnswerCounts(t *testing.T) {
	p := newPuller(t)
	p.pass(10 * time.Millisecond)
	require.True(t, p.pass(20*time.Millisecond))
	p.asks = nil
	id := idOf(9, 300)
	require.True(t, p.got(2, Piece{ID: id, Data: "first"}))
	p.done(128)
	p.asked(fmt.Sprintf("2: ask %v at 128", id))
	require.False(t, p.onGone(p.now, 3, Gone{ID: id}), "the source is not silent")

	p.pass(60 * time.Millisecond)
	require.True(t, p.pass(80*time.Millisecond))
	p.asks = nil
	require.True(t, p.onGone(p.now, 2, Gone{ID: id}))
	p.asked("2: ask any snapshot of slot 7 on")
	require.True(t, p.dropped)
}

// Replica 3 was asked while 2 was slow, and says that it has not what 2 has given since.
// That is no news of 2, which is asked twice and not once more.
func TestTheLateWordOfAnotherIsNoNewsOfTheSource(t *testing.T) {
	p := newPuller(t)
	id := idOf(9, 300)
	require.True(t, p.got(2, Piece{ID: id, Data: "first"}))
	p.done(128)
	p.pass(10 * time.Millisecond)
	p.asks = nil
	require.False(t, p.onGone(p.now, 3, Gone{ID: id}))
	require.True(t, p.pass(20*time.Millisecond))
	p.asked(fmt.Sprintf("3: ask %v at 128", id))
}

func TestASourceThatHasNoneIsLeftAfterAWhile(t *testing.T) {
	p := newPuller(t)
	require.False(t, p.onGone(p.now, 2, Gone{Slot: 7}))
	p.asked()
	p.pass(10 * time.Millisecond)
	p.asked("2: ask any snapshot of slot 7 on")
	p.pass(20 * time.Millisecond)
	p.asked("3: ask any snapshot of slot 7 on")
	for range 20 {
		p.pass(80 * time.Millisecond)
	}
	require.Len(t, p.asks, 20, "waits are bounded")
}

func TestRecordsMayOvertakeATransfer(t *testing.T) {
	p := newPuller(t)
	p.onApplied(6)
	require.NotZero(t, p.slot)
	p.onApplied(7)
	require.Zero(t, p.slot, "all that was missing came by records")
	require.False(t, p.dropped)

	p = newPuller(t)
	require.True(t, p.got(2, Piece{ID: idOf(9, 300), Data: "first"}))
	p.onApplied(8)
	require.NotZero(t, p.slot, "slot 9 is still of use")
	p.piece = nil // it is being written
	p.onApplied(9)
	require.Zero(t, p.slot)
	require.True(t, p.dropped)
	p.begin(p.now, paxos.Behind{Source: 3, Floor: 30})
	p.asked("3: ask any snapshot of slot 29 on")
	require.False(t, p.got(3, Piece{ID: idOf(30, 10), Data: "x"}), "the disk is still at the last one")
	p.onPut(p.now, PutDone{ID: idOf(9, 300), Next: 128})
	p.asked()
	require.True(t, p.got(3, Piece{ID: idOf(30, 10), Data: "x"}))
}

func TestATransferThatFailsBeginsAnewLater(t *testing.T) {
	p := newPuller(t)
	require.True(t, p.got(2, Piece{ID: idOf(9, 300), Data: "first"}))
	p.piece = nil
	p.onPut(p.now, PutDone{ID: p.id, Err: errors.New("no room")})
	require.True(t, p.dropped)
	p.asked()
	p.pass(10 * time.Millisecond)
	p.asked("2: ask any snapshot of slot 7 on")
}

// A disk that stays full is not sent the same pieces again without a pause.
func TestATransferThatFailsAgainWaitsLonger(t *testing.T) {
	p := newPuller(t)
	var waits []time.Duration
	for range 10 {
		require.True(t, p.got(p.source, Piece{ID: idOf(9, 300), Data: "first"}))
		p.done(5)
		p.asks = nil
		require.True(t, p.got(p.source, Piece{ID: idOf(9, 300), Offset: 5, Data: "second"}))
		p.piece = nil
		p.onPut(p.now, PutDone{ID: p.id, Err: errors.New("no room")})
		waits = append(waits, p.wake().Sub(p.now))
		p.pass(p.wake().Sub(p.now))
	}
	ms := time.Millisecond
	require.Equal(t, []time.Duration{10 * ms, 20 * ms, 40 * ms, 80 * ms, 160 * ms, 320 * ms, 640 * ms, 1000 * ms, 1000 * ms, 1000 * ms}, waits)
}

func TestOneTransferAtATime(t *testing.T) {
	p := newPuller(t)
	p.begin(p.now, paxos.Behind{Source: 3, Floor: 90})
	p.asked()
	require.EqualValues(t, 2, p.source)
	alone := &fetch{pause: time.Second}
	alone.begin(p.now, paxos.Behind{Source: 1, Floor: 9})
	require.Zero(t, alone.slot, "a replica without peers has none to ask")
}

// A source that has dropped fewer slots has an older snapshot, which will do as well:
// the one that the transfer began with may never come back.
func TestAnOlderSnapshotWillDo(t *testing.T) {
	p := newPuller(t)
	p.begin(p.now, paxos.Behind{Source: 3, Floor: 12})
	p.begin(p.now, paxos.Behind{Source: 3, Floor: 5})
	p.begin(p.now, paxos.Behind{Source: 2, Floor: 8})
	p.asked()
	p.pass(10 * time.Millisecond)
	p.asked("2: ask any snapshot of slot 4 on")
	require.False(t, p.onGone(p.now, 3, Gone{Slot: 7}))
	p.pass(20 * time.Millisecond)
	p.asked("3: ask any snapshot of slot 4 on")
	require.True(t, p.got(3, Piece{ID: idOf(4, 300), Data: "first"}))
	p.piece = nil
	p.onPut(p.now, PutDone{ID: idOf(4, 300), Rows: db.New()})
	require.Zero(t, p.slot)
}

// A replica that has not what is being fetched is asked twice at most, however late it says so,
// and the next one in the ring after the giver.
func TestTheGiverIsAskedBetweenTheOthers(t *testing.T) {
	p := newPuller(t)
	p.peers = []paxos.NodeID{2, 3, 4}
	require.True(t, p.got(2, Piece{ID: idOf(9, 300), Data: "first"}))
	p.done(128)
	var order []paxos.NodeID
	next := func() {
		p.pass(80 * time.Millisecond)
		for _, a := range p.asks {
			order = append(order, a.to)
		}
		p.asks = nil
	}
	for range 3 {
		next()
	}
	require.False(t, p.onGone(p.now, 3, Gone{ID: p.id}), "late")
	for range 2 {
		next()
	}
	require.Equal(t, []paxos.NodeID{2, 2, 3, 3, 2, 4}, order)
	require.True(t, p.onGone(p.now, 4, Gone{ID: p.id}))
	p.asked("4: ask any snapshot of slot 7 on")
}
