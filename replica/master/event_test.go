package master_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
)

// watching is a rig that serves a cell with leases, with a session of ann's that watches the contents of
// /a. Requests of the writer, another session of ann's, come from address 8.
type watching struct {
	*rig
	s, writer api.SessionID
	token     api.Token
	seq       api.Seq
	id        uint64
}

func newWatching(t *testing.T) *watching { return newWatchingOf(t, withLeases()) }

func newWatchingOf(t *testing.T, cfg master.Config) *watching {
	r := newLeasedNodes(t, cfg)
	w := &watching{rig: r, s: r.session(1), writer: r.session(2), id: 100}
	r.lease = r.now.Add(time.Hour)
	w.token = r.file(w.writer, 1, "a")
	r.request(9, api.Request{ID: 1, Session: w.s, Seq: 1, Op: api.Open{Path: "a", Rights: api.RightRead, Events: api.WantContents}})
	require.Equal(t, api.OK, r.reply().Code)
	w.seq = 1
	return w
}

// write changes /a, and returns the answers that were sent, except that to the writer.
func (w *watching) write() []master.Reply {
	w.seq++
	w.request(8, api.Request{ID: uint64(w.seq), Session: w.writer, Seq: w.seq, AckedThrough: w.seq - 1, Op: api.SetContents{Handle: w.token, Contents: "x"}})
	w.last()
	return w.others()
}

func (w *watching) others() (all []master.Reply) {
	for _, p := range w.replies {
		if p.To != 8 {
			all = append(all, p)
		}
	}
	w.replies = nil
	return all
}

// keep sends a KeepAlive of the watcher, and returns the answers that it gets at once.
func (w *watching) keep(acked api.EventNumber) []master.Reply {
	w.id++
	w.request(9, api.Request{ID: w.id, Session: w.s, Op: api.KeepAlive{AckedEpoch: 1, AckedEvents: acked}})
	return w.others()
}

func events(t *testing.T, all []master.Reply) (kinds []api.EventKind, last api.EventNumber) {
	t.Helper()
	require.Len(t, all, 1)
	l, ok := all[0].Detail.(api.Leased)
	require.True(t, ok, "%+v", all[0])
	require.Equal(t, 12*time.Second, l.Lease, "what is told at once extends the lease like any answer")
	for _, e := range l.Events {
		kinds = append(kinds, e.Kind)
	}
	return kinds, l.LastEvent
}

// A KeepAlive that waits is answered as soon as there is an event, and the next one too, until
// the event is acknowledged (C11.10).
func TestAnEventEndsTheWaitOfAKeepAlive(t *testing.T) {
	w := newWatching(t)
	require.Empty(t, w.keep(0), "nothing to tell: it waits")
	kinds, last := events(t, w.write())
	require.Equal(t, []api.EventKind{api.EventContents}, kinds)
	require.EqualValues(t, 1, last)

	kinds, last = events(t, w.keep(0))
	require.Equal(t, []api.EventKind{api.EventContents}, kinds, "the answer was lost, perhaps")
	require.EqualValues(t, 1, last)

	require.Empty(t, w.keep(1), "acknowledged: this one waits")
	require.Empty(t, w.keep(0), "a late duplicate with an older acknowledgement acknowledges nothing less")
	kinds, last = events(t, w.write())
	require.Equal(t, []api.EventKind{api.EventContents}, kinds)
	require.EqualValues(t, 2, last)
}

// Events that come while no KeepAlive waits are in the answer to the next one.
func TestEventsWaitForAKeepAlive(t *testing.T) {
	w := newWatching(t)
	require.Empty(t, w.write())
	require.Empty(t, w.write())
	kinds, last := events(t, w.keep(0))
	require.Equal(t, []api.EventKind{api.EventContents}, kinds, "two changes in a row are one event")
	require.EqualValues(t, 1, last)
}

// Without a proof of leadership no event leaves: the replica may have been deposed, and the answer
// would be a promise (C11.04).
func TestWithoutAuthorityNoEventIsTold(t *testing.T) {
	w := newWatching(t)
	require.Empty(t, w.keep(0))
	w.lease = time.Time{}
	require.Empty(t, w.write())
	confirm := w.taken[len(w.taken)-1]
	w.raw(confirm.Command)
	require.Len(t, w.others(), 1)
}

// A new master waits for the acknowledgement of the epoch first. Then handles that were presented get
// events, and event numbers begin again.
func TestANewMasterTellsEventsToWhatWasPresented(t *testing.T) {
	w := newWatching(t)
	require.Empty(t, w.write())
	kinds, _ := events(t, w.keep(0))
	require.Len(t, kinds, 1)
	var token api.Token
	w.request(9, api.Request{ID: 2, Session: w.s, Seq: 1, Op: api.Open{Path: "a", Rights: api.RightRead, Events: api.WantContents}})
	token = w.reply().Detail.(api.Opened).Token

	w.elect(6)
	w.last()
	keep := func(s api.SessionID, op api.KeepAlive) []master.Reply {
		w.id++
		w.request(9, api.Request{ID: w.id, Session: s, Op: op})
		return w.others()
	}
	told := keep(w.s, api.KeepAlive{AckedEpoch: 1, AckedEvents: 1})
	require.Equal(t, api.Leased{Lease: 12 * time.Second, Failover: true}, told[0].Detail, "no event goes with that")
	require.Len(t, keep(w.s, api.KeepAlive{AckedEpoch: 1, Tokens: []api.Token{token}}), 1)
	require.Empty(t, keep(w.s, api.KeepAlive{AckedEpoch: 2}))
	require.Empty(t, keep(w.writer, api.KeepAlive{AckedEpoch: 2, Now: false}))
	require.Equal(t, master.Serving, w.m.Status().State)
	kinds, last := events(t, w.write())
	require.Equal(t, []api.EventKind{api.EventContents}, kinds)
	require.EqualValues(t, 1, last)
}
