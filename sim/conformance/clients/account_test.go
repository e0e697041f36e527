package clients

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// talk is a client with session 7 since second 0, 10 % of clock error and 20 s of
// grace. Its sendings are numbered from 1; instants are seconds by its clock.
type talk struct {
	l   Life
	id  uint64
	seq api.Seq
}

func newTalk() *talk {
	t := &talk{l: Life{account: account{rho: 100_000, grace: 20 * time.Second}}}
	t.sends(0, 0, api.OpenSession{Nonce: api.Nonce{1, 1}})
	t.hears(0, t.id, 0, api.Result{Code: api.OK, Session: 7})
	return t
}

func second(s float64) time.Time {
	return time.Unix(100, 0).Add(time.Duration(s * float64(time.Second)))
}

func (t *talk) sends(at float64, s api.SessionID, op api.Op) fault {
	t.id++
	q := api.Request{ID: t.id, Session: s, Epoch: 1, Op: op}
	return t.l.account.sends(second(at), q)
}

func (t *talk) hears(at float64, id uint64, s api.SessionID, r api.Result) {
	t.l.account.hears(second(at), api.Reply{ID: id, Session: s, Epoch: 1, Result: r})
}

// granted is a KeepAlive that is sent, and answered a second later with 11 s: 9 s
// from the sending.
func (t *talk) granted(at float64) {
	t.sends(at, 7, api.KeepAlive{})
	t.hears(at+1, t.id, 7, leased(11*time.Second))
}

// asks is a call that is sent; tells is an answer to the newest one.
func (t *talk) asks(op api.Op, seen api.Seq) {
	t.granted(0)
	t.id++
	t.seq++
	t.l.account.sends(second(1), api.Request{ID: t.id, Session: 7, Seq: t.seq, Seen: seen, Epoch: 1, Op: op})
}

func (t *talk) tells(c api.Code) { t.says(api.Result{Code: c}) }

func (t *talk) says(r api.Result) {
	t.l.account.hears(second(2), api.Reply{ID: t.id, Session: 7, Seq: t.seq, Epoch: 1, Result: r})
}

func (t *talk) opens() {
	t.asks(api.Open{}, 0)
	t.says(api.Result{Code: api.OK, Detail: api.Opened{Token: "h"}})
}

func (t *talk) gone() { t.hears(3, t.id, 7, api.Result{Code: api.NoSession}) }

func leased(d time.Duration) api.Result {
	return api.Result{Code: api.OK, Detail: api.Leased{Lease: d}}
}

func TestS11WhatAClientSends(t *testing.T) {
	get, put, keep := api.Get{Key: "k"}, api.Put{Key: "k"}, api.KeepAlive{}
	for name, c := range map[string]struct {
		before func(c *talk)
		at     float64
		op     api.Op
		of     api.SessionID
		breaks string
	}{
		"a call before there is a lease":       {func(c *talk) {}, 1, get, 7, "S11"},
		"a call within the lease":              {func(c *talk) { c.granted(1) }, 9.9, get, 7, ""},
		"a call at its end":                    {func(c *talk) { c.granted(1) }, 10, get, 7, "S11"},
		"a call, and an older answer":          {func(c *talk) { c.granted(1); c.hears(3, 2, 7, leased(time.Second)) }, 9.9, get, 7, ""},
		"a call, and a copy of the answer":     {func(c *talk) { c.granted(1); c.hears(9, 2, 7, leased(11*time.Second)) }, 10, get, 7, "S11"},
		"a call, and somebody else's answer":   {func(c *talk) { c.granted(1); c.hears(9, 99, 7, leased(time.Hour)) }, 10, get, 7, "S11"},
		"a call, and another session's answer": {func(c *talk) { c.granted(1); c.hears(9, 2, 8, leased(time.Hour)) }, 10, get, 7, "S11"},
		"a call after jeopardy":                {func(c *talk) { c.granted(1); c.granted(15) }, 17, get, 7, ""},
		"a KeepAlive in jeopardy":              {func(c *talk) { c.granted(1) }, 12, keep, 7, ""},
		"the end of the session in jeopardy":   {func(c *talk) { c.granted(1) }, 12, api.EndSession{}, 7, ""},
		"a KeepAlive within grace":             {func(c *talk) { c.granted(1) }, 29.9, keep, 7, ""},
		"a KeepAlive after grace":              {func(c *talk) { c.granted(1) }, 30, keep, 7, "L1"},
		"a KeepAlive after grace, by an answer that came too late": {func(c *talk) {
			c.granted(1)
			c.sends(11, 7, keep)
			c.hears(25, c.id, 7, leased(11*time.Second))
		}, 30, keep, 7, "L1"},
		"a KeepAlive after grace, without any answer": {func(c *talk) {}, 20, keep, 7, "L1"},
		"a call without leases":                       {func(c *talk) { c.sends(1, 7, keep); c.hears(2, c.id, 7, api.Result{Code: api.Invalid}) }, 99, get, 7, ""},
		"a call after the end":                        {func(c *talk) { c.granted(1); c.hears(3, c.id, 7, api.Result{Code: api.NoSession}) }, 4, get, 7, "S11"},
		"an opener after the end":                     {func(c *talk) { c.hears(3, c.id, 7, api.Result{Code: api.NoSession}) }, 4, api.OpenSession{Nonce: api.Nonce{1, 1}}, 0, "S11"},
		"another opener":                              {func(c *talk) { c.granted(1) }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, "S11"},
		"another opener after the end":                {func(c *talk) { c.gone() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, ""},
		"another opener after grace":                  {func(c *talk) {}, 20, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, ""},
		"another opener, and an answered write":       {func(c *talk) { c.asks(put, 0); c.tells(api.OK); c.gone() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, ""},
		"another opener, and a lost write":            {func(c *talk) { c.asks(put, 0); c.gone() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, "S11"},
		"another opener, and a refused copy":          {func(c *talk) { c.asks(put, 0); c.tells(api.Busy); c.gone() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, "S11"},
		"another opener, and a fenced write":          {func(c *talk) { c.asks(put, 0); c.asks(get, 1); c.tells(api.OK); c.gone() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, ""},
		"another opener, and a write behind":          {func(c *talk) { c.asks(put, 0); c.asks(get, 0); c.tells(api.OK); c.gone() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, "S11"},
		"another opener, and a lost read":             {func(c *talk) { c.asks(get, 0); c.gone() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, ""},
		"another opener, and an open handle":          {func(c *talk) { c.opens(); c.gone() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, "S11"},
		"another opener, and a closed handle":         {func(c *talk) { c.opens(); c.asks(api.CloseHandle{Handle: "h"}, 1); c.gone() }, 4, api.OpenSession{Nonce: api.Nonce{2, 1}}, 0, ""},
		"a call of another session":                   {func(c *talk) { c.granted(1) }, 4, get, 8, "S11"},
	} {
		k := newTalk()
		c.before(k)
		require.Equal(t, c.breaks, k.sends(c.at, c.of, c.op).id, name)
	}
}

func TestS11WhatAClientBelieves(t *testing.T) {
	for name, c := range map[string]struct {
		before func(c *talk)
		at     float64
		says   session.Status
		breaks string
	}{
		"its bound":                 {func(c *talk) { c.granted(1) }, 3, session.Status{State: session.Open, Lease: session.Valid, Bound: second(10)}, ""},
		"less":                      {func(c *talk) { c.granted(1) }, 3, session.Status{State: session.Open, Lease: session.Valid, Bound: second(8)}, ""},
		"more":                      {func(c *talk) { c.granted(1) }, 3, session.Status{State: session.Open, Lease: session.Valid, Bound: second(10.001)}, "S11"},
		"from the arrival":          {func(c *talk) { c.granted(1) }, 3, session.Status{State: session.Open, Lease: session.Valid, Bound: second(11)}, "S11"},
		"expired before the bound":  {func(c *talk) { c.granted(1) }, 3, gaveUp(10), "S11"},
		"expired at the bound":      {func(c *talk) { c.granted(1) }, 10, gaveUp(10), "S11"},
		"expired within grace":      {func(c *talk) { c.granted(1) }, 29.9, gaveUp(10), "S11"},
		"expired after grace":       {func(c *talk) { c.granted(1) }, 30, gaveUp(10), ""},
		"expired as it was told":    {func(c *talk) { c.hears(1, c.id, 7, api.Result{Code: api.NoSession}) }, 3, gaveUp(0), ""},
		"expired and never had one": {func(c *talk) {}, 19, gaveUp(0), "S11"},
		"expired and had grace":     {func(c *talk) {}, 20, gaveUp(0), ""},
		"closed":                    {func(c *talk) {}, 3, session.Status{State: session.Over, Why: session.Closed}, ""},
	} {
		k := newTalk()
		c.before(k)
		if b := k.l.account.bound; !b.IsZero() {
			k.l.believes(second(2.5), session.Status{State: session.Open, Lease: session.Valid, Bound: b})
		}
		require.Equal(t, c.breaks, k.l.believes(second(c.at), c.says).id, name)
	}
}

// gaveUp is an expired session whose bound was that; 0: it never had one.
func gaveUp(bound float64) session.Status {
	s := session.Status{State: session.Over, Why: session.Expired}
	if bound > 0 {
		s.Bound = second(bound)
	}
	return s
}

// To be told of a fail-over is not to be given a new lease.
func TestWhatGivesANewLease(t *testing.T) {
	k := newTalk()
	for at, failover := range []bool{false, true, false} {
		k.sends(float64(at), 7, api.KeepAlive{})
		k.hears(float64(at)+0.5, k.id, 7, api.Result{Code: api.OK, Detail: api.Leased{Lease: time.Minute, Failover: failover}})
		require.Equal(t, !failover, k.l.account.lengthened)
	}
}
