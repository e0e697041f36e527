package master_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// A request that was answered NotMaster while there was no master is answered once more when an epoch
// begins: by the new master, and by a follower that knows it.
func TestSeekersAreToldOfTheNextMaster(t *testing.T) {
	for _, mine := range []bool{true, false} {
		r := newRig(t)
		r.apply(command.Epoch{Master: 3})
		s := r.session(1)
		r.m.Tenure(master.Tenure{})
		for i := range 3 { // a client asks again and again; the newest request is answered
			r.request(9, put(uint64(i+1), s, 1))
			p := r.reply()
			require.Equal(t, api.NotMaster, p.Result.Code)
			require.Zero(t, p.Master)
		}
		if mine {
			r.elect(5)
			require.Empty(t, r.replies, "it names itself to no client before its epoch is applied")
			r.last()
		} else {
			b := rows.Ballot{Round: 5, Node: 2}
			r.m.Tenure(master.Tenure{Leader: 2, Ballot: b})
			r.apply(command.Epoch{Master: 2, Ballot: b})
		}
		p := r.reply()
		require.EqualValues(t, 3, p.ID)
		require.EqualValues(t, 9, p.To)
		require.EqualValues(t, 2, p.Epoch)
		if mine {
			require.Equal(t, api.OldEpoch, p.Result.Code)
			require.EqualValues(t, 1, p.Master)
		} else {
			require.Equal(t, api.NotMaster, p.Result.Code)
			require.EqualValues(t, 2, p.Master)
		}
		require.Empty(t, r.replies, "one answer for each client")
		r.apply(command.Epoch{Master: 2, Ballot: rows.Ballot{Round: 9, Node: 2}})
		for _, p := range r.replies {
			require.NotEqualValues(t, 3, p.ID, "it was told")
		}
	}
}

// Requests from long ago are not answered again, and no more are answered at once than the transport has
// room for.
func TestSeekersAreFewAndRecent(t *testing.T) {
	r := newRig(t)
	r.apply(command.Epoch{Master: 3})
	s := r.session(1)
	r.m.Tenure(master.Tenure{})
	r.request(7, put(1, s, 1))
	r.now = r.now.Add(10 * time.Second)
	const many = 5000
	for i := range many {
		r.request(master.Addr(100+i), put(uint64(i+2), s, 1))
	}
	r.replies = nil
	r.m.Tenure(master.Tenure{Leader: 2, Ballot: rows.Ballot{Round: 5, Node: 2}})
	r.apply(command.Epoch{Master: 2, Ballot: rows.Ballot{Round: 5, Node: 2}})
	require.Len(t, r.replies, 4096)
	for i, p := range r.replies {
		require.EqualValues(t, 100+i, p.To, "in the order in which they asked, and not the one of long ago")
	}
}
