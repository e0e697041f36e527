package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// rig drives one machine by hand: it is the clock, the network and the cell.
type rig struct {
	t    testing.TB
	m    *session.Machine
	now  time.Time
	sent []session.Envelope
	done map[session.Token]session.Done
	wake time.Time
}

// zeroes draws the longest pauses and keeps replicas nearly in order.
func zeroes() uint64 { return 0 }

func newRig(t testing.TB, change func(*session.Config)) *rig {
	cfg := session.Config{
		Replicas: []uint32{1, 2, 3}, Draw: zeroes,
		AnswerWait: 100 * time.Millisecond, RetryMin: 10 * time.Millisecond, RetryMax: time.Second,
	}
	if change != nil {
		change(&cfg)
	}
	m, err := session.New(cfg)
	require.NoError(t, err)
	return &rig{t: t, m: m, now: time.Unix(1000, 0), done: map[session.Token]session.Done{}}
}

// take collects the machine's output.
func (r *rig) take() []session.Envelope {
	out := r.m.TakeOutput()
	for _, d := range out.Done {
		_, twice := r.done[d.Token]
		require.False(r.t, twice, "token %d ended twice", d.Token)
		r.done[d.Token] = d
	}
	r.sent = append(r.sent, out.Send...)
	r.wake = out.Wake
	return out.Send
}

// one expects exactly one request to have left.
func (r *rig) one() session.Envelope {
	r.t.Helper()
	got := r.take()
	require.Len(r.t, got, 1)
	return got[0]
}

// open brings the machine to Open, with session 7 at whatever replica it tried, in a
// cell that gives no leases.
func (r *rig) open() {
	r.m.Open(r.now)
	r.opened(r.one())
	require.Equal(r.t, session.Open, r.m.Status().State)
	r.take()
}

// opened answers the opener, and says that there are no leases.
func (r *rig) opened(e session.Envelope) {
	r.reply(e, api.Result{Code: api.OK, Session: 7})
	keep := r.take()
	r.reply(keep[len(keep)-1], api.Result{Code: api.Invalid})
}

func (r *rig) start(op api.Op) session.Token { return r.m.Start(r.now, op) }

func (r *rig) reply(e session.Envelope, res api.Result) {
	r.m.Receive(r.now, e.To, e.Request.Answer(1, res))
}

func (r *rig) notMaster(e session.Envelope, hint uint32) {
	p := e.Request.Answer(1, api.Result{Code: api.NotMaster})
	p.Master = hint
	r.m.Receive(r.now, e.To, p)
}

func (r *rig) pass(d time.Duration) {
	r.now = r.now.Add(d)
	r.m.Advance(r.now)
}

// sleep passes the time to the machine's own wake.
func (r *rig) sleep() {
	r.t.Helper()
	require.True(r.t, r.wake.After(r.now), "wake %v, now %v", r.wake, r.now)
	r.now = r.wake
	r.m.Advance(r.now)
}

func (r *rig) ended(t session.Token, o session.Outcome, w session.Why, res api.Result) {
	r.t.Helper()
	r.take()
	require.Equal(r.t, session.Done{Token: t, Outcome: o, Why: w, Result: res}, r.done[t])
}

func (r *rig) waiting(t session.Token) {
	r.t.Helper()
	r.take()
	require.NotContains(r.t, r.done, t)
}

var (
	put  = api.Put{Key: "k", Value: "v"}
	get  = api.Get{Key: "k"}
	isOK = api.Result{Code: api.OK}
)
