package clients

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// reader is who takes the events of a client that has heard of epoch 5, in whose
// session 7 of epoch 4 it is.
type reader struct {
	t *testing.T
	n news
	a account
	f fault
}

func newReader(t *testing.T) *reader {
	return &reader{t: t, n: newNews(), a: account{life: 1, session: 7, since: 4, epoch: 5}}
}

func (r *reader) keep(f fault) {
	if r.f == (fault{}) {
		r.f = f
	}
}

func (r *reader) takes(kinds ...client.EventKind) {
	for _, k := range kinds {
		r.keep(r.n.event(client.Event{Kind: k, Epoch: 5}, &r.a))
	}
}

func (r *reader) looks(ms int, state session.State, l session.Lease) {
	s := session.Status{State: state, Lease: l}
	if state == session.Over {
		s.Why = session.Expired
	}
	r.keep(r.n.look(time.Duration(ms)*time.Millisecond, s, &r.a))
}

func (r *reader) isAnswered(e api.Epoch, c api.Code) {
	r.keep(r.n.answered(api.Reply{Session: 7, Seq: 1, Epoch: e, Result: api.Result{Code: c}}, &r.a))
}

func TestS11EventsTellWhatIsSo(t *testing.T) {
	const jeopardy, safe, expired, failover = client.EventJeopardy, client.EventSafe, client.EventExpired, client.EventFailover
	for name, c := range map[string]struct {
		do     func(r *reader)
		breaks bool
	}{
		"each in its time":  {func(r *reader) { r.takes(failover, jeopardy, safe, jeopardy, expired) }, false},
		"jeopardy twice":    {func(r *reader) { r.takes(jeopardy, jeopardy) }, true},
		"safe, and it was":  {func(r *reader) { r.takes(safe) }, true},
		"safe twice":        {func(r *reader) { r.takes(jeopardy, safe, safe) }, true},
		"a fail-over twice": {func(r *reader) { r.takes(failover, failover) }, true},
		"expired twice":     {func(r *reader) { r.takes(expired, expired) }, true},
		"after the end":     {func(r *reader) { r.takes(expired, jeopardy) }, true},
		"of the next session": {func(r *reader) {
			r.takes(jeopardy)
			r.a.life = 2 // it has asked for it, in the same instant
			r.takes(expired, failover, jeopardy)
		}, false},
		"an epoch that nobody has named": {func(r *reader) {
			r.keep(r.n.event(client.Event{Kind: failover, Epoch: 6}, &r.a))
		}, true},
		"some were dropped": {func(r *reader) {
			r.keep(r.n.event(client.Event{Kind: failover, Epoch: 5, Missed: 1}, &r.a))
		}, true},

		"jeopardy is told at once": {func(r *reader) {
			r.looks(1, session.Open, session.Jeopardy)
			r.takes(jeopardy)
			r.looks(2, session.Open, session.Jeopardy)
		}, false},
		"jeopardy is told by nobody": {func(r *reader) {
			r.looks(1, session.Open, session.Jeopardy)
			r.looks(1, session.Open, session.Jeopardy)
			r.looks(2, session.Open, session.Jeopardy)
		}, true},
		"its end is told by nobody": {func(r *reader) {
			r.takes(jeopardy)
			r.looks(1, session.Open, session.Valid)
			r.looks(2, session.Open, session.Valid)
		}, true},
		"it ends by itself": {func(r *reader) {
			r.looks(1, session.Open, session.Jeopardy)
			r.looks(1, session.Open, session.Valid)
			r.looks(2, session.Open, session.Valid)
		}, false},
		"the end of the session is told by nobody": {func(r *reader) {
			r.looks(1, session.Open, session.Valid)
			r.looks(2, session.Over, session.Valid)
			r.looks(3, session.Over, session.Valid)
		}, true},
		"the end of one that was given up is told by nobody": {func(r *reader) {
			r.looks(1, session.Open, session.Valid)
			r.n.ending = true
			r.looks(2, session.Over, session.Valid)
			r.looks(3, session.Over, session.Valid)
		}, false},

		"answered by a new master":               {func(r *reader) { r.isAnswered(5, api.OK) }, true},
		"refused by it for good":                 {func(r *reader) { r.isAnswered(5, api.NotFound) }, true},
		"told of it before":                      {func(r *reader) { r.takes(failover); r.isAnswered(5, api.OK) }, false},
		"answered by the master that it had":     {func(r *reader) { r.isAnswered(4, api.OK) }, false},
		"sent away by it":                        {func(r *reader) { r.isAnswered(5, api.Recovering) }, false},
		"told by it that there is no session":    {func(r *reader) { r.isAnswered(5, api.NoSession) }, false},
		"answered by one that gives no leases":   {func(r *reader) { r.a.unleased = true; r.isAnswered(5, api.OK) }, false},
		"it knew of it when it opened a session": {func(r *reader) { r.a.since = 5; r.isAnswered(5, api.OK) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReader(t)
			c.do(r)
			require.Equal(t, c.breaks, r.f != (fault{}), r.f.text)
		})
	}
}
