package events_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/events"
)

// rig is a checker, and one handle of session 7 that watches a node.
type rig struct {
	world *sim.World
	c     *events.Checker
	n     api.Number
	w     *events.Watch
}

var (
	node   = api.Ref{Instance: 5}
	handle = api.HandleID{Epoch: 1, Counter: 1}
	wide   = client.WantContents | client.WantChildren | client.WantInvalid | client.WantLockWanted
)

func newRig(mask client.EventMask) *rig {
	r := &rig{world: sim.New(sim.Config{})}
	r.c = events.New(r.world)
	r.w = r.c.Opened(7, node, handle, mask, client.Stat{Content: 1})
	return r
}

// does applies the next command, which has these effects.
func (r *rig) does(effects ...command.Effect) {
	r.n++
	r.c.OnCommand(&command.Applied{Number: r.n, Effects: effects})
}

func written(gen api.ContentGen) command.Effect {
	return command.TreeChanged{Effect: tree.ContentsChanged{Node: node, Gen: gen}}
}

func added(name string) command.Effect {
	return command.TreeChanged{Effect: tree.ChildChanged{Directory: node, Name: name, Change: tree.ChildCreated}}
}

func contents(by uint64) client.Event { return client.Event{Kind: client.EventContents, Cause: by} }

func child(name string, by uint64) client.Event {
	return client.Event{Kind: client.EventChildren, Child: name, Change: client.ChildAdded, Cause: by}
}

// Good and bad histories. Each bad one breaks S13; the good ones owe nothing at the end.
func TestHistories(t *testing.T) {
	deleted := command.TreeChanged{Effect: tree.Deleted{Node: node}}
	granted := command.LockChanged{Effect: lock.Granted{Lock: node, Owner: lock.Owner{Session: 7, Handle: handle}}}
	for name, c := range map[string]struct {
		mask client.EventMask
		run  func(r *rig)
		bad  bool
	}{
		"told":                     {wide, func(r *rig) { r.does(written(2)); r.w.Hears(contents(1)) }, false},
		"two in a row told as one": {wide, func(r *rig) { r.does(written(2)); r.does(written(3)); r.w.Hears(contents(2)) }, false},
		"never told":               {wide, func(r *rig) { r.does(written(2)) }, true},
		"the last one not told":    {wide, func(r *rig) { r.does(written(2)); r.does(written(3)); r.w.Hears(contents(1)) }, true},
		"another child told":       {wide, func(r *rig) { r.does(added("a")); r.does(added("b")); r.w.Hears(child("b", 2)) }, true},
		"an earlier one left out": {wide, func(r *rig) {
			r.does(added("a"))
			r.does(written(2))
			r.w.Hears(contents(2))
			r.w.Hears(client.Event{Kind: client.EventReadAgain})
		}, true},
		"deleted, in front of read again": {wide, func(r *rig) {
			r.does(added("a"))
			r.does(deleted)
			r.w.Hears(client.Event{Kind: client.EventInvalid, Cause: 2})
			r.w.Hears(client.Event{Kind: client.EventReadAgain, Cause: 2})
		}, false},
		"read again": {wide, func(r *rig) {
			r.does(written(2))
			r.does(added("a"))
			r.w.Hears(client.Event{Kind: client.EventReadAgain})
		}, false},
		"read again, and not what came later": {wide, func(r *rig) {
			r.does(written(2))
			r.does(added("a"))
			r.w.Hears(client.Event{Kind: client.EventReadAgain, Cause: 1})
		}, true},
		"not asked for, and not told": {client.WantChildren, func(r *rig) { r.does(written(2)) }, false},
		"not asked for, and told":     {client.WantChildren, func(r *rig) { r.does(written(2)); r.w.Hears(contents(1)) }, true},
		"before the fact":             {wide, func(r *rig) { r.w.Hears(contents(1)); r.does(written(2)) }, true},
		"nothing has happened":        {wide, func(r *rig) { r.does(added("a")); r.w.Hears(contents(1)); r.w.Hears(child("a", 1)) }, true},
		"of another child":            {wide, func(r *rig) { r.does(added("a")); r.w.Hears(child("b", 1)); r.w.Hears(child("a", 1)) }, true},
		"twice":                       {wide, func(r *rig) { r.does(written(2)); r.w.Hears(contents(1)); r.w.Hears(contents(1)) }, true},
		"out of order":                {wide, func(r *rig) { r.does(added("a")); r.does(written(2)); r.w.Hears(contents(2)); r.w.Hears(child("a", 1)) }, true},
		"deleted":                     {wide, func(r *rig) { r.does(deleted); r.w.Hears(client.Event{Kind: client.EventInvalid, Cause: 1}) }, false},
		"deleted before":              {wide, func(r *rig) { r.does(deleted); r.does(); r.w.Hears(client.Event{Kind: client.EventInvalid, Cause: 2}) }, false},
		"not deleted":                 {wide, func(r *rig) { r.does(); r.w.Hears(client.Event{Kind: client.EventInvalid, Cause: 1}) }, true},
		"a held lock is wanted":       {wide, func(r *rig) { r.does(granted); r.w.Hears(client.Event{Kind: client.EventLockWanted, Cause: 1}) }, false},
		"a lock that it never had":    {wide, func(r *rig) { r.does(); r.w.Hears(client.Event{Kind: client.EventLockWanted, Cause: 1}) }, true},
		"the session ended":           {wide, func(r *rig) { r.does(written(2)); r.does(command.SessionEnded{Session: 7}) }, false},
		"the handle was closed":       {wide, func(r *rig) { r.does(written(2)); r.w.Ends(); r.does(written(3)) }, false},
		"old contents read":           {wide, func(r *rig) { r.does(written(2)); r.w.Hears(contents(1)); r.w.AsksContents()(1) }, true},
		"told while it was read":      {wide, func(r *rig) { found := r.w.AsksContents(); r.does(written(2)); r.w.Hears(contents(1)); found(1) }, false},
		"new contents read":           {wide, func(r *rig) { r.does(written(2)); r.does(written(3)); r.w.Hears(contents(2)); r.w.AsksContents()(3) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(c.mask)
			c.run(r)
			if r.world.Failure() == nil {
				r.w.Misses("a minute")
			}
			f := r.world.Failure()
			require.Equal(t, c.bad, f != nil, "%v", f)
			if f != nil {
				require.Equal(t, "S13", f.ID)
			}
		})
	}
}

// A report of an event says what the handle has asked for.
func TestAReportSaysWhatWasAskedFor(t *testing.T) {
	r := newRig(client.WantChildren | client.WantLockWanted)
	r.does(written(2))
	r.w.Hears(contents(1))
	require.Contains(t, r.world.Failure().Text, "which asks for children, lock-wanted)")
}

// A report of a missed event says under which master the handle was opened, and what else the session has of the node:
// a master learns of the handles of its predecessor in another way than of its own.
func TestAReportSaysWhichOtherHandlesTheSessionHas(t *testing.T) {
	r := newRig(client.WantChildren)
	r.does(command.EpochBegan{Epoch: rows.Epoch{Number: 3}})
	r.does(added("a"))
	r.c.Opened(8, node, api.HandleID{Epoch: 3, Counter: 8}, wide, client.Stat{Content: 1}) // of another session
	for i := range 4 {
		r.c.Opened(7, node, api.HandleID{Epoch: 3, Counter: 9 + uint64(i)}, client.WantChildren|client.WantContents, client.Stat{Content: 1})
	}
	r.does(added("b"))
	r.w.Hears(child("b", 3))
	require.Contains(t, r.world.Failure().Text, "(by its handle 1.1, opened under an earlier master, which asks for children; "+
		"another is 3.12, opened under this master after command 2, which asks for contents, children; "+
		"another is 3.11, opened under this master after command 2, which asks for contents, children; and 2 more)")
}

// Where a master keeps few events, a report of a missed one says how many: the rest must have become "read again".
func TestAReportSaysHowManyEventsAMasterKeeps(t *testing.T) {
	for node, says := range map[int]bool{2: true, 64: false} {
		r := newRig(client.WantChildren)
		r.c.Room.Node, r.c.Room.Session = node, 100
		r.does(added("a"))
		r.w.Misses("a minute")
		require.Equal(t, says, strings.Contains(r.world.Failure().Text,
			"; of events that wait to be sent to a client, a master here keeps at most 2 about a node and 100 in all, and must say read again in place of more)"), r.world.Failure().Text)
	}
}

// An event that is taken long after it happened has waited, and others behind it: the report says for how long.
func TestAReportSaysHowOldAnEventIs(t *testing.T) {
	r := newRig(client.WantChildren)
	r.does(added("a"))
	r.does(added("b"))
	r.world.After(5*time.Second, func() { r.w.Hears(child("b", 2)) })
	r.world.Run(time.Minute)
	require.Contains(t, r.world.Failure().Text, "child b added by command 2, which the program takes 5 s after it happened, and has not heard of child a added by command 1, executed at 0.000000s")
}

// A change between the execution of an Open and its answer is owed as well.
func TestAChangeDuringAnOpenIsOwed(t *testing.T) {
	r := newRig(0)
	r.does(written(2))
	w := r.c.Opened(8, node, handle, wide, client.Stat{Content: 1})
	require.Equal(t, "contents by command 1, executed at 0.000000s", w.Owed())
	w = r.c.Opened(8, node, handle, wide, client.Stat{Content: 2})
	require.Empty(t, w.Owed())
}
