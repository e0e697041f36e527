package clients

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// reader reads the events of a client with session 7 of epoch 4, which knows of epoch 5.
type reader struct {
	t *testing.T
	n eventModel
	a sessionModel
	f breach
}

func newReader(t *testing.T) *reader {
	return &reader{t: t, n: newEventModel(), a: sessionModel{sessions: 1, session: 7, openEpoch: 4, epoch: 5}}
}

func (r *reader) keep(f breach) {
	if r.f == (breach{}) {
		r.f = f
	}
}

func (r *reader) take(kinds ...client.EventKind) {
	for _, k := range kinds {
		r.keep(r.n.onEvent(client.Event{Kind: k, Epoch: 5}, &r.a))
	}
}

func (r *reader) look(ms int, state session.State, l session.Lease) {
	s := session.Status{State: state, Lease: l}
	if state == session.Over {
		s.Why = session.Expired
	}
	r.keep(r.n.onStatus(time.Duration(ms)*time.Millisecond, s, &r.a))
}

func (r *reader) receive(e api.Epoch, c api.Code) {
	r.keep(r.n.onReply(api.Reply{Session: 7, Seq: 1, Epoch: e, Result: api.Result{Code: c}}, &r.a))
}

func TestS11EventsReportTheSession(t *testing.T) {
	const jeopardy, safe, expired, failover = client.EventJeopardy, client.EventSafe, client.EventExpired, client.EventFailover
	for name, c := range map[string]struct {
		do     func(r *reader)
		breaks bool
	}{
		"each in its time":  {func(r *reader) { r.take(failover, jeopardy, safe, jeopardy, expired) }, false},
		"jeopardy twice":    {func(r *reader) { r.take(jeopardy, jeopardy) }, true},
		"safe, and it was":  {func(r *reader) { r.take(safe) }, true},
		"safe twice":        {func(r *reader) { r.take(jeopardy, safe, safe) }, true},
		"a fail-over twice": {func(r *reader) { r.take(failover, failover) }, true},
		"expired twice":     {func(r *reader) { r.take(expired, expired) }, true},
		"after the end":     {func(r *reader) { r.take(expired, jeopardy) }, true},
		"of the next session": {func(r *reader) {
			r.take(jeopardy)
			r.a.sessions = 2 // it has requested the session at the same instant
			r.take(expired, failover, jeopardy)
		}, false},
		"an epoch that no reply named": {func(r *reader) {
			r.keep(r.n.onEvent(client.Event{Kind: failover, Epoch: 6}, &r.a))
		}, true},
		"some were dropped": {func(r *reader) {
			r.keep(r.n.onEvent(client.Event{Kind: failover, Epoch: 5, Missed: 1}, &r.a))
		}, true},

		"jeopardy is reported at once": {func(r *reader) {
			r.look(1, session.Open, session.Jeopardy)
			r.take(jeopardy)
			r.look(2, session.Open, session.Jeopardy)
		}, false},
		"jeopardy is not reported": {func(r *reader) {
			r.look(1, session.Open, session.Jeopardy)
			r.look(1, session.Open, session.Jeopardy)
			r.look(2, session.Open, session.Jeopardy)
		}, true},
		"the end of jeopardy is not reported": {func(r *reader) {
			r.take(jeopardy)
			r.look(1, session.Open, session.Valid)
			r.look(2, session.Open, session.Valid)
		}, true},
		"it ends by itself": {func(r *reader) {
			r.look(1, session.Open, session.Jeopardy)
			r.look(1, session.Open, session.Valid)
			r.look(2, session.Open, session.Valid)
		}, false},
		"the end of the session is not reported": {func(r *reader) {
			r.look(1, session.Open, session.Valid)
			r.look(2, session.Over, session.Valid)
			r.look(3, session.Over, session.Valid)
		}, true},
		"the end of a closed session is not reported": {func(r *reader) {
			r.look(1, session.Open, session.Valid)
			r.n.isEnding = true
			r.look(2, session.Over, session.Valid)
			r.look(3, session.Over, session.Valid)
		}, false},

		"answered by a new master":               {func(r *reader) { r.receive(5, api.OK) }, true},
		"refused by it for good":                 {func(r *reader) { r.receive(5, api.NotFound) }, true},
		"told of it before":                      {func(r *reader) { r.take(failover); r.receive(5, api.OK) }, false},
		"answered by the master that it had":     {func(r *reader) { r.receive(4, api.OK) }, false},
		"sent away by it":                        {func(r *reader) { r.receive(5, api.Recovering) }, false},
		"told by it that there is no session":    {func(r *reader) { r.receive(5, api.NoSession) }, false},
		"answered by one that gives no leases":   {func(r *reader) { r.a.hasNoLeases = true; r.receive(5, api.OK) }, false},
		"it knew of it when it opened a session": {func(r *reader) { r.a.openEpoch = 5; r.receive(5, api.OK) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReader(t)
			c.do(r)
			require.Equal(t, c.breaks, r.f != (breach{}), r.f.text)
		})
	}
}
