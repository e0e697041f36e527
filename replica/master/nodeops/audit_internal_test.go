package nodeops

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/master/lockwait"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	stored "github.com/chubbycell/chubby/replica/state/rows"
)

// busy returns an Ops with a call in each state: session 7 has call 1 parked, an Acquire that does not wait,
// an Open that is proposed, one that is held behind a sweep, and a kept answer.
func busy(t *testing.T) (*Ops, *db.DB) {
	s, err := handle.NewSealer(handle.Secret{1})
	require.NoError(t, err)
	rows := db.New()
	tx := rows.Begin()
	for id := range api.SessionID(2) {
		stored.OpenSession(tx, 6+id, api.Nonce{uint64(id) + 1}, "ann")
	}
	tx.Commit()
	o := New(DefaultConfig(), 3, s, calls.New(), At{Now: time.Unix(9, 0), Rows: rows})
	n := api.Ref{Instance: 4}
	var all []handle.Handle
	for seq := range api.Seq(3) {
		_, h, v := o.handles.Open(handle.Opening{Session: 7, Seq: seq + 1, Node: n, Kind: api.File, Rights: api.RightWrite})
		require.Equal(t, handle.Good, v)
		all = append(all, h)
	}
	tx = rows.Begin()
	_, _ = lock.Acquire(tx, 9, lock.Claim{Lock: n, Owner: lock.Owner{Session: 6, Handle: all[0].ID}, Mode: api.Exclusive})
	tx.Commit()
	entry := func(seq api.Seq, op api.Op) *calls.Call {
		c := o.calls.Await(calls.Key{Session: 7, Seq: seq}, calls.Destination{})
		c.Request = calls.Request{Session: 7, Seq: seq, Op: op}
		return c
	}
	for i, seq := range []api.Seq{11, 12} {
		c := entry(seq, api.Acquire{Mode: api.Exclusive})
		c.Handle, c.Queued = all[i], true
		require.Equal(t, lockwait.Joined, o.queues.Join(lockwait.Waiter{Lock: n, Mode: api.Exclusive, Session: 7, Handle: all[i].ID, Seq: seq}))
		o.calls.Park(c)
	}
	c := entry(13, api.Acquire{Mode: api.Shared})
	c.Handle = all[2]
	o.try(c)
	o.put(entry(14, nil), calls.Attempt{Kind: calls.Opens}, command.OpenNode{})
	o.put(entry(15, nil), calls.Attempt{Kind: calls.Releases, Handle: all[2]}, command.Release{})
	swept := api.Ref{Path: api.ACLDirectory(), Instance: 5}
	o.sweeps[swept.Path] = &sweep{node: swept}
	require.True(t, o.holdForSweep(entry(16, nil), swept.Path))
	o.tell(entry(17, nil), api.Result{Code: api.Crowded})
	require.NoError(t, o.Audit(rows))
	return o, rows
}

// The audit finds each invariant of the package comment when it is broken.
func TestAuditFinds(t *testing.T) {
	free := func(rows *db.DB) {
		tx := rows.Begin()
		tx.DeleteAll(lock.Prefix)
		tx.Commit()
	}
	for what, c := range map[string]struct {
		want  string
		spoil func(o *Ops, rows *db.DB)
	}{
		"Opens without room": {"I-B2: session 7 has 1 Opens proposed, and room for -2", func(o *Ops, _ *db.DB) {
			o.handles = handle.New(3, handle.Sealer{}, handle.Limits{PerSession: -2})
		}},
		"Opens of all without room": {"I-B2: 1 Opens are proposed, and there is room for 0", func(o *Ops, _ *db.DB) {
			o.handles = handle.New(3, handle.Sealer{}, handle.Limits{PerSession: 1})
			o.queues = lockwait.New(o.cfg.Queues)
			for _, c := range o.calls.OnNodes(7) {
				c.Queued = false
				if c.State == calls.Parked {
					o.calls.Decide(c)
				}
			}
		}},
		"a call without its place":   {"I-B3: call 11 of session 7", func(o *Ops, _ *db.DB) { o.queues.Leave(o.calls.Of(7, 11).Handle.ID) }},
		"a call that is not queued":  {"I-B3: call 12", func(o *Ops, _ *db.DB) { o.calls.Of(7, 12).Queued = false }},
		"a place without its call":   {"I-B3: 1 calls have a place, 2 wait; for the lock of /#4 waits call 12 of session 7 by handle 3.2, and is not there", func(o *Ops, _ *db.DB) { o.calls.Decide(o.calls.Of(7, 12)) }},
		"a parked one that is tried": {"I-B3: call 11", func(o *Ops, _ *db.DB) { o.queues.Next(api.Ref{Instance: 4}, 0, false) }},
		"a sweep that is none":       {"I-B4: call 16", func(o *Ops, _ *db.DB) { clear(o.sweeps) }},
		"a sweep that does not know": {"I-B4: call 16", func(o *Ops, _ *db.DB) { o.sweeps[api.ACLDirectory()].held = nil }},
		"a sweep and an Open":        {"I-B4: a sweep of", func(o *Ops, _ *db.DB) { o.sweeps[api.Path{}] = &sweep{} }},
		"a free lock, and who waits": {"waits in front for a lock", func(_ *Ops, rows *db.DB) { free(rows) }},
		"one who waits for himself": {"I-B5", func(o *Ops, rows *db.DB) {
			free(rows)
			tx := rows.Begin()
			h := o.calls.Of(7, 12).Handle
			_, _ = lock.Acquire(tx, 9, lock.Claim{Lock: h.Node, Owner: ownerOf(h), Mode: api.Exclusive})
			tx.Commit()
		}},
		"calls of a session that ended": {"I-B6: session 7 has ended and is remembered for its calls", func(_ *Ops, rows *db.DB) {
			tx := rows.Begin()
			stored.EndSession(tx, 7)
			tx.Commit()
		}},
		"handles of one that ended": {"I-B6: session 8 has ended and is remembered for its handles", func(o *Ops, _ *db.DB) {
			o.handles.Open(handle.Opening{Session: 8, Seq: 1, Node: api.Ref{Instance: 4}, Kind: api.File, Rights: api.RightRead})
		}},
		"a closed handle that waits": {"and is not open", func(o *Ops, _ *db.DB) { o.handles.EndSession(7) }},
		"a table that counts wrong": {"I-H", func(o *Ops, _ *db.DB) {
			o.handles = handle.New(1, handle.Sealer{}, handle.Limits{PerSession: -1, Total: -1})
		}},
		"a queue that counts wrong": {"I-Q", func(o *Ops, _ *db.DB) { o.queues = lockwait.New(lockwait.Limits{Total: -1}) }},
	} {
		o, rows := busy(t)
		c.spoil(o, rows)
		require.ErrorContains(t, o.Audit(rows), c.want, what)
	}
}

func TestConfigsAreValidated(t *testing.T) {
	require.NoError(t, DefaultConfig().Validate())
	bad := Config{SweepAfter: -1}
	require.ErrorContains(t, bad.Validate(), "a limit of handles below 1\nnodeops config: a limit of waiters below 1\nnodeops config: a negative SweepAfter\nnodeops config: a Retry that is not above 0")
	require.Panics(t, func() { New(bad, 1, handle.Sealer{}, calls.New(), At{Rows: db.New()}) })
}
