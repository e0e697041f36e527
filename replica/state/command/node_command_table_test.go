package command_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// contents reads a file directly, without a command.
func (w *world) contents(n api.Ref) string {
	s, _, code := tree.Contents(w.db, n)
	require.Equal(w.t, api.OK, code)
	return s
}

// A NodeCommand is judged as a Call is, by the same tests in the same order.
func TestTheOrderOfTestsOfAnAct(t *testing.T) {
	for _, c := range orderOfTests {
		w := newWorld(t)
		n := w.make("/f", api.File)
		guard := w.guard()
		act := func(seq, seen api.Seq, d command.NodeOp) command.NodeCommand {
			return command.NodeCommand{Guard: guard, Session: w.bob, Seq: seq, AckedThrough: seen, Op: d}
		}
		write := act(1, 0, command.SetContents{Node: n, Contents: "v"})
		if c.answered {
			require.Equal(t, command.Executed, w.apply(write).Verdict)
		}
		if c.seen {
			w.apply(act(2, 1, command.GetStat{Node: n}))
		}
		if !c.alive {
			w.apply(command.Call{Guard: guard, Session: w.bob, Seq: 3, Op: api.EndSession{}})
		}
		if !c.guard {
			w.epoch()
		}
		write.Op = command.SetContents{Node: n, Contents: "again"} // tells the copies apart
		before, sum := w.contents(n), w.db.Len()
		a := w.apply(write)
		require.Equal(t, c.verdict, a.Verdict, "%+v", c)
		require.Equal(t, c.code, a.Result.Code, "%+v", c)
		if c.verdict == command.Executed {
			before, sum = "again", sum+1
			require.Len(t, a.Effects, 2, "the file, and the directory it stands in")
		} else {
			require.Empty(t, a.Effects, "%+v", c)
		}
		require.Equal(t, before, w.contents(n), "%+v", c)
		require.Equal(t, sum, w.db.Len(), "an answer and nothing else: %+v", c)
		require.NoError(t, command.Audit(w.db))
	}
}

// E03: a command of an earlier epoch has no effect, except Epoch and Checksum, which have no guard.
func TestEveryCommandButTwoIsGuarded(t *testing.T) {
	for i := range newWorld(t).some(file) {
		w := newWorld(t)
		n := w.make("/f", api.File)
		c := w.some(n)[i]
		w.epoch()
		before := w.db.Len()
		a := w.apply(c)
		require.Equal(t, command.Refused, a.Verdict, "%#v", c)
		require.Equal(t, api.Result{Code: api.Aborted}, a.Result, "%#v", c)
		require.Empty(t, a.Effects)
		require.Equal(t, before, w.db.Len())
	}
}

// The limits of check.go are tested before everything else, whatever the rows are.
func TestLimitsOfActsAreTestedAgainWhenApplied(t *testing.T) {
	big := strings.Repeat("v", api.MaxContents+1)
	n, dir, none := file, api.Ref{Path: path("/d"), Instance: 5}, api.Ref{Path: path("/f")}
	odd := api.Sequencer{Node: file, Mode: api.Shared}
	open := func(change func(d *command.OpenNode)) command.OpenNode {
		d := command.OpenNode{Path: path("/d/x"), Rights: api.RightRead, Create: api.CreateMay, Kind: api.File}
		change(&d)
		return d
	}
	for _, c := range []struct {
		why    string
		nodeOp command.NodeOp
		code   api.Code
	}{
		{"open: no right", open(func(d *command.OpenNode) { d.Rights = 0 }), api.Invalid},
		{"open: an unknown right", open(func(d *command.OpenNode) { d.Rights = 8 }), api.Invalid},
		{"open: an unknown creation", open(func(d *command.OpenNode) { d.Create = 3 }), api.Invalid},
		{"open: of no kind", open(func(d *command.OpenNode) { d.Kind = 0 }), api.Invalid},
		{"open: a kind and nothing is made", open(func(d *command.OpenNode) { d.Create = api.CreateNever }), api.Invalid},
		{"open: a directory with contents", open(func(d *command.OpenNode) { d.Kind, d.Contents = api.Directory, "v" }), api.Invalid},
		{"open: names that are none", open(func(d *command.OpenNode) { d.Names.Read = ".." }), api.Invalid},
		{"open: too long contents", open(func(d *command.OpenNode) { d.Contents = big }), api.TooLarge},
		{"open: beside the directory", open(func(d *command.OpenNode) { d.Dir = n }), api.Invalid},
		{"open: a name that begins as the directory's", open(func(d *command.OpenNode) { d.Dir, d.Path = dir, path("/dx") }), api.Invalid},
		{"open: above the directory", open(func(d *command.OpenNode) { d.Dir, d.Path = dir, api.Path{} }), api.Invalid},
		{"open: a directory without instance", open(func(d *command.OpenNode) { d.Dir = api.Ref{Path: path("/d")} }), api.Invalid},
		{"open: a fence that is none", open(func(d *command.OpenNode) { d.Fence = odd }), api.Invalid},
		{"no node to read", command.GetContents{Node: none}, api.Invalid},
		{"no node to look at", command.GetStat{Node: none}, api.Invalid},
		{"no node to list", command.ReadDir{Node: none}, api.Invalid},
		{"after what is no name", command.ReadDir{Node: n, After: "a/b"}, api.Invalid},
		{"no node to write", command.SetContents{Node: none}, api.Invalid},
		{"too much to write", command.SetContents{Node: n, Contents: big}, api.TooLarge},
		{"no node for names", command.SetACL{Node: none, Names: names}, api.Invalid},
		{"names that are none", command.SetACL{Node: n}, api.Invalid},
		{"no node to delete", command.DeleteNode{Node: none}, api.Invalid},
		{"no node to lock", command.Acquire{Node: none, Handle: one, Mode: api.Shared}, api.Invalid},
		{"no handle to lock by", command.Acquire{Node: n, Mode: api.Shared}, api.Invalid},
		{"no mode", command.Acquire{Node: n, Handle: one}, api.Invalid},
		{"a fence that is none", command.Acquire{Node: n, Handle: one, Mode: api.Shared, Fence: odd}, api.Invalid},
		{"no node to release", command.Release{Node: none, Handle: one, Acquisition: 1}, api.Invalid},
		{"no acquisition", command.Release{Node: n, Handle: one}, api.Invalid},
		{"no handle to cancel", command.CancelAcquire{Node: n, Call: 9}, api.Invalid},
		{"a call that is this one", command.CancelAcquire{Node: n, Handle: one, Call: 10}, api.Invalid},
		{"a call that this one gives up", command.CancelAcquire{Node: n, Handle: one, Call: 8}, api.Invalid},
		{"no handle to close", command.CloseHandle{Node: n}, api.Invalid},
		{"no handle that holds", command.GetSequencer{Node: n}, api.Invalid},
		{"no sequencer", command.CheckSequencer{Node: n}, api.Invalid},
		{"the sequencer of another node", command.CheckSequencer{Node: dir, Sequencer: fence}, api.Invalid},
		{"the sequencer of another instance", command.CheckSequencer{Node: api.Ref{Path: n.Path, Instance: 5}, Sequencer: fence}, api.Invalid},
		{"a failure that is none", command.Fail{Code: api.OK}, api.Invalid},
		{"a failure that decides nothing", command.Fail{Code: api.Aborted}, api.Invalid},
		{"a failure that is no code", command.Fail{Code: 200}, api.Invalid},
		{"a failure", command.Fail{Code: api.NoRight}, api.NoSession},
	} {
		cl := newCell(t)
		cl.epoch()
		a := cl.apply(acting(c.nodeOp))
		require.Equal(t, command.Refused, a.Verdict, c.why)
		require.Equal(t, api.Result{Code: c.code}, a.Result, c.why)
	}
	for _, c := range []command.Command{
		command.NodeCommand{Seq: 1, Op: command.GetStat{Node: n}},
		command.NodeCommand{Session: 1, Op: command.GetStat{Node: n}},
		command.NodeCommand{Session: 1, Seq: 3, AckedThrough: 3, Op: command.GetStat{Node: n}},
		command.NodeCommand{Session: 1, Seq: api.MaxWindow + 1, Op: command.GetStat{Node: n}},
		command.Found{Founding: founding()},
		command.Expire{},
		command.FailHandle{Session: 1},
		command.FailHandle{Handle: one},
		command.DelayOver{Node: none, Freed: 1},
		command.DelayOver{Node: n},
		command.Sweep{Node: none},
		command.LongestLease{},
		command.Backup{Done: rows.Backup{Elapsed: -1}},
		command.LongestLease{Lease: api.MaxLease + 1},
		command.SetLimits{},
		command.SetLimits{Nodes: tree.Limits{Directory: tree.Usage{Nodes: 1}}, Sessions: rows.MaxSessions + 1},
		command.Call{Session: 1, Seq: 1, Op: api.GetStat{Handle: "t"}},
	} {
		cl := newCell(t)
		require.Equal(t, api.Result{Code: api.Invalid}, cl.apply(c).Result, "%#v", c)
		require.Equal(t, 1, cl.db.Len(), "only the counter row")
	}
}

// A duplicate repeats the first answer, whatever has become of the node since.
func TestAnActIsRepeatedWithTheAnswerOfThen(t *testing.T) {
	w := newWorld(t)
	n := w.make("/f", api.File)
	write := w.next(w.bob, command.SetContents{Node: n, Contents: "1"})
	first := w.apply(write)
	require.Equal(t, api.OK, first.Result.Code)
	w.act(w.ann, command.SetContents{Node: n, Contents: "2"})
	w.act(w.ann, command.DeleteNode{Node: n})
	again := w.apply(write)
	require.Equal(t, command.Repeated, again.Verdict)
	require.Equal(t, first.Result, again.Result)
	_, kept := rows.GetAnswer(w.db, w.bob, write.Seq)
	require.True(t, kept)
	last := w.next(w.bob, command.GetStat{Node: n})
	last.AckedThrough = write.Seq
	require.Equal(t, api.Gone, w.apply(last).Result.Code)
	_, kept = rows.GetAnswer(w.db, w.bob, write.Seq)
	require.False(t, kept, "the client has seen it")
}
