package clients

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// dialogue is a client with session 7 since second 0, 10 % of clock error and 20 s of grace.
// Its requests are numbered from 1; instants are seconds by its clock.
type dialogue struct {
	l   Life
	id  uint64
	seq api.Seq
}

func newDialogue() *dialogue {
	t := &dialogue{l: Life{model: sessionModel{rho: 100_000, grace: 20 * time.Second}}}
	t.send(0, 0, api.OpenSession{Nonce: api.Nonce{1, 1}})
	t.receive(0, t.id, 0, api.Result{Code: api.OK, Session: 7})
	return t
}

func second(s float64) time.Time {
	return time.Unix(100, 0).Add(time.Duration(s * float64(time.Second)))
}

func (t *dialogue) send(at float64, s api.SessionID, op api.Op) breach {
	t.id++
	q := api.Request{ID: t.id, Session: s, Epoch: 1, Op: op}
	return t.l.model.onSend(second(at), q)
}

func (t *dialogue) receive(at float64, id uint64, s api.SessionID, r api.Result) {
	t.l.model.onReply(second(at), api.Reply{ID: id, Session: s, Epoch: 1, Result: r})
}

// renew sends a KeepAlive; the reply comes a second later with 11 s, which count for 9 s from
// the request.
func (t *dialogue) renew(at float64) {
	t.send(at, 7, api.KeepAlive{})
	t.receive(at+1, t.id, 7, leased(11*time.Second))
}

// call sends a call; reply and answer are replies to the latest one.
func (t *dialogue) call(op api.Op, seen api.Seq) {
	t.renew(0)
	t.id++
	t.seq++
	t.l.model.onSend(second(1), api.Request{ID: t.id, Session: 7, Seq: t.seq, AckedThrough: seen, Epoch: 1, Op: op})
}

func (t *dialogue) reply(c api.Code) { t.answer(api.Result{Code: c}) }

func (t *dialogue) answer(r api.Result) {
	t.l.model.onReply(second(2), api.Reply{ID: t.id, Session: 7, Seq: t.seq, Epoch: 1, Result: r})
}

func (t *dialogue) openHandle() {
	t.call(api.Open{}, 0)
	t.answer(api.Result{Code: api.OK, Detail: api.Opened{Token: "h"}})
}

func (t *dialogue) loseSession() { t.receive(3, t.id, 7, api.Result{Code: api.NoSession}) }

func leased(d time.Duration) api.Result {
	return api.Result{Code: api.OK, Detail: api.Leased{Lease: d}}
}

func TestS11WhatAClientSends(t *testing.T) {
	get, put, keep := api.Get{Key: "k"}, api.Put{Key: "k"}, api.KeepAlive{}
	for name, c := range map[string]struct {
		before func(c *dialogue)
		at     float64
		op     api.Op
		of     api.SessionID
		breaks string
	}{
		"a call before there is a lease":       {func(c *dialogue) {}, 1, get, 7, "S11"},
		"a call within the lease":              {func(c *dialogue) { c.renew(1) }, 9.9, get, 7, ""},
		"a call at its end":                    {func(c *dialogue) { c.renew(1) }, 10, get, 7, "S11"},
		"a call, and an older answer":          {func(c *dialogue) { c.renew(1); c.receive(3, 2, 7, leased(time.Second)) }, 9.9, get, 7, ""},
		"a call, and a copy of the answer":     {func(c *dialogue) { c.renew(1); c.receive(9, 2, 7, leased(11*time.Second)) }, 10, get, 7, "S11"},
		"a call, and another client's answer":  {func(c *dialogue) { c.renew(1); c.receive(9, 99, 7, leased(time.Hour)) }, 10, get, 7, "S11"},
		"a call, and another session's answer": {func(c *dialogue) { c.renew(1); c.receive(9, 2, 8, leased(time.Hour)) }, 10, get, 7, "S11"},
		"a call after jeopardy":                {func(c *dialogue) { c.renew(1); c.renew(15) }, 17, get, 7, ""},
		"a KeepAlive in jeopardy":              {func(c *dialogue) { c.renew(1) }, 12, keep, 7, ""},
		"the end of the session in jeopardy":   {func(c *dialogue) { c.renew(1) }, 12, api.EndSession{}, 7, ""},
		"a KeepAlive within grace":             {func(c *dialogue) { c.renew(1) }, 29.9, keep, 7, ""},
		"a KeepAlive after grace":              {func(c *dialogue) { c.renew(1) }, 30, keep, 7, "L1"},
		"a KeepAlive after grace, by an answer that came too late": {func(c *dialogue) {
			c.renew(1)
			c.send(11, 7, keep)
			c.receive(25, c.id, 7, leased(11*time.Second))
		}, 30, keep, 7, "L1"},
		"a KeepAlive after grace, without any answer": {func(c *dialogue) {}, 20, keep, 7, "L1"},
		"a call without leases":                       {func(c *dialogue) { c.send(1, 7, keep); c.receive(2, c.id, 7, api.Result{Code: api.Invalid}) }, 99, get, 7, ""},
		"a call after the end":                        {func(c *dialogue) { c.renew(1); c.receive(3, c.id, 7, api.Result{Code: api.NoSession}) }, 4, get, 7, "S11"},
		"an opener after the end":                     {func(c *dialogue) { c.receive(3, c.id, 7, api.Result{Code: api.NoSession}) }, 4, api.OpenSession{Nonce: api.Nonce{1, 1}}, 0, "S11"},
		"another opener":                              {func(c *dialogue) { c.renew(1) }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, "S11"},
		"another opener after the end":                {func(c *dialogue) { c.loseSession() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, ""},
		"another opener after grace":                  {func(c *dialogue) {}, 20, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, ""},
		"another opener, and an answered write":       {func(c *dialogue) { c.call(put, 0); c.reply(api.OK); c.loseSession() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, ""},
		"another opener, and a lost write":            {func(c *dialogue) { c.call(put, 0); c.loseSession() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, "S11"},
		"another opener, and a refused copy":          {func(c *dialogue) { c.call(put, 0); c.reply(api.Busy); c.loseSession() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, "S11"},
		"another opener, and a fenced write":          {func(c *dialogue) { c.call(put, 0); c.call(get, 1); c.reply(api.OK); c.loseSession() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, ""},
		"another opener, and a write behind":          {func(c *dialogue) { c.call(put, 0); c.call(get, 0); c.reply(api.OK); c.loseSession() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, "S11"},
		"another opener, and a lost read":             {func(c *dialogue) { c.call(get, 0); c.loseSession() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, ""},
		"another opener, and an open handle": {func(c *dialogue) {
			c.openHandle()
			c.call(api.GetStat{Handle: "h"}, 1)
			c.reply(api.OK)
			c.loseSession()
		}, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, "S11"},
		"another opener, and the handle of an Open that was given up": {func(c *dialogue) { c.openHandle(); c.loseSession() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, ""},
		"another opener, and an open handle that is tied to a lock": {func(c *dialogue) {
			c.openHandle()
			c.call(api.SetSequencer{Handle: "h"}, 1)
			c.answer(api.Result{Code: api.OK, Detail: api.Opened{Token: "tied"}})
			c.loseSession()
		}, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, "S11"},
		"another opener, and a closed handle": {func(c *dialogue) { c.openHandle(); c.call(api.CloseHandle{Handle: "h"}, 1); c.loseSession() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, ""},
		"a call of another session":           {func(c *dialogue) { c.renew(1) }, 4, get, 8, "S11"},
	} {
		k := newDialogue()
		c.before(k)
		require.Equal(t, c.breaks, k.send(c.at, c.of, c.op).id, name)
	}
}

func TestS11WhatAClientReports(t *testing.T) {
	for name, c := range map[string]struct {
		before func(c *dialogue)
		at     float64
		status session.Status
		breaks string
	}{
		"its bound":                 {func(c *dialogue) { c.renew(1) }, 3, session.Status{State: session.Open, Lease: session.Valid, Bound: second(10)}, ""},
		"less":                      {func(c *dialogue) { c.renew(1) }, 3, session.Status{State: session.Open, Lease: session.Valid, Bound: second(8)}, ""},
		"more":                      {func(c *dialogue) { c.renew(1) }, 3, session.Status{State: session.Open, Lease: session.Valid, Bound: second(10.001)}, "S11"},
		"from the arrival":          {func(c *dialogue) { c.renew(1) }, 3, session.Status{State: session.Open, Lease: session.Valid, Bound: second(11)}, "S11"},
		"expired before the bound":  {func(c *dialogue) { c.renew(1) }, 3, gaveUp(10), "S11"},
		"expired at the bound":      {func(c *dialogue) { c.renew(1) }, 10, gaveUp(10), "S11"},
		"expired within grace":      {func(c *dialogue) { c.renew(1) }, 29.9, gaveUp(10), "S11"},
		"expired after grace":       {func(c *dialogue) { c.renew(1) }, 30, gaveUp(10), ""},
		"expired as it was told":    {func(c *dialogue) { c.receive(1, c.id, 7, api.Result{Code: api.NoSession}) }, 3, gaveUp(0), ""},
		"expired and never had one": {func(c *dialogue) {}, 19, gaveUp(0), "S11"},
		"expired and had grace":     {func(c *dialogue) {}, 20, gaveUp(0), ""},
		"closed":                    {func(c *dialogue) {}, 3, session.Status{State: session.Over, Why: session.Closed}, ""},
	} {
		k := newDialogue()
		c.before(k)
		if b := k.l.model.bound; !b.IsZero() {
			k.l.checkStatus(second(2.5), session.Status{State: session.Open, Lease: session.Valid, Bound: b})
		}
		require.Equal(t, c.breaks, k.l.checkStatus(second(c.at), c.status).id, name)
	}
}

// gaveUp is the status of an expired session with this bound; 0: it never had one.
func gaveUp(bound float64) session.Status {
	s := session.Status{State: session.Over, Why: session.Expired}
	if bound > 0 {
		s.Bound = second(bound)
	}
	return s
}

// A reply that announces a fail-over repeats the old lease.
func TestAFailoverNoticeIsNoNewLease(t *testing.T) {
	k := newDialogue()
	for at, failover := range []bool{false, true, false} {
		k.send(float64(at), 7, api.KeepAlive{})
		k.receive(float64(at)+0.5, k.id, 7, api.Result{Code: api.OK, Detail: api.Leased{Lease: time.Minute, Failover: failover}})
		require.Equal(t, !failover, k.l.model.isNewLease)
	}
}
