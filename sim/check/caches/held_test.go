package caches_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/caches"
)

// reign is the master of epoch 2, on replica 1, to which session 7 sends a change. Session 8 may have
// cached something, session 9 has not.
type reign struct {
	h     *caches.Held
	d     *caches.Drops
	at    time.Time
	away  map[api.SessionID]bool // sessions without a KeepAlive at the master
	halts bool                   // the master has no read authority
	ends  bool                   // the master may let sessions end
}

func (r *reign) IsTimely(s api.SessionID) bool { return !r.away[s] }

func (r *reign) MayLetEnd(uint64, time.Time, api.SessionID) bool { return r.ends }

func (r *reign) acts(d time.Duration) {
	for end := r.at.Add(d); r.at.Before(end); {
		r.at = r.at.Add(50 * time.Millisecond)
		r.h.OnActed(1, 2, r.at, !r.halts)
	}
}

func (r *reign) sends(s api.SessionID, seq api.Seq, op api.Op, caching bool) {
	r.h.OnRequest(1, api.Request{Session: s, Seq: seq, Epoch: 2, Op: op, MayCache: caching})
}

func (r *reign) decides(seq api.Seq) {
	write := command.SetContents{Node: api.Ref{Path: api.ACLDirectory(), Instance: 1}}
	r.h.OnBegun(1, [][]byte{command.Append(nil, command.NodeCommand{Guard: 2, Session: 7, Seq: seq, Op: write})})
}

func (r *reign) answers(seq api.Seq) { r.h.OnReply(1, api.Reply{Session: 7, Seq: seq, Epoch: 2}) }

// told tells session 8 to drop something.
func (r *reign) told() {
	r.d.OnReply(1, r.at, api.Reply{Session: 8, Epoch: 2, Result: api.Result{Code: api.OK, Detail: api.Leased{
		Lease: time.Second, LastEvent: 1, Events: []api.Event{{Kind: api.EventDrop}},
	}}})
}

func (r *reign) acks() {
	r.d.OnRequest(r.at, api.Request{Session: 8, Epoch: 2, Op: api.KeepAlive{AckedEvents: 1}})
}

func TestS12AChangeWaitsOnlyForClients(t *testing.T) {
	write := func(r *reign) { r.sends(7, 1, api.SetContents{}, false) }
	cases := map[string]struct {
		do    func(r *reign)
		wrong bool
	}{
		"it is never decided on":      {func(r *reign) { write(r); r.acts(3 * time.Second) }, true},
		"nor are new ACL names":       {func(r *reign) { r.sends(7, 1, api.SetACL{}, false); r.acts(3 * time.Second) }, true},
		"it is soon":                  {func(r *reign) { write(r); r.acts(time.Second); r.decides(1); r.acts(5 * time.Second) }, false},
		"it is answered":              {func(r *reign) { write(r); r.answers(1); r.acts(5 * time.Second) }, false},
		"a copy comes later":          {func(r *reign) { write(r); r.decides(1); write(r); r.acts(5 * time.Second) }, false},
		"another call has its number": {func(r *reign) { r.sends(7, 1, api.Put{}, false); write(r); r.acts(5 * time.Second) }, false},
		"a client has to drop something": {func(r *reign) {
			write(r)
			r.told()
			r.acts(time.Minute)
		}, false},
		"it has dropped that": {func(r *reign) {
			write(r)
			r.told()
			r.acts(time.Minute)
			r.acks()
			r.acts(3 * time.Second)
		}, true},
		"it drops that, and then the change goes on": {func(r *reign) {
			write(r)
			r.told()
			r.acts(time.Minute)
			r.acks()
			r.acts(time.Second)
			r.decides(1)
			r.acts(3 * time.Second)
			require.EqualValues(t, 1, r.h.Waited)
			require.EqualValues(t, 1, r.h.Lifted)
		}, false},
		"a client that may cache cannot be told": {func(r *reign) { r.away[8] = true; write(r); r.acts(time.Minute) }, false},
		"that client's session ends": {func(r *reign) {
			r.away[8] = true
			write(r)
			r.acts(time.Minute)
			r.h.OnCommand(&command.Applied{Effects: []command.Effect{command.SessionEnded{Session: 8}}})
			r.acts(3 * time.Second)
		}, true},
		"another client cannot be told": {func(r *reign) { r.away[9] = true; write(r); r.acts(3 * time.Second) }, true},
		"another one may hold the lock of a node that is deleted": {func(r *reign) {
			r.away[9] = true
			r.sends(7, 1, api.DeleteNode{}, false)
			r.acts(time.Minute)
		}, false},
		"the master may not read": {func(r *reign) { r.halts = true; write(r); r.acts(time.Minute) }, false},
		"the time begins anew after that": {func(r *reign) {
			write(r)
			r.acts(time.Second)
			r.halts = true
			r.acts(time.Second)
			r.halts = false
			r.acts(time.Second)
		}, false},
		"its client does not wait": {func(r *reign) {
			write(r)
			r.h.OnRequest(1, api.Request{Session: 7, Seq: 2, Epoch: 2, AckedThrough: 1, Op: api.GetStat{}})
			write(r) // a late copy
			r.acts(5 * time.Second)
		}, false},
		"a master of before held it": {func(r *reign) {
			write(r)
			r.acts(time.Second)
			r.h.OnActed(2, 3, r.at, true)
			r.acts(5 * time.Second)
		}, false},
		"the master was paused":   {func(r *reign) { write(r); r.at = r.at.Add(time.Hour); r.acts(time.Second) }, false},
		"an idle session may end": {func(r *reign) { write(r); r.ends = true; r.acts(5 * time.Second) }, false},
		"an Open may wait":        {func(r *reign) { r.sends(7, 1, api.Open{Create: api.CreateMay}, false); r.acts(5 * time.Second) }, false},
	}
	for name, c := range cases {
		w := sim.New(sim.Config{})
		r := &reign{d: caches.NewDrops(w, time.Second), at: time.Unix(100, 0), away: map[api.SessionID]bool{}}
		r.h = caches.NewHeld(w, r.d, r, r)
		r.acts(50 * time.Millisecond)
		r.d.OnRequest(r.at, api.Request{Session: 8, Seq: 1, Epoch: 2, MayCache: true, Op: api.GetStat{}})
		r.sends(8, 1, api.GetStat{}, true)
		r.sends(9, 1, api.GetStat{}, false)
		c.do(r)
		f := w.Failure()
		require.Equal(t, c.wrong, f != nil, "%s: %v", name, f)
		if c.wrong {
			require.Equal(t, "S12", f.ID)
			require.Contains(t, f.Text, "in which no client had anything to drop")
		}
	}
}
