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

// Each node operation on a file or directory, on a node that was deleted, on another instance with the same
// path (C24), and on a node of the wrong kind.
func TestEachOperationOnEachNode(t *testing.T) {
	w := newWorld(t)
	f := w.made(w.ann, command.OpenNode{Path: path("/f"), Rights: read, Create: mustExecute, Kind: api.File, Contents: "v"})
	d := w.make("/d", api.Directory)
	w.make("/d/x", api.File)
	old := w.make("/old", api.File)
	require.Equal(t, api.OK, w.code(w.ann, command.DeleteNode{Node: old}))
	newer := w.make("/old", api.File)
	gone := api.Ref{Path: path("/none"), Instance: old.Instance}
	root, _, _ := tree.Lookup(w.db, api.Path{})
	acl, _, _ := tree.Lookup(w.db, api.ACLDirectory())
	names := of("ab*")
	for _, c := range []struct {
		why     string
		nodeOp  command.NodeOp
		want    api.Code
		effects int
	}{
		{"read", command.GetContents{Node: f}, api.OK, 0},
		{"read a directory", command.GetContents{Node: d}, api.IsDirectory, 0},
		{"read what went", command.GetContents{Node: old}, api.Gone, 0},
		{"read what never was", command.GetContents{Node: gone}, api.Gone, 0},
		{"look at a file", command.GetStat{Node: f}, api.OK, 0},
		{"look at a directory", command.GetStat{Node: d}, api.OK, 0},
		{"look at what went", command.GetStat{Node: old}, api.Gone, 0},
		{"list", command.ReadDir{Node: d}, api.OK, 0},
		{"list behind the last", command.ReadDir{Node: d, After: "x"}, api.OK, 0},
		{"list a file", command.ReadDir{Node: f}, api.NotDirectory, 0},
		{"list what went", command.ReadDir{Node: old}, api.Gone, 0},
		{"write", command.SetContents{Node: f, Contents: "w"}, api.OK, 2},
		{"write the same", command.SetContents{Node: f, Contents: "w"}, api.OK, 2},
		{"write at a generation that was", command.SetContents{Node: f, Contents: "x", When: api.ContentGen(f.Instance)}, api.Conflict, 0},
		{"write a directory", command.SetContents{Node: d}, api.IsDirectory, 0},
		{"write what went", command.SetContents{Node: old}, api.Gone, 0},
		{"name", command.SetACL{Node: d, Names: names}, api.OK, 2},
		{"name at the first generation", command.SetACL{Node: d, Names: names, When: api.ACLGen(d.Instance)}, api.Conflict, 0},
		{"name the root", command.SetACL{Node: root, Names: of("***")}, api.OK, 1},
		{"name what went", command.SetACL{Node: old, Names: names}, api.Gone, 0},
		{"delete what has children", command.DeleteNode{Node: d}, api.NotEmpty, 0},
		{"delete the root", command.DeleteNode{Node: root}, api.Invalid, 0},
		{"delete the ACL directory", command.DeleteNode{Node: acl}, api.Invalid, 0},
		{"delete what went", command.DeleteNode{Node: old}, api.Gone, 0},
		{"delete", command.DeleteNode{Node: f}, api.OK, 2},
		{"delete it again", command.DeleteNode{Node: f}, api.Gone, 0},
		{"fail", command.Fail{Code: api.HandlePoisoned}, api.HandlePoisoned, 0},
	} {
		before := w.db.Len()
		a := w.act(w.bob, c.nodeOp)
		require.Equal(t, command.Executed, a.Verdict, c.why)
		require.Equal(t, c.want, a.Result.Code, c.why)
		require.Len(t, a.Effects, c.effects, c.why)
		if c.effects == 0 {
			require.Equal(t, before+1, w.db.Len(), "an answer and nothing else: %s", c.why)
		}
	}
	require.Equal(t, api.OK, w.code(w.ann, command.GetStat{Node: newer}), "nothing was done to the one that stands there now")
}

func TestAnswersOfOperations(t *testing.T) {
	w := newWorld(t)
	f, d := w.make("/f", api.File), w.make("/d", api.Directory)
	x := w.make("/d/x", api.File)
	stat := func(n api.Ref) api.Stat {
		s, _ := tree.Stat(w.db, n)
		return s
	}
	one := w.act(w.ann, command.SetContents{Node: f, Contents: "v"})
	require.Equal(t, api.Result{Code: api.OK, Detail: api.NodeStat{Stat: stat(f)}}, one.Result)
	require.EqualValues(t, one.Number, stat(f).Content)
	require.Equal(t, []command.Effect{
		command.TreeChanged{Effect: tree.ContentsChanged{Node: f, Gen: stat(f).Content}},
		command.TreeChanged{Effect: tree.ChildChanged{Directory: api.Ref{Instance: 2}, Name: "f", Change: tree.ChildModified}},
	}, one.Effects)
	require.Equal(t, api.Result{Code: api.Conflict, Detail: api.NodeStat{Stat: stat(f)}},
		w.act(w.ann, command.SetContents{Node: f, Contents: "w", When: 1}).Result)
	require.Equal(t, "v", w.contents(f))
	require.Equal(t, api.Result{Code: api.OK, Value: "v", Detail: api.NodeStat{Stat: stat(f)}}, w.act(w.ann, command.GetContents{Node: f}).Result)
	require.Equal(t, api.Result{Code: api.OK, Detail: api.NodeStat{Stat: stat(d)}}, w.act(w.ann, command.GetStat{Node: d}).Result)
	require.Equal(t, api.Result{Code: api.OK, Detail: api.Listing{Children: []api.Child{{Name: "x", Stat: stat(x)}}}},
		w.act(w.ann, command.ReadDir{Node: d}).Result)
	require.Equal(t, api.Result{Code: api.OK, Detail: api.Listing{}}, w.act(w.ann, command.ReadDir{Node: d, After: "x"}).Result)
	require.Equal(t, api.Result{Code: api.OK, Detail: api.Listing{Children: []api.Child{{Name: "x", Stat: stat(x)}}}},
		w.act(w.ann, command.ReadDir{Node: d, Most: 1}).Result)
	named := w.act(w.ann, command.SetACL{Node: d, Names: of("*a*"), When: stat(d).ACL})
	require.Equal(t, api.Result{Code: api.OK, Detail: api.NodeStat{Stat: stat(d)}}, named.Result)
	require.Equal(t, of("*a*"), stat(d).Names)
	require.EqualValues(t, named.Number, stat(d).ACL)
}

// The lock of a node is deleted with it, and its former holder holds nothing.
func TestANodeIsDeletedWithItsLock(t *testing.T) {
	w := newWorld(t)
	f := w.make("/f", api.File)
	own, other := w.acquired(w.ann, f, 1, api.Shared), w.acquired(w.bob, f, 2, api.Shared)
	third := lock.Owner{Session: w.bob, Handle: handle(3)}
	w.acquired(w.bob, f, 3, api.Shared)
	require.Equal(t, command.Executed, w.apply(command.FailHandle{Guard: 1, Session: w.bob, Handle: handle(3)}).Verdict)
	freed := lock.Delays(w.db)[0].Freed

	a := w.act(w.bob, command.DeleteNode{Node: f})
	require.Equal(t, []command.Effect{
		command.TreeChanged{Effect: tree.Deleted{Node: f}},
		command.TreeChanged{Effect: tree.ChildChanged{Directory: api.Ref{Instance: 2}, Name: "f", Change: tree.ChildDeleted}},
		command.LockChanged{Effect: lock.Freed{Lock: f, Owner: lock.Owner{Session: w.ann, Handle: handle(1)}, Acquisition: own.Acquisition}},
		command.LockChanged{Effect: lock.Freed{Lock: f, Owner: lock.Owner{Session: w.bob, Handle: handle(2)}, Acquisition: other.Acquisition}},
		command.LockChanged{Effect: lock.DelayEnded{Lock: f, Freed: freed}},
	}, a.Effects)
	require.Empty(t, lock.Holdings(w.db))
	require.Empty(t, lock.Delays(w.db))
	_, holds := lock.HeldBy(w.db, third)
	require.False(t, holds)

	g := w.make("/f", api.File)
	for why, d := range map[string]command.NodeOp{
		"the lock of the node that went": command.Acquire{Node: f, Handle: handle(1), Mode: api.Exclusive, Wait: true},
		"its contents":                   command.SetContents{Node: f},
	} {
		require.Equal(t, api.Gone, w.code(w.ann, d), why)
	}
	require.Equal(t, api.NotHeld, w.code(w.ann, command.Release{Node: f, Handle: handle(1), Acquisition: own.Acquisition}))
	require.Equal(t, api.NotHeld, w.code(w.ann, command.Release{Node: g, Handle: handle(1), Acquisition: own.Acquisition}))
	require.Equal(t, api.NotHeld, w.code(w.ann, command.GetSequencer{Node: f, Handle: handle(1)}))
	require.Equal(t, api.StaleSequencer, w.code(w.ann, command.CheckSequencer{Node: f, Sequencer: api.Sequencer{Node: f, Mode: api.Shared, Gen: own.Gen}}))
	held := w.acquired(w.ann, g, 1, api.Exclusive)
	require.Greater(t, held.Gen, own.Gen, "a generation never comes again (C03)")
}

func TestReadActIsAnActThatLeavesNothing(t *testing.T) {
	w := newWorld(t)
	f := w.make("/f", api.File)
	held := w.acquired(w.ann, f, 1, api.Exclusive)
	q := api.Sequencer{Node: f, Mode: api.Exclusive, Gen: held.Gen}
	stale := api.Sequencer{Node: f, Mode: api.Exclusive, Gen: held.Gen + 1}
	logged := w.next(w.ann, command.SetContents{Node: f, Contents: "1"})
	answer := w.apply(logged).Result
	seen := w.next(w.ann, command.SetContents{Node: f, Contents: "2"})
	seen.AckedThrough = 1
	w.apply(seen)
	stat, _ := tree.Stat(w.db, f)
	before := w.db.Checksum()
	read := func(d command.NodeOp) command.NodeCommand {
		return command.NodeCommand{Session: w.ann, Seq: w.seq[w.ann] + 1, Op: d}
	}
	asNow := api.Result{Code: api.OK, Value: "2", Detail: api.NodeStat{Stat: stat}}
	for _, c := range []struct {
		why  string
		act  command.NodeCommand
		want api.Result
	}{
		{"contents", read(command.GetContents{Node: f}), asNow},
		{"contents, fenced", read(command.GetContents{Node: f, Fence: q}), asNow},
		{"contents behind a stale fence", read(command.GetContents{Node: f, Fence: stale}), api.Result{Code: api.StaleSequencer}},
		{"metadata", read(command.GetStat{Node: f}), api.Result{Code: api.OK, Detail: api.NodeStat{Stat: stat}}},
		{"children", read(command.ReadDir{Node: f}), api.Result{Code: api.NotDirectory}},
		{"a sequencer", read(command.GetSequencer{Node: f, Handle: handle(1)}), api.Result{Code: api.OK, Detail: api.Sequenced{Sequencer: q}}},
		{"a sequencer of nothing", read(command.GetSequencer{Node: f, Handle: handle(2)}), api.Result{Code: api.NotHeld}},
		{"whether one is valid", read(command.CheckSequencer{Node: f, Sequencer: q}), api.Result{Code: api.OK}},
		{"whether another one is", read(command.CheckSequencer{Node: f, Sequencer: stale}), api.Result{Code: api.StaleSequencer}},
		{"a node", read(command.OpenNode{Path: f.Path, Rights: api.RightRead}), api.Result{Code: api.OK, Detail: api.Opened{Node: f, Stat: stat}}},
		{"no node", read(command.OpenNode{Path: path("/x"), Rights: api.RightRead}), api.Result{Code: api.NotFound}},
		{"a node that may be made", read(command.OpenNode{Path: f.Path, Rights: api.RightRead, Create: may, Kind: api.File}), api.Result{Code: api.Invalid}},
		{"a write", read(command.SetContents{Node: f}), api.Result{Code: api.Invalid}},
		{"a malformed operation", read(command.GetStat{}), api.Result{Code: api.Invalid}},
		{"a call that the log has answered", command.NodeCommand{Session: w.ann, Seq: logged.Seq, Op: command.GetStat{Node: f}}, answer},
		{"a call that was given up", command.NodeCommand{Session: w.ann, Seq: 1, Op: command.GetStat{Node: f}}, api.Result{Code: api.Stale}},
		{"no session", command.NodeCommand{Session: 99, Seq: 1, Op: command.GetStat{Node: f}}, api.Result{Code: api.NoSession}},
	} {
		require.Equal(t, c.want, command.ReadNode(w.db, c.act), c.why)
	}
	require.Equal(t, before, w.db.Checksum())
}

// Only operations that change nothing in any state are reads.
func TestWhichOperationsOnlyRead(t *testing.T) {
	w := newWorld(t)
	for _, c := range w.some(w.make("/f", api.File)) {
		act, ok := c.(command.NodeCommand)
		if !ok {
			continue
		}
		if _, fails := act.Op.(command.Fail); fails {
			require.False(t, command.IsNodeRead(act.Op), "its answer is to be kept")
			continue
		}
		require.Equal(t, command.FootprintOf(act) == command.Footprint{Session: act.Session}, command.IsNodeRead(act.Op), "%#v", act.Op)
	}
	require.False(t, command.IsNodeRead(command.OpenNode{Create: may}))
	require.Zero(t, rows.GetLongestLease(w.db))
}
