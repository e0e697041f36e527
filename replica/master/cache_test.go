package master_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/command"
)

// open makes the watcher open /a. With mayCache it may keep the answer in its cache.
func (w *watching) open(mayCache bool) master.Reply {
	w.id++
	w.request(9, api.Request{ID: w.id, Session: w.s, Seq: 2, AckedThrough: 1, MayCache: mayCache, Op: api.Open{Path: "a", Rights: api.RightRead}})
	return w.reply()
}

// set asks for a change of /a, and returns how many commands were proposed.
func (w *watching) set() int {
	before := len(w.taken)
	w.seq++
	w.request(8, api.Request{ID: uint64(w.seq), Session: w.writer, Seq: w.seq, AckedThrough: w.seq - 1, Op: api.SetContents{Handle: w.token, Contents: "x"}})
	return len(w.taken) - before
}

func (w *watching) proposed() command.Command {
	w.t.Helper()
	p := w.taken[len(w.taken)-1]
	tx := w.db.Begin()
	defer tx.Rollback()
	return command.Apply(tx, string(p.Command)).Command
}

// A change goes on when a KeepAlive acknowledges the drop (C10.04 to C10.06). The KeepAlive that waits when
// the drop is queued is answered at once (C11.10).
func TestAChangeWaitsForADrop(t *testing.T) {
	w := newWatching(t)
	p := w.open(true)
	require.Equal(t, api.OK, p.Code)
	require.True(t, p.Cacheable)
	require.Zero(t, p.Drops)
	require.Empty(t, w.keep(0))

	require.Zero(t, w.set(), "it is not proposed")
	require.Equal(t, w.now, w.m.Wake(w.at()))
	w.m.Advance(w.at())
	w.take()
	told := w.others()
	require.Len(t, told, 1)
	l := told[0].Detail.(api.Leased)
	require.Equal(t, []string{"drop 1 of /a"}, texts(l.Events))
	require.EqualValues(t, 1, l.LastEvent)
	require.Equal(t, 12*time.Second, l.Lease)

	before := len(w.taken)
	require.Empty(t, w.keep(1))
	require.Len(t, w.taken, before+1, "the change is proposed")
	w.last()
	require.Equal(t, 1, w.set(), "nothing is kept any more: the next one does not wait")
}

func texts(all []api.Event) (out []string) {
	for _, e := range all {
		out = append(out, e.String())
	}
	return out
}

// A client that asks for no caching delays no change and takes no memory. A client whose lease is over may
// keep nothing.
func TestNoChangeWaitsForAClientWithoutACache(t *testing.T) {
	w := newWatching(t)
	require.False(t, w.open(false).Cacheable)
	require.Equal(t, 1, w.set())
	w.last()

	late := newWatching(t)
	late.now = late.now.Add(12 * time.Second)
	late.lease = late.now.Add(time.Hour)
	require.False(t, late.open(true).Cacheable)
}

// A client that sends KeepAlives and acknowledges no drop holds up a change for one lease, from when it was
// told; then its session ends, and the change goes on (C10.06, C11.11).
func TestAClientThatDropsNothingIsWaitedForOneLease(t *testing.T) {
	w := newWatching(t)
	w.open(true)
	w.isEndedForOneDrop()
}

// Nor does it hold up a change for longer if the drop stands behind so many other events that no answer has
// room for it.
func TestAClientThatTakesNoEventsIsWaitedForOneLease(t *testing.T) {
	cfg := withLeases()
	cfg.NodeOps.Events.PerAnswer = 1
	w := newWatchingOf(t, cfg)
	w.write()
	kinds, _ := events(t, w.keep(0))
	require.Equal(t, []api.EventKind{api.EventContents}, kinds)
	w.open(true)
	w.isEndedForOneDrop()
}

// isEndedForOneDrop makes the writer ask for a change for which the watcher has to drop something, and lets
// the watcher acknowledge nothing.
func (w *watching) isEndedForOneDrop() {
	t := w.t
	begun := w.now
	require.Zero(t, w.set())
	for i := range 11 {
		w.now = begun.Add(time.Duration(i+1) * time.Second)
		told := w.keep(0)
		require.Len(t, told, 1)
		require.Equal(t, begun.Add(12*time.Second), w.now.Add(told[0].Detail.(api.Leased).Lease), "its lease moves no further")
		w.request(7, api.Request{ID: w.id, Session: w.writer, Op: api.KeepAlive{AckedEpoch: 1, Now: true}})
		w.others()
	}
	w.now = begun.Add(12 * time.Second)
	before := len(w.taken)
	require.Empty(t, w.keep(0))
	require.Len(t, w.taken, before+1)
	require.Equal(t, command.Expire{Guard: 1, Session: w.s}, w.proposed())
	w.last()
	require.Len(t, w.taken, before+2)
	c, ok := w.proposed().(command.NodeCommand)
	require.True(t, ok)
	require.Equal(t, w.writer, c.Session)
}
