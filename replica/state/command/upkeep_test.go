package command_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

func TestACellIsFoundedOnce(t *testing.T) {
	cl := newCell(t)
	e := cl.epoch()
	found := command.Found{Guard: e, Founding: founding(), Secret: [32]byte{1}}
	lacking, large := found, found
	lacking.Founding.Files = nil
	large.Founding.Limits.Directory.Nodes = 2
	for want, c := range map[api.Code]command.Found{api.Invalid: lacking, api.Quota: large} {
		a := cl.apply(c)
		require.Equal(t, command.Refused, a.Verdict)
		require.Equal(t, api.Result{Code: want}, a.Result)
		require.Equal(t, 2, cl.db.Len(), "the counter and the epoch")
	}
	a := cl.apply(found)
	require.Equal(t, command.Executed, a.Verdict)
	require.Equal(t, api.Result{Code: api.OK}, a.Result)
	require.Len(t, a.Effects, 9, "root, ACL directory, three files; and all but the root as children")
	secret, _ := rows.GetSecret(cl.db)
	require.Equal(t, found.Secret, secret)
	require.NoError(t, command.Audit(cl.db))

	other := found
	other.Secret = [32]byte{2}
	again := cl.apply(other)
	require.Equal(t, command.Refused, again.Verdict)
	require.Equal(t, api.Result{Code: api.Exists}, again.Result)
	secret, _ = rows.GetSecret(cl.db)
	require.Equal(t, found.Secret, secret)
}

// C06, C07, K18: a lock-delay follows when a session expires, and not when its client ends it; either way
// one command takes away all that the session had.
func TestTheTwoEndsOfASession(t *testing.T) {
	for _, expires := range []bool{true, false} {
		w := newWorld(t)
		f, g, h := w.make("/f", api.File), w.make("/g", api.File), w.make("/h", api.File)
		first := w.acquired(w.ann, f, 1, api.Exclusive)
		second := w.acquired(w.ann, g, 2, api.Shared)
		w.acquired(w.bob, g, 3, api.Shared)
		w.acquired(w.bob, h, 4, api.Exclusive)
		freed := func(n api.Ref, c uint64, a api.Acquisition) command.Effect {
			return command.LockChanged{Effect: lock.Freed{Lock: n, Owner: lock.Owner{Session: w.ann, Handle: handle(c)}, Acquisition: a, Failed: expires}}
		}
		want := []command.Effect{command.SessionEnded{Session: w.ann, Expired: expires}}
		var a command.Applied
		if expires {
			a = w.apply(command.Expire{Guard: 1, Session: w.ann})
			begins := func(n api.Ref) command.Effect {
				return command.LockChanged{Effect: lock.DelayBegan{Lock: n, Freed: a.Number, Delay: 1000}}
			}
			want = append(want, freed(f, 1, first.Acquisition), freed(g, 2, second.Acquisition), begins(f), begins(g))
		} else {
			a = w.apply(command.Call{Guard: 1, Session: w.ann, Seq: 99, Op: api.EndSession{}})
			want = append(want, freed(f, 1, first.Acquisition), command.LockChanged{Effect: lock.Claimable{Lock: f}}, freed(g, 2, second.Acquisition))
		}
		require.Equal(t, command.Executed, a.Verdict)
		require.Equal(t, api.Result{Code: api.OK}, a.Result)
		require.Equal(t, want, a.Effects)
		require.NoError(t, command.Audit(w.db))
		_, alive := rows.GetSession(w.db, w.ann)
		require.False(t, alive)
		require.Empty(t, lock.HoldingsOf(w.db, w.ann))
		require.Len(t, lock.HoldingsOf(w.db, w.bob), 2)

		again := w.apply(command.Expire{Guard: 1, Session: w.ann})
		require.Equal(t, command.Refused, again.Verdict)
		require.Equal(t, api.Result{Code: api.NoSession}, again.Result)
		code := w.code(w.bob, command.Acquire{Node: f, Handle: handle(7), Mode: api.Exclusive})
		require.Equal(t, map[bool]api.Code{true: api.LockDelayed, false: api.OK}[expires], code)
	}
}

// K21: calls that were proposed before the Expire, and stand behind it in the log, find no session: they
// leave neither a lock nor a node.
func TestCallsOfAnExpiredSessionAreNotExecuted(t *testing.T) {
	w := newWorld(t)
	f := w.make("/f", api.File)
	late := []command.Command{
		w.next(w.bob, command.Acquire{Node: f, Handle: handle(1), Mode: api.Exclusive}),
		w.next(w.bob, command.OpenNode{Path: path("/e"), Rights: read, Create: may, Kind: api.File, Ephemeral: true}),
		w.next(w.bob, command.SetContents{Node: f, Contents: "late"}),
		w.next(w.bob, command.CloseHandle{Node: f, Handle: handle(1)}),
		command.Call{Guard: 1, Session: w.bob, Seq: 90, Op: api.Put{Key: "k", Value: "late"}},
		command.Call{Guard: 1, Session: w.bob, Seq: 91, Op: api.EndSession{}},
		command.FailHandle{Guard: 1, Session: w.bob, Handle: handle(1)},
		command.Expire{Guard: 1, Session: w.bob},
	}
	tx := w.db.Begin() // one slot
	apply := func(c command.Command) command.Applied { return command.Apply(tx, string(command.Append(nil, c))) }
	require.Equal(t, command.Executed, apply(command.Expire{Guard: 1, Session: w.bob}).Verdict)
	for _, c := range late {
		a := apply(c)
		require.Equal(t, command.Refused, a.Verdict, "%#v", c)
		require.Equal(t, api.Result{Code: api.NoSession}, a.Result, "%#v", c)
	}
	tx.Commit()
	require.NoError(t, command.Audit(w.db))
	require.Empty(t, lock.Holdings(w.db))
	require.Empty(t, w.contents(f))
	_, _, code := tree.Lookup(w.db, path("/e"))
	require.Equal(t, api.NotFound, code)
}

func TestAHandleThatWasNotPresentedFails(t *testing.T) {
	w := newWorld(t)
	f, g := w.make("/f", api.File), w.make("/g", api.File)
	held := w.acquired(w.ann, f, 1, api.Exclusive)
	w.acquired(w.ann, g, 2, api.Exclusive)
	fail := command.FailHandle{Guard: 1, Session: w.ann, Handle: handle(1)}
	a := w.apply(fail)
	require.Equal(t, []command.Effect{
		command.LockChanged{Effect: lock.Freed{Lock: f, Owner: lock.Owner{Session: w.ann, Handle: handle(1)}, Acquisition: held.Acquisition, Failed: true}},
		command.LockChanged{Effect: lock.DelayBegan{Lock: f, Freed: a.Number, Delay: 1000}},
	}, a.Effects)
	require.NoError(t, command.Audit(w.db))
	require.Equal(t, []uint64{2}, w.holders(g), "the session lives, and its other handle")
	require.Equal(t, api.NotHeld, w.apply(fail).Result.Code)
	require.Equal(t, api.NotHeld, w.apply(command.FailHandle{Guard: 1, Session: w.bob, Handle: handle(2)}).Result.Code, "ann's handle")
	require.Equal(t, api.NoSession, w.apply(command.FailHandle{Guard: 1, Session: 99, Handle: handle(2)}).Result.Code)
	require.Equal(t, api.NotHeld, w.code(w.ann, command.Release{Node: f, Handle: handle(1), Acquisition: held.Acquisition}))
	require.Equal(t, api.LockDelayed, w.code(w.ann, command.Acquire{Node: f, Handle: handle(1), Mode: api.Exclusive}), "for the failed one too")
}

func TestADelayEndsOnceAndForItsOwnLock(t *testing.T) {
	w := newWorld(t)
	f, g := w.make("/f", api.File), w.make("/g", api.File)
	w.acquired(w.ann, f, 1, api.Exclusive)
	freed := w.apply(command.FailHandle{Guard: 1, Session: w.ann, Handle: handle(1)}).Number
	over := command.DelayOver{Guard: 1, Node: f, Freed: freed}
	for why, c := range map[string]command.DelayOver{
		"another lock":      {Guard: 1, Node: g, Freed: freed},
		"another instance":  {Guard: 1, Node: api.Ref{Path: f.Path, Instance: 1}, Freed: freed},
		"another beginning": {Guard: 1, Node: f, Freed: freed - 1},
	} {
		a := w.apply(c)
		require.Equal(t, command.Refused, a.Verdict, why)
		require.Equal(t, api.Result{Code: api.NotFound}, a.Result, why)
	}
	require.Equal(t, api.LockDelayed, w.code(w.bob, command.Acquire{Node: f, Handle: handle(2), Mode: api.Shared}))
	a := w.apply(over)
	require.Equal(t, []command.Effect{
		command.LockChanged{Effect: lock.DelayEnded{Lock: f, Freed: freed}},
		command.LockChanged{Effect: lock.Claimable{Lock: f}},
	}, a.Effects)
	require.Equal(t, api.NotFound, w.apply(over).Result.Code)
	w.acquired(w.bob, f, 2, api.Exclusive)
	require.NoError(t, command.Audit(w.db))
}

// N05: a Sweep deletes only an ephemeral node without children, and only the instance that it names.
func TestWhatASweepTakes(t *testing.T) {
	w := newWorld(t)
	ephemeral := func(where string, kind api.NodeKind) api.Ref {
		return w.made(w.ann, command.OpenNode{Path: path(where), Rights: read, Create: mustExecute, Kind: kind, Ephemeral: true})
	}
	f, d := w.make("/f", api.File), ephemeral("/d", api.Directory)
	child := w.make("/d/x", api.File)
	sweep := func(n api.Ref) api.Code {
		a := w.apply(command.Sweep{Guard: 1, Node: n})
		require.Equal(t, a.Result.Code == api.OK, a.Verdict == command.Executed)
		require.Equal(t, a.Result.Code == api.OK, len(a.Effects) > 0)
		require.NoError(t, command.Audit(w.db))
		return a.Result.Code
	}
	root, _, _ := tree.Lookup(w.db, api.Path{})
	require.Equal(t, api.Invalid, sweep(f), "a permanent node")
	require.Equal(t, api.Invalid, sweep(root))
	require.Equal(t, api.NotEmpty, sweep(d))
	require.Equal(t, api.Gone, sweep(api.Ref{Path: d.Path, Instance: d.Instance + 1}))
	require.Equal(t, api.Invalid, sweep(child), "a permanent node in an ephemeral directory")
	require.Equal(t, api.OK, w.code(w.ann, command.DeleteNode{Node: child}))
	w.acquired(w.ann, d, 1, api.Exclusive)
	a := w.apply(command.Sweep{Guard: 1, Node: d})
	require.Len(t, a.Effects, 3, "the node, its parent, and its lock")
	require.NoError(t, command.Audit(w.db))
	require.Equal(t, api.Gone, sweep(d))
	again := ephemeral("/d", api.Directory)
	require.Equal(t, api.Gone, sweep(d), "another one stands there now")
	require.Equal(t, api.OK, sweep(again))
	require.Empty(t, lock.Holdings(w.db))
}

func TestTheRowOfTheLongestLease(t *testing.T) {
	w := newWorld(t)
	for _, d := range []time.Duration{12 * time.Second, time.Minute, api.MaxLease, time.Second} {
		require.Equal(t, command.Executed, w.apply(command.LongestLease{Guard: 1, Lease: d}).Verdict)
		require.Equal(t, d, rows.GetLongestLease(w.db))
	}
}

func TestABackupIsRecordedInItsOwnEpochOnly(t *testing.T) {
	w := newWorld(t)
	done := rows.Backup{Slot: 9, Elapsed: time.Second}
	require.Equal(t, api.Aborted, w.apply(command.Backup{Guard: 2, Done: done}).Result.Code)
	require.Zero(t, rows.GetBackup(w.db))
	a := w.apply(command.Backup{Guard: 1, Done: done})
	require.Equal(t, command.Executed, a.Verdict)
	require.Empty(t, a.Effects)
	require.Equal(t, done, rows.GetBackup(w.db))
	a = w.apply(command.Backup{Guard: 1, Done: done})
	require.Equal(t, command.Refused, a.Verdict)
	require.Equal(t, api.Conflict, a.Result.Code)
}

// A ConfirmLeadership changes the counter only, and is executed in its own epoch only.
func TestAConfirmation(t *testing.T) {
	w := newWorld(t)
	before := w.db.Len()
	a := w.apply(command.ConfirmLeadership{Guard: 1})
	require.Equal(t, command.Executed, a.Verdict)
	require.Empty(t, a.Effects)
	require.Equal(t, before, w.db.Len())
	require.Equal(t, api.Aborted, w.apply(command.ConfirmLeadership{Guard: 2}).Result.Code)
	require.Equal(t, command.Refused, command.Apply(db.New().Begin(), string(command.Append(nil, command.ConfirmLeadership{Guard: 1}))).Verdict)
}
