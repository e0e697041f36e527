package driver

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
)

// confirmRig is replica 1 of n, which asks about rows.
type confirmRig struct {
	*comparison
	t   *testing.T
	now time.Time
}

func newConfirmRig(t *testing.T, n int) *confirmRig {
	var cfg Config
	cfg.Core.Paxos.ID = 1
	for i := range n {
		cfg.Core.Paxos.Members = append(cfg.Core.Paxos.Members, paxos.NodeID(i+1))
	}
	return &confirmRig{t: t, now: time.Unix(100, 0), comparison: &comparison{
		self: 1, members: cfg.Core.Paxos.Members, peers: cfg.peers(), pause: 10 * time.Millisecond,
	}}
}

// rowsAfter are rows after a slot, which no other slot has.
func rowsAfter(slot paxos.Slot) WriteJob {
	d := db.New()
	tx := d.Begin()
	tx.Put("slot", fmt.Sprint(slot))
	tx.Commit()
	return WriteJob{Handle: paxos.Handle{Slot: slot}, Rows: d.View()}
}

// says lets a replica answer with the rows after some slot.
func (r *confirmRig) says(from paxos.NodeID, slot, of paxos.Slot) {
	r.onSum(from, TellSum{Slot: slot, Sum: rowsAfter(of).Rows.Checksum()})
}

func (r *confirmRig) taken(want paxos.Slot) {
	r.t.Helper()
	w, err := r.take()
	require.NoError(r.t, err)
	if want == 0 {
		require.Nil(r.t, w)
		return
	}
	require.NotNil(r.t, w)
	require.Equal(r.t, want, w.Handle.Slot)
	require.Equal(r.t, rowsAfter(want).Rows.Checksum(), w.Rows.Checksum())
	require.True(r.t, r.isIdle())
	require.True(r.t, r.wake().IsZero())
}

// asks is a list of questions about one slot.
func asks(slot paxos.Slot, to ...paxos.NodeID) (all []outgoing) {
	for _, id := range to {
		all = append(all, outgoing{id, AskSum{Slot: slot}})
	}
	return all
}

// However many replicas there are: with a majority's sums the rows are ready, and
// not with one less.
func TestRowsAreReadyOnTheWordOfAMajority(t *testing.T) {
	for n := 1; n <= 7; n++ {
		r := newConfirmRig(t, n)
		r.taken(0)
		require.Len(t, r.begin(r.now, rowsAfter(9)), n-1)
		for id := 2; id <= n/2+1; id++ {
			r.taken(0)
			r.says(paxos.NodeID(id), 9, 9)
			r.says(paxos.NodeID(id), 9, 9) // and one is one
		}
		r.taken(9)
	}
}

func TestRowsThatNoMajorityCanHaveStop(t *testing.T) {
	r := newConfirmRig(t, 5)
	r.begin(r.now, rowsAfter(9))
	r.says(2, 9, 8)
	r.says(3, 9, 7)
	r.says(4, 9, 9)
	r.taken(0)
	r.says(5, 9, 8)
	_, err := r.take()
	require.ErrorIs(t, err, core.ErrMinority)
	require.ErrorContains(t, err, "replica 1 stops: after slot 9")
}

// Rows of another slot are not these rows, whatever their checksum.
func TestWhatIsSaidOfAnotherSlotSaysNothing(t *testing.T) {
	r := newConfirmRig(t, 3)
	r.onSum(2, TellSum{Slot: 9})
	r.onNoSum(NoSum{Slot: 9})
	r.begin(r.now, rowsAfter(9))
	for _, slot := range []paxos.Slot{8, 10} {
		r.says(2, slot, 9)
		r.says(3, slot, 1)
		r.onNoSum(NoSum{Slot: slot})
	}
	r.taken(0)
	require.False(t, r.outdated)
	r.says(3, 9, 9)
	r.taken(9)
}

func TestWhoDidNotSayTheSameIsAskedAgain(t *testing.T) {
	r := newConfirmRig(t, 5)
	require.Equal(t, asks(9, 2, 3, 4, 5), r.begin(r.now, rowsAfter(9)))
	r.says(3, 9, 9)
	r.says(4, 9, 8)
	waits := []time.Duration{}
	for range 5 {
		require.Empty(t, r.askAgain(r.wake().Add(-1)))
		waits = append(waits, r.wake().Sub(r.now))
		r.now = r.wake()
		all := r.askAgain(r.now)
		require.Equal(t, asks(9, 2, 4, 5), all[:3])
		require.Equal(t, []outgoing{
			{3, Relay{From: 1, To: 2, M: AskSum{Slot: 9}}}, {3, Relay{From: 1, To: 5, M: AskSum{Slot: 9}}},
			{4, Relay{From: 1, To: 2, M: AskSum{Slot: 9}}}, {4, Relay{From: 1, To: 5, M: AskSum{Slot: 9}}},
		}, all[3:], "the silent ones are asked through those that answered")
	}
	ms := time.Millisecond
	require.Equal(t, []time.Duration{10 * ms, 20 * ms, 40 * ms, 80 * ms, 80 * ms}, waits)
	r.says(4, 9, 9) // its next life had better rows
	r.taken(9)
	require.Empty(t, r.askAgain(r.now.Add(time.Hour)))
}

// A peer that cannot say is no reason to wait for ever, nor not to hear the others
// out.
func TestASlotThatAPeerDoesNotKnowGivesWayToALaterOne(t *testing.T) {
	r := newConfirmRig(t, 3)
	r.begin(r.now, rowsAfter(9))
	r.onNoSum(NoSum{Slot: 9})
	require.False(t, r.isOutdated(r.now, 12), "the others are still to be heard")
	r.now = r.wake()
	require.False(t, r.isOutdated(r.now, 9), "there is no later one")
	require.True(t, r.isOutdated(r.now, 12))
	require.Equal(t, asks(12, 2, 3), r.begin(r.now, rowsAfter(12)))
	require.Equal(t, r.now.Add(20*time.Millisecond), r.wake(), "they are given longer")
	require.False(t, r.isOutdated(r.wake(), 15))
	r.says(2, 9, 9)
	r.taken(0)
	r.says(2, 12, 12)
	r.taken(12)
	r.begin(r.now, rowsAfter(20))
	require.Equal(t, r.now.Add(10*time.Millisecond), r.wake())
}

func TestRowsThatWereOvertakenAreGivenUp(t *testing.T) {
	r := newConfirmRig(t, 3)
	r.onInstalled(7)
	r.begin(r.now, rowsAfter(9))
	r.onInstalled(8)
	require.False(t, r.isIdle())
	r.onInstalled(9)
	require.True(t, r.isIdle())
	r.says(2, 9, 9)
	r.taken(0)
}
