package session_test

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// modelChecker records what a run has sent and reported, for the checks.
type modelChecker struct {
	lastID           uint64
	names            map[api.Seq]string // what was sent as what
	burst            map[sending]int    // since the clock last moved
	gone             bool               // a call has ended Expired
	ending           bool               // an EndSession was sent
	closed           bool               // Close was called
	last             session.EventKind
	epoch, presented api.Epoch // of the last fail-over reported, and of the last one after which all was presented
	end              time.Time // of the grace period, in jeopardy
	reached          map[string]int
}

type sending struct {
	seq   api.Seq
	epoch api.Epoch
}

func newModelChecker() modelChecker {
	return modelChecker{names: map[api.Seq]string{}, burst: map[sending]int{}}
}

// look takes the machine's output and checks it.
func (w *model) look() {
	out := w.m.TakeOutput()
	w.wake = out.Wake
	for _, e := range out.Events {
		w.event(e)
	}
	for _, d := range out.Done { // before the sendings: AckedThrough may cover ended calls
		w.end(d)
		if len(out.Events) > 0 && d.Outcome == session.Executed {
			w.watch.reached["withheld"]++
		}
	}
	launched := map[api.Seq]bool{}
	for _, l := range out.Launched {
		w.launched(l)
		launched[l.Seq] = true
	}
	for _, e := range out.Send {
		w.check(e, launched)
		w.requests = append(w.requests, e)
	}
	w.status()
	w.checkHeld()
}

func (w *model) event(e session.Event) {
	v := &w.watch
	v.reached["event "+e.Kind.String()]++
	require.True(w.t, w.leases || e.Kind == session.EventExpired)
	require.NotEqual(w.t, session.EventExpired, v.last, "the last event")
	switch e.Kind {
	case session.EventJeopardy:
		require.NotEqual(w.t, session.EventJeopardy, v.last)
	case session.EventSafe:
		require.Equal(w.t, session.EventJeopardy, v.last)
	case session.EventFailover:
		require.Greater(w.t, e.Epoch, v.epoch, "told before")
		v.epoch = e.Epoch
		return
	case session.EventPresented:
		require.Greater(w.t, v.epoch, v.presented, "once for each fail-over that was told")
		v.presented = v.epoch
		return
	}
	v.last = e.Kind
}

func (w *model) launched(l session.Launch) {
	c := w.calls[l.Token]
	require.Equal(w.t, w.m.Status().Session, l.Session)
	if c.seq != 0 {
		require.IsType(w.t, api.Acquire{}, c.op, "launched before")
		w.watch.reached["relaunched"]++
	}
	require.Greater(w.t, l.Seq, c.seq)
	c.seq = l.Seq
}

// check looks at one sending.
func (w *model) check(e session.Envelope, launched map[api.Seq]bool) {
	v := &w.watch
	q := e.Request
	require.Equal(w.t, api.OK, q.Check())
	require.Greater(w.t, q.ID, v.lastID, "an id is used once")
	v.lastID = q.ID
	require.False(w.t, v.gone, "sent after the session expired")
	w.checkPace(q)
	switch o := q.Op.(type) {
	case api.OpenSession:
		return
	case api.KeepAlive:
		require.LessOrEqual(w.t, o.AckedEpoch, w.cell.epoch)
		if len(o.Tokens) > 0 {
			v.reached["presented"]++
		} else if o.AckedEpoch > 1 {
			v.reached["flushed"]++
		}
		return
	case api.EndSession:
		v.ending = true
	case api.CancelAcquire:
		v.reached["cancel"]++
	case api.CloseHandle:
		if _, again := v.names[q.Seq]; !again && !launched[q.Seq] {
			v.reached["closed in the background"]++
		}
	}
	s := w.m.Status()
	require.True(w.t, v.ending || s.Lease == session.NoLease || s.Lease == session.Valid, "%T sent, %v", q.Op, s.Lease)
	name := fmt.Sprintf("%T %+v", q.Op, q.Op)
	if before, again := v.names[q.Seq]; again {
		require.Equal(w.t, before, name, "a call keeps its name")
	}
	v.names[q.Seq] = name
	_, ends := q.Op.(api.EndSession)
	require.True(w.t, ends || !v.ending, "a call after the session was ended")
	for seq := api.Seq(1); seq <= q.AckedThrough; seq++ {
		require.False(w.t, w.isAwaited(seq), "Seen is %d, and %d is waited for", q.AckedThrough, seq)
	}
}

// checkPace checks that nothing is sent repeatedly at one instant.
func (w *model) checkPace(q api.Request) {
	s, limit := sending{q.Seq, q.Epoch}, 3
	if q.Seq == 0 {
		limit = 8 // each part of a presentation is one
	}
	w.watch.burst[s]++
	require.LessOrEqual(w.t, w.watch.burst[s], limit, "%d spins: %+v", q.Seq, q.Op)
}

// end looks at the end of one call.
func (w *model) end(d session.Done) {
	v := &w.watch
	c, known := w.calls[d.Token]
	_, twice := w.ended[d.Token]
	require.True(w.t, known && !twice, "token %d", d.Token)
	w.ended[d.Token] = d
	if c.op == nil { // a closer
		return
	}
	switch d.Outcome {
	case session.Executed:
		require.False(w.t, v.gone, "a success after a failure: not a suffix")
		if c.value() != "" {
			require.Equal(w.t, w.cell.executed[c.value()], d.Result)
		}
	case session.Refused:
		require.True(w.t, c.seq == 0 || isHuge(c.value()), "%+v", d)
	case session.Unknown:
		require.True(w.t, c.seq != 0 || d.Why == session.Cancelled, "%+v", d)
	default:
		w.t.Fatalf("no outcome: %+v", d)
	}
	s := w.m.Status()
	if s.State == session.Open && (s.Lease == session.Fresh || s.Lease == session.Jeopardy) {
		local := d.Why == session.QueueFull || d.Why == session.Checked
		require.True(w.t, c.gaveUp || local, "told in jeopardy: %+v", d)
	}
	w.user.learn(c, d)
	v.gone = v.gone || d.Why == session.Expired
}

// status checks the machine's Status.
func (w *model) status() {
	v := &w.watch
	s := w.m.Status()
	require.LessOrEqual(w.t, s.Flight, 2*modelWindow)
	require.LessOrEqual(w.t, s.Queued, modelQueue+len(w.calls))
	switch {
	case s.State == session.Over:
		require.Zero(w.t, s.Flight+s.Queued)
		require.True(w.t, w.wake.IsZero())
		for token := range w.calls {
			require.Contains(w.t, w.ended, token, "over, and token %d is not", token)
		}
		if _, lives := w.cell.sessions[s.Session]; lives && s.Why == session.Expired {
			require.False(w.t, w.now.Before(v.end), "given up before its time")
		}
	case s.Lease == session.Jeopardy || s.Lease == session.Fresh:
		if v.end.IsZero() {
			v.end = s.Bound.Add(modelGrace)
			if s.Lease == session.Fresh {
				v.end = w.now.Add(modelGrace)
			}
		}
		require.True(w.t, w.now.Before(v.end), "the grace period is over")
	default:
		v.end = time.Time{}
	}
	if s.State != session.Over {
		require.False(w.t, s.Lease == session.Valid && w.wake.After(s.Bound), "it sleeps beyond its lease")
	}
}
