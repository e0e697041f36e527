package master_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/command"
)

// Without a lease each KeepAlive needs a proof of leadership from the log. Even if the log takes one
// command at a time and a KeepAlive is always due, calls have their turn: a Confirm does not follow a
// Confirm while a call waits.
func TestConfirmsLeaveCallsTheirTurn(t *testing.T) {
	r := newLeasedNodes(t, withLeases())
	s := r.session(1)
	ready := []api.SessionID{s, r.session(2), r.session(3)} // to send a KeepAlive
	r.taken, r.replies, r.lease = nil, nil, time.Time{}

	var id uint64
	keepAlive := func() {
		if len(ready) > 0 {
			id++
			r.m.Request(r.at(), 9, "ann", api.Request{ID: id, Session: ready[0], Epoch: 1, Op: api.KeepAlive{AckedEpoch: 1, Now: true}})
			ready = ready[1:]
		}
	}
	keepAlive()
	r.m.Request(r.at(), 9, "ann", api.Request{ID: 1000, Session: s, Epoch: 1, Seq: 1, Op: api.Put{Key: "k", Value: "v"}})
	var order []string
	answered, kept := false, 0
	for range 12 {
		out := r.m.TakeOutput(r.now, 1)
		for _, p := range out.Replies {
			if p.Seq == 1 {
				answered = answered || p.Code == api.OK
			} else {
				kept++
				ready = append(ready, p.Session)
			}
		}
		require.LessOrEqual(t, len(out.Propose), 1, "the log has room for one")
		for _, p := range out.Propose {
			c, err := command.Decode(string(p.Command))
			require.NoError(t, err)
			if _, confirms := c.(command.ConfirmLeadership); confirms {
				order = append(order, "confirm")
			} else {
				order = append(order, "call")
			}
			tx := r.db.Begin()
			a := command.Apply(tx, string(p.Command))
			tx.Commit()
			r.now = r.now.Add(time.Millisecond)
			keepAlive() // while the log decides
			r.m.Applied(r.at(), a)
		}
	}
	require.True(t, answered, "%v", order)
	require.Contains(t, order[:3], "call")
	require.Greater(t, kept, 6, "KeepAlives go on being answered: %v", order)
	require.Equal(t, master.Serving, r.m.Status().State)
}
