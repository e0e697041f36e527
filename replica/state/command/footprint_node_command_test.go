package command_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// called returns a name for a row, so that a table can list it.
func (w *world) called(key string) string {
	who := func(id api.SessionID) string { return map[api.SessionID]string{w.ann: "ann", w.bob: "bob"}[id] }
	if k, ok := rows.ParseKey(key); ok {
		switch k.Family {
		case rows.FamilySession, rows.FamilyAnswer:
			return fmt.Sprintf("%c %s", k.Family, who(k.Session))
		case rows.FamilyOpener:
			return fmt.Sprintf("o %d", k.Nonce[0])
		}
		return string(rune(k.Family))
	}
	if k, ok := tree.ParseKey(key); ok {
		switch k.Family {
		case tree.FamilyUsage:
			return "p " + string(k.Principal)
		case tree.FamilyLimits:
			return "q"
		}
		return fmt.Sprintf("%c %v", k.Family, k.Path)
	}
	k, ok := lock.ParseKey(key)
	require.True(w.t, ok, "%q", key)
	switch k.Family {
	case lock.FamilyHold:
		return fmt.Sprintf("lh %v %s%d", k.Lock.Path, who(k.Owner.Session), k.Owner.Handle.Counter)
	case lock.FamilyIndex:
		return fmt.Sprintf("ls %s%d", who(k.Owner.Session), k.Owner.Handle.Counter)
	}
	return fmt.Sprintf("l%c %v", k.Family, k.Lock.Path)
}

// Which rows of each kind each command may change. Commands make the rows, so the keys are the real
// ones.
func TestWhatActsAndTheMastersOwnCommandsTouch(t *testing.T) {
	w := newWorld(t)
	d := w.make("/d", api.Directory)
	f, g := w.make("/d/f", api.File), w.make("/g", api.File)
	e := w.made(w.bob, command.OpenNode{Path: path("/d/e"), Rights: api.RightRead, Create: api.CreateMust, Kind: api.File, Ephemeral: true})
	take := func(id api.SessionID, n api.Ref, h uint64) {
		require.Equal(t, api.OK, w.code(id, command.Acquire{Node: n, Handle: handle(h), Mode: api.Shared, Delay: 5}))
	}
	take(w.ann, f, 1)
	take(w.ann, f, 2)
	take(w.bob, f, 3)
	take(w.ann, g, 4)
	take(w.bob, g, 5)
	w.apply(command.FailHandle{Guard: 1, Session: w.bob, Handle: handle(5)})
	w.apply(command.FailHandle{Guard: 1, Session: w.ann, Handle: handle(2)})
	w.apply(command.LongestLease{Guard: 1, Lease: 1})
	w.apply(command.Backup{Guard: 1, Done: rows.Backup{Slot: 1}})
	w.apply(command.SetLimits{Guard: 1, Sessions: 9})
	freed := lock.Delays(w.db)
	require.Len(t, freed, 2)
	var names []string
	for key := range w.db.Ascend("", "") {
		names = append(names, w.called(key))
	}
	slices.Sort(names)
	names = slices.Compact(names)

	ann := []string{"n", "s ann", "d ann"}
	with := func(base []string, more ...string) []string { return append(slices.Clone(base), more...) }
	usage := []string{"p ann", "p bob"}
	whole := with(ann, append(usage, "t /d", "t /d/f", "b /d/f")...)
	lockF := []string{"ll /d/f", "lh /d/f ann1", "ls ann1"}
	act := func(d command.NodeOp) command.NodeCommand { return command.NodeCommand{Session: w.ann, Seq: 1, Op: d} }
	for _, c := range []struct {
		cmd  command.Command
		want []string
	}{
		{command.ConfirmLeadership{}, []string{"n"}},
		{command.LongestLease{}, []string{"n", "m"}},
		{command.Backup{}, []string{"n", "k"}},
		{command.SetLimits{}, []string{"n", "q", "a"}},
		{act(command.Fail{}), ann},
		{act(command.GetContents{Node: f}), ann},
		{act(command.GetStat{Node: f}), ann},
		{act(command.ReadDir{Node: d}), ann},
		{act(command.GetSequencer{Node: f, Handle: handle(1)}), ann},
		{act(command.CheckSequencer{Node: f}), ann},
		{act(command.OpenNode{Path: f.Path}), ann},
		{act(command.OpenNode{Path: f.Path, Create: api.CreateMay}), whole},
		{act(command.OpenNode{Path: e.Path, Create: api.CreateMust}), with(ann, append(usage, "t /d", "t /d/e", "b /d/e", "i /d/e")...)},
		{act(command.SetContents{Node: f}), whole},
		{act(command.SetACL{Node: f}), with(ann, "t /d/f")},
		{act(command.DeleteNode{Node: f}), with(whole, "ll /d/f", "lh /d/f ann1", "lh /d/f bob3", "ld /d/f", "ls ann1", "ls ann4", "ls bob3")},
		{act(command.Acquire{Node: f, Handle: handle(1)}), with(ann, append(lockF, "t /d/f")...)},
		{act(command.Release{Node: f, Handle: handle(1)}), with(ann, lockF...)},
		{act(command.CancelAcquire{Node: f, Handle: handle(1)}), with(ann, lockF...)},
		{act(command.CloseHandle{Node: f, Handle: handle(1)}), with(ann, lockF...)},
		{act(command.CloseHandle{Node: api.Ref{Path: f.Path, Instance: 1}, Handle: handle(1)}), with(ann, "ls ann1")},
		{command.Sweep{Node: e}, []string{"n", "t /d", "t /d/e", "b /d/e", "i /d/e", "p ann", "p bob", "ls ann1", "ls ann4", "ls bob3"}},
		{command.FailHandle{Session: w.ann, Handle: handle(4)}, []string{"n", "ll /d/f", "ll /g", "lh /g ann4", "ls ann4", "ld /g"}},
		{command.Expire{Session: w.ann}, with(ann, "o 1", "o 2", "ll /d/f", "ll /g", "lh /d/f ann1", "lh /g ann4", "ls ann1", "ls ann4", "ld /g")},
		{command.Call{Session: w.ann, Op: api.EndSession{}}, with(ann, "o 1", "o 2", "ll /d/f", "ll /g", "lh /d/f ann1", "lh /g ann4", "ls ann1", "ls ann4")},
		{command.DelayOver{Node: g, Freed: freed[1].Freed}, []string{"n", "ll /g", "ld /g"}},
		{command.DelayOver{Node: g, Freed: freed[0].Freed}, []string{"n", "ll /g"}},
		{command.Found{}, slices.DeleteFunc(slices.Clone(names), func(s string) bool {
			return !slices.Contains([]string{"n", "h", "q"}, s) && !slices.Contains([]byte("tbip"), s[0])
		})},
	} {
		var got []string
		touched := command.FootprintOf(c.cmd)
		for key := range w.db.Ascend("", "") {
			if touched.CanChange(key, freed[1].Freed) {
				got = append(got, w.called(key))
			}
		}
		slices.Sort(got)
		slices.Sort(c.want)
		require.Equal(t, slices.Compact(c.want), slices.Compact(got), "%#v", c.cmd)
	}
}
