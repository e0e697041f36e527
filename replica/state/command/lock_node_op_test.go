package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// acquired takes a lock that must be free.
func (w *world) acquired(id api.SessionID, n api.Ref, h uint64, m api.Mode) api.Held {
	a := w.act(id, command.Acquire{Node: n, Handle: handle(h), Mode: m, Delay: 1000})
	require.Equal(w.t, api.OK, a.Result.Code)
	return a.Result.Detail.(api.Held)
}

// holders returns the handles that hold a lock.
func (w *world) holders(n api.Ref) (all []uint64) {
	for _, h := range lock.Holders(w.db, n) {
		all = append(all, h.Owner.Handle.Counter)
	}
	return all
}

// The lock generation of the node's metadata moves with the lock: when it goes from
// free to held, and not when a reader joins (C01, C02).
func TestTheNodeKnowsTheGenerationOfItsLock(t *testing.T) {
	w := newWorld(t)
	f := w.make("/f", api.File)
	gen := func() api.LockGen {
		s, _ := tree.Stat(w.db, f)
		return s.Lock
	}
	require.EqualValues(t, f.Instance, gen(), "never held")
	first := w.act(w.ann, command.Acquire{Node: f, Handle: handle(1), Mode: api.Shared})
	require.Equal(t, api.Held{Gen: api.LockGen(first.Number), Acquisition: api.Acquisition(first.Number)}, first.Result.Detail)
	require.Equal(t, []command.Effect{
		command.TreeChanged{Effect: tree.LockTaken{Node: f, Gen: gen()}},
		command.LockChanged{Effect: lock.Granted{Lock: f, Owner: lock.Owner{Session: w.ann, Handle: handle(1)}, Mode: api.Shared,
			Gen: gen(), Acquisition: api.Acquisition(first.Number)}},
	}, first.Effects)
	joined := w.act(w.bob, command.Acquire{Node: f, Handle: handle(2), Mode: api.Shared})
	require.Equal(t, api.Held{Gen: api.LockGen(first.Number), Acquisition: api.Acquisition(joined.Number)}, joined.Result.Detail)
	require.Len(t, joined.Effects, 1)
	require.EqualValues(t, first.Number, gen())
	again := w.act(w.ann, command.Acquire{Node: f, Handle: handle(1), Mode: api.Shared})
	require.Equal(t, first.Result, again.Result, "it holds it: the same acquisition")
	require.Empty(t, again.Effects)
	require.Equal(t, api.OK, w.code(w.ann, command.Release{Node: f, Handle: handle(1), Acquisition: api.Acquisition(first.Number)}))
	require.Equal(t, api.OK, w.code(w.bob, command.Release{Node: f, Handle: handle(2), Acquisition: api.Acquisition(joined.Number)}))
	require.EqualValues(t, first.Number, gen(), "who held it last")
	held := w.acquired(w.ann, f, 1, api.Exclusive)
	require.Equal(t, held.Gen, gen())
	require.Greater(t, gen(), api.LockGen(joined.Number))
}

// A failed attempt of an Acquire that waits is not an execution: it leaves no answer and raises no
// AckedThrough.
func TestAnAcquireThatWaitsLeavesNothingWhileItFails(t *testing.T) {
	for _, want := range []api.Code{api.LockHeld, api.LockDelayed} {
		w := newWorld(t)
		f := w.make("/f", api.File)
		held := w.acquired(w.ann, f, 1, api.Exclusive)
		if want == api.LockDelayed {
			w.apply(command.FailHandle{Guard: 1, Session: w.ann, Handle: handle(1)})
		}
		w.act(w.bob, command.Fail{Code: api.NoRight})
		trial := w.next(w.bob, command.Acquire{Node: f, Handle: handle(2), Mode: api.Shared, Wait: true})
		trial.AckedThrough = 1
		totals := rows.GetTotals(w.db)
		tx := w.db.Begin()
		for range 3 {
			a := command.Apply(tx, string(command.Append(nil, trial)))
			require.Equal(t, command.Refused, a.Verdict)
			require.Equal(t, api.Result{Code: want}, a.Result)
			require.Empty(t, a.Effects)
		}
		changed := map[string]bool{}
		for key := range tx.Changed(0) {
			changed[key] = true
		}
		require.Equal(t, map[string]bool{"n": true}, changed, "the counter alone")
		tx.Commit()
		require.Equal(t, totals.Commands+3, rows.GetTotals(w.db).Commands)

		once := trial.Op.(command.Acquire)
		once.Wait = false
		final := w.act(w.bob, once)
		require.Equal(t, command.Executed, final.Verdict, "without Wait that is the answer")
		require.Equal(t, api.Result{Code: want}, final.Result)
		if want == api.LockDelayed {
			freed := lock.Delays(w.db)[0].Freed
			require.Equal(t, command.Executed, w.apply(command.DelayOver{Guard: 1, Node: f, Freed: freed}).Verdict)
		} else {
			w.act(w.ann, command.Release{Node: f, Handle: handle(1), Acquisition: held.Acquisition})
		}
		a := w.apply(trial)
		require.Equal(t, command.Executed, a.Verdict)
		require.Equal(t, api.OK, a.Result.Code)
		require.Equal(t, command.Repeated, w.apply(trial).Verdict)
		require.Equal(t, []uint64{2}, w.holders(f))
		s, _ := rows.GetSession(w.db, w.bob)
		require.EqualValues(t, 1, s.AckedThrough)
	}
}

// An Acquire with Wait is answered at once if waiting would change nothing.
func TestAnAcquireThatCannotSucceedDoesNotWait(t *testing.T) {
	w := newWorld(t)
	f, g := w.make("/f", api.File), w.make("/g", api.File)
	w.acquired(w.ann, f, 1, api.Shared)
	for why, c := range map[string]struct {
		d    command.Acquire
		want api.Code
	}{
		"another mode": {command.Acquire{Node: f, Handle: handle(1), Mode: api.Exclusive}, api.LockOther},
		"another lock": {command.Acquire{Node: g, Handle: handle(1), Mode: api.Shared}, api.LockOther},
		"no node":      {command.Acquire{Node: api.Ref{Path: f.Path, Instance: 1}, Handle: handle(2), Mode: api.Shared}, api.Gone},
		"stale fence": {command.Acquire{Node: g, Handle: handle(2), Mode: api.Shared,
			Fence: api.Sequencer{Node: f, Mode: api.Exclusive, Gen: 1}}, api.StaleSequencer},
	} {
		c.d.Wait = true
		a := w.act(w.ann, c.d)
		require.Equal(t, command.Executed, a.Verdict, why)
		require.Equal(t, c.want, a.Result.Code, why)
	}
}

// Every order in which an Acquire, a copy of it, its CancelAcquire and a copy of that may stand in
// the log, whether the lock is free or held: behind the first CancelAcquire the handle holds nothing,
// and never will by that Acquire.
func TestACancelledAcquireHoldsNothing(t *testing.T) {
	const taking, cancelling, freeing = 'A', 'C', 'F' // F: the other holder releases
	for _, order := range []string{"AC", "CA", "C", "ACA", "AAC", "CAA", "ACC", "CAC", "CCA", "ACAC",
		"AFC", "AFCA", "AFACA", "FAC", "CFA", "FCA", "AFAC", "ACFA", "AFCAC"} {
		for _, free := range []bool{true, false} {
			w := newWorld(t)
			f := w.make("/f", api.File)
			var other api.Held
			if !free {
				other = w.acquired(w.ann, f, 9, api.Exclusive)
			}
			acquire := w.next(w.bob, command.Acquire{Node: f, Handle: handle(1), Mode: api.Exclusive, Wait: true})
			cancel := w.next(w.bob, command.CancelAcquire{Node: f, Handle: handle(1), Call: acquire.Seq})
			cancelled := false
			for i, step := range order {
				switch step {
				case freeing:
					w.act(w.ann, command.Release{Node: f, Handle: handle(9), Acquisition: max(1, other.Acquisition)})
				case cancelling:
					require.Equal(t, api.OK, w.apply(cancel).Result.Code)
					cancelled = true
				case taking:
					was, had := rows.GetAnswer(w.db, w.bob, acquire.Seq)
					a := w.apply(acquire)
					require.Equal(t, had, a.Verdict == command.Repeated)
					if had {
						require.Equal(t, was, a.Result)
					} else {
						require.False(t, cancelled, "an answer stands behind the cancellation")
					}
				}
				require.NoError(t, command.Audit(w.db))
				if cancelled {
					require.NotContains(t, w.holders(f), uint64(1), "%s at %d, free: %t", order, i, free)
				}
			}
			require.True(t, cancelled)
			answer, ok := rows.GetAnswer(w.db, w.bob, acquire.Seq)
			require.True(t, ok)
			require.Contains(t, []api.Code{api.OK, api.Cancelled}, answer.Code)
		}
	}
}

func TestACancellationIsOfOneCallAndOneAcquisition(t *testing.T) {
	w := newWorld(t)
	f, g := w.make("/f", api.File), w.make("/g", api.File)
	first := w.next(w.bob, command.Acquire{Node: f, Handle: handle(1), Mode: api.Shared})
	held := w.apply(first).Result.Detail.(api.Held)
	require.Equal(t, api.OK, w.code(w.bob, command.Release{Node: f, Handle: handle(1), Acquisition: held.Acquisition}))
	second := w.next(w.bob, command.Acquire{Node: f, Handle: handle(1), Mode: api.Shared})
	w.apply(second)
	w.acquired(w.bob, f, 2, api.Shared)
	w.acquired(w.ann, f, 1, api.Shared) // another session's handle of the same number
	cancel := func(n api.Ref, h uint64, call api.Seq) command.Applied {
		a := w.act(w.bob, command.CancelAcquire{Node: n, Handle: handle(h), Call: call})
		require.Equal(t, api.Result{Code: api.OK}, a.Result)
		return a
	}
	require.Empty(t, cancel(f, 1, first.Seq).Effects, "the acquisition of that call was released before")
	require.Empty(t, cancel(g, 1, second.Seq).Effects, "of another node")
	require.Empty(t, cancel(f, 2, second.Seq).Effects, "of another handle")
	require.Len(t, w.holders(f), 3)
	require.Len(t, cancel(f, 1, second.Seq).Effects, 1, "freed; others hold it still")
	require.Equal(t, []uint64{1, 2}, w.holders(f), "ann's, and bob's other handle")

	write := w.next(w.bob, command.SetContents{Node: f, Contents: "v"})
	w.apply(write)
	require.Empty(t, cancel(f, 1, write.Seq).Effects, "a call that was no Acquire")

	later := w.next(w.bob, command.GetStat{Node: f})
	later.AckedThrough = second.Seq
	w.apply(later)
	a := w.act(w.bob, command.CancelAcquire{Node: f, Handle: handle(1), Call: second.Seq})
	require.Equal(t, command.Executed, a.Verdict)
	require.Equal(t, api.Result{Code: api.Invalid}, a.Result, "its answer was given up")
}

// C14: a copy of an old Release frees nothing.
func TestAReleaseFreesOneAcquisition(t *testing.T) {
	w := newWorld(t)
	f := w.make("/f", api.File)
	w.acquired(w.ann, f, 9, api.Shared) // holds the generation up
	first := w.acquired(w.bob, f, 1, api.Shared)
	old := command.Release{Node: f, Handle: handle(1), Acquisition: first.Acquisition}
	require.Equal(t, api.OK, w.code(w.bob, old))
	second := w.acquired(w.bob, f, 1, api.Shared)
	require.Equal(t, first.Gen, second.Gen)
	for why, d := range map[string]command.Release{
		"an older acquisition": old,
		"one to come":          {Node: f, Handle: handle(1), Acquisition: second.Acquisition + 1},
		"another handle's":     {Node: f, Handle: handle(2), Acquisition: second.Acquisition},
		"of another instance":  {Node: api.Ref{Path: f.Path, Instance: f.Instance + 1}, Handle: handle(1), Acquisition: second.Acquisition},
	} {
		a := w.act(w.bob, d)
		require.Equal(t, api.NotHeld, a.Result.Code, why)
		require.Empty(t, a.Effects, why)
	}
	require.Equal(t, api.NotHeld, w.code(w.ann, command.Release{Node: f, Handle: handle(1), Acquisition: second.Acquisition}), "another session's")
	require.Equal(t, []uint64{9, 1}, w.holders(f))
	require.Equal(t, api.OK, w.code(w.bob, command.Release{Node: f, Handle: handle(1), Acquisition: second.Acquisition}))
	require.Equal(t, []uint64{9}, w.holders(f))
}

// C19: a handle that is closed holds nothing.
func TestCloseFreesWhatTheHandleHolds(t *testing.T) {
	w := newWorld(t)
	f, g := w.make("/f", api.File), w.make("/g", api.File)
	w.acquired(w.ann, f, 1, api.Exclusive)
	for why, c := range map[string]command.Applied{
		"another handle":          w.act(w.ann, command.CloseHandle{Node: f, Handle: handle(2)}),
		"another session's":       w.act(w.bob, command.CloseHandle{Node: f, Handle: handle(1)}),
		"a handle of another":     w.act(w.ann, command.CloseHandle{Node: g, Handle: handle(1)}),
		"a handle of a node gone": w.act(w.ann, command.CloseHandle{Node: api.Ref{Path: f.Path, Instance: 1}, Handle: handle(1)}),
	} {
		require.Equal(t, api.Result{Code: api.OK}, c.Result, why)
		require.Empty(t, c.Effects, why)
	}
	a := w.act(w.ann, command.CloseHandle{Node: f, Handle: handle(1)})
	require.Equal(t, api.Result{Code: api.OK}, a.Result)
	require.Len(t, a.Effects, 2, "freed, and claimable at once")
	require.Empty(t, lock.Holdings(w.db))
	w.acquired(w.bob, f, 5, api.Exclusive)
}

// C09: all replicas bound the lock-delay that a claim may ask for.
func TestAHugeDelayIsCut(t *testing.T) {
	w := newWorld(t)
	f := w.make("/f", api.File)
	require.Equal(t, api.OK, w.code(w.ann, command.Acquire{Node: f, Handle: handle(1), Mode: api.Shared, Delay: 1 << 31}))
	w.apply(command.Expire{Guard: 1, Session: w.ann})
	require.Equal(t, api.MaxLockDelay, lock.Delays(w.db)[0].Length)
}
