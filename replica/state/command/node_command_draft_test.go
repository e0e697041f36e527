package command_test

import (
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// actDraft draws commands of a master and clients that are hard on the cell: copies of old
// commands at any time and in any order, with their old guard or the present one; handles and
// nodes of other instances; cancellations of anything.
type actDraft struct {
	*rapid.T
	db         *db.DB
	w          *actTwin
	sent       []command.Command
	next       map[api.SessionID]api.Seq
	refs       []api.Ref // of all nodes that there ever were
	sequencers []api.Sequencer
	taken      []api.Acquisition
	freed      []api.Number
	calls      map[api.SessionID][]api.Seq // calls that asked for a lock
}

func pick[T any](d *actDraft, label string, all ...T) T {
	return rapid.SampledFrom(all).Draw(d.T, label)
}

// often returns true n times out of ten.
func (d *actDraft) often(n int, label string) bool {
	return rapid.IntRange(1, 10).Draw(d.T, label) <= n
}

// lately returns an element of all, mostly one of the last.
func lately[T any](d *actDraft, label string, all []T, otherwise T) T {
	if len(all) == 0 {
		return otherwise
	}
	if d.often(7, label+" lately") {
		all = all[max(0, len(all)-3):]
	}
	return pick(d, label, all...)
}

// ref returns a node, mostly one that exists.
func (d *actDraft) ref() api.Ref {
	where := pick(d, "path", slices.Sorted(maps.Keys(d.w.nodes))...)
	n := api.Ref{Path: path(where), Instance: d.w.nodes[where].stat.Instance}
	if d.often(8, "that stands") {
		return n
	}
	return lately(d, "ref", d.refs, api.Ref{Path: n.Path, Instance: n.Instance + 1})
}

func (d *actDraft) fence() api.Sequencer {
	if d.often(8, "no fence") {
		return api.Sequencer{}
	}
	return lately(d, "fence", d.sequencers, api.Sequencer{})
}

func (d *actDraft) names() api.ACLNames {
	name := func(label string) api.ACLName { return pick[api.ACLName](d, label, "all", "all", "ann", "bob") }
	return api.ACLNames{Read: name("read"), Write: name("write"), Change: name("change")}
}

func (d *actDraft) open() command.OpenNode {
	o := command.OpenNode{Path: path(pick(d, "path", "/a", "/d", "/d/e", "/a/x", "/acl/ann", "/acl/bob", "/x/y", "/")),
		Rights: pick(d, "rights", read, write, read|write), Create: pick(d, "create", may, mustExecute, never), Fence: d.fence()}
	if up, ok := o.Path.Parent(); ok && d.often(3, "by a directory") {
		if f := d.w.nodes[up.String()]; f != nil {
			o.Dir = api.Ref{Path: up, Instance: f.stat.Instance + api.Instance(rapid.IntRange(0, 1).Draw(d.T, "another"))}
		}
	}
	if o.Create != never {
		o.Kind, o.Ephemeral = pick(d, "kind", api.File, api.Directory), d.often(5, "ephemeral")
		if d.often(3, "named") {
			o.Names = d.names()
		}
		if o.Kind == api.File {
			o.Contents = d.contents()
		}
	}
	return o
}

func (d *actDraft) contents() string { return pick(d, "contents", "", "v", "ann\n", "bob\n", "*\n") }

// nodeOp returns a node operation by a handle and about a node, mostly ones that belong together.
func (d *actDraft) nodeOp(id api.SessionID) command.NodeOp {
	n, h, a := d.ref(), handle(rapid.Uint64Range(1, 3).Draw(d.T, "handle")), lately(d, "acquisition", d.taken, 1)
	if all := lock.HoldingsOf(d.db, id); len(all) > 0 && d.often(6, "a holder") {
		held := pick(d, "hold", all...)
		n, h = held.Lock, held.Owner.Handle
		if d.often(7, "by its name") {
			a = held.Acquisition
		}
	}
	switch rapid.IntRange(0, 23).Draw(d.T, "operation") {
	case 0, 1, 2, 3, 4:
		return command.Acquire{Node: n, Handle: h, Mode: pick(d, "mode", api.Exclusive, api.Shared), Delay: pick[api.LockDelay](d, "delay", 7, 0, 90_000),
			Wait: d.often(5, "waits"), Fence: d.fence()}
	case 5, 6, 7, 8:
		return d.open()
	case 9, 10:
		return command.Release{Node: n, Handle: h, Acquisition: a}
	case 11, 12:
		return command.GetSequencer{Node: n, Handle: h, Fence: d.fence()}
	case 13:
		return command.SetContents{Node: n, Contents: d.contents(), When: pick(d, "when", 0, api.ContentGen(n.Instance)), Fence: d.fence()}
	case 14:
		return command.SetACL{Node: n, Names: d.names(), When: pick(d, "when", 0, api.ACLGen(n.Instance)), Fence: d.fence()}
	case 15:
		return command.CloseHandle{Node: n, Handle: h}
	case 16, 17:
		return command.DeleteNode{Node: n, Fence: d.fence()}
	case 18:
		return command.GetContents{Node: n, Fence: d.fence()}
	case 19:
		return command.GetStat{Node: n, Fence: d.fence()}
	case 20:
		return command.ReadDir{Node: n, After: pick(d, "after", "", "a"), Most: pick[uint64](d, "most", 0, 1, 2), Fence: d.fence()}
	case 21:
		return command.Fail{Code: api.HandleClosed}
	}
	if q := lately(d, "sequencer", d.sequencers, api.Sequencer{}); q.Valid() {
		return command.CheckSequencer{Node: q.Node, Sequencer: q, Fence: d.fence()}
	}
	return command.GetStat{Node: n}
}

func (d *actDraft) session() api.SessionID {
	ids := []api.SessionID{99999}
	for id := range d.next {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	if alive := slices.Sorted(maps.Keys(d.w.seen)); len(alive) > 0 && d.often(9, "alive") {
		ids = alive
	}
	return pick(d, "session", ids...)
}

func (d *actDraft) act() command.Command {
	id := d.session()
	d.next[id]++
	seq := d.next[id]
	seen := seq - min(seq, api.Seq(rapid.IntRange(1, 9).Draw(d.T, "back")))
	op := d.nodeOp(id)
	if calls := d.calls[id]; len(calls) > 0 && d.often(2, "cancel") {
		if call := lately(d, "call", calls, 0); call > d.w.seen[id] || d.often(1, "too late") {
			op, seen = d.cancel(id, call), min(seen, call-1)
		}
	}
	if _, ok := op.(command.Acquire); ok {
		d.calls[id] = append(d.calls[id], seq)
	}
	return command.NodeCommand{Guard: d.w.epoch, Session: id, Seq: seq, AckedThrough: seen, Op: op}
}

// cancel returns a CancelAcquire, mostly with the node and the handle of the call.
func (d *actDraft) cancel(id api.SessionID, call api.Seq) command.NodeOp {
	if d.often(9, "its own") {
		for _, c := range d.sent {
			if act, ok := c.(command.NodeCommand); ok && act.Session == id && act.Seq == call {
				a := act.Op.(command.Acquire)
				return command.CancelAcquire{Node: a.Node, Handle: a.Handle, Call: call}
			}
		}
	}
	return command.CancelAcquire{Node: d.ref(), Handle: handle(rapid.Uint64Range(1, 3).Draw(d.T, "handle")), Call: call}
}

func (d *actDraft) upkeep() command.Command {
	g, n := d.w.epoch, d.ref()
	owner := lock.Owner{Session: d.session(), Handle: handle(rapid.Uint64Range(1, 3).Draw(d.T, "handle"))}
	if all := lock.Holdings(d.db); len(all) > 0 && d.often(7, "a holder") {
		owner = pick(d, "hold", all...).Owner
	}
	freed := lately(d, "freed", d.freed, 1)
	if all := lock.Delays(d.db); len(all) > 0 && d.often(7, "a delay") {
		running := pick(d, "running", all...)
		n, freed = running.Lock, running.Freed
	}
	switch rapid.IntRange(0, 7).Draw(d.T, "upkeep") {
	case 0, 1:
		return command.DelayOver{Guard: g, Node: n, Freed: freed}
	case 2, 3:
		return command.FailHandle{Guard: g, Session: owner.Session, Handle: owner.Handle}
	case 4, 5:
		for e := range tree.Ephemerals(d.db) {
			if d.often(5, "an ephemeral one") {
				n = e
			}
		}
		return command.Sweep{Guard: g, Node: n}
	case 6:
		return command.Expire{Guard: g, Session: owner.Session}
	}
	return command.Call{Guard: g, Session: owner.Session, Seq: 1 << 40, AckedThrough: 1<<40 - 1, Op: api.EndSession{}}
}

// again returns a copy with its old guard, or a retry with the present one.
func (d *actDraft) again() command.Command {
	c := lately(d, "copy", d.sent, command.Command(command.Epoch{Master: 1}))
	if d.often(5, "retry") {
		switch c := c.(type) {
		case command.NodeCommand:
			c.Guard = d.w.epoch
			return c
		case command.Expire:
			c.Guard = d.w.epoch
			return c
		}
	}
	return c
}

func (d *actDraft) command() command.Command {
	switch what := rapid.IntRange(0, 39).Draw(d.T, "what"); {
	case len(d.next) < 2 || what >= 38:
		return d.opening()
	case what <= 16:
		return d.act()
	case what <= 19: // a command that is long on its way, and another one
		d.sent = append(d.sent, d.act())
		if d.often(3, "an epoch begins") {
			return command.Epoch{Master: 1, Ballot: rows.Ballot{Round: d.w.number, Node: 1}}
		}
		return d.act()
	case what <= 29:
		return d.again()
	}
	return d.upkeep()
}

func (d *actDraft) opening() command.Command {
	nonce := rapid.Uint64Range(1, 4).Draw(d.T, "nonce")
	who := []api.Principal{"ann", "bob"}[nonce%2]
	return command.Call{Guard: d.w.epoch, Op: api.OpenSession{Nonce: api.Nonce{nonce}}, Principal: who}
}

// note remembers the outcome of a command, so that later commands can refer to it.
func (d *actDraft) note(a command.Applied) {
	if id := a.Result.Session; id != 0 {
		d.next[id] += 0
	}
	for _, e := range a.Effects {
		switch e := e.(type) {
		case command.TreeChanged:
			if c, ok := e.Effect.(tree.Created); ok {
				d.refs = append(d.refs, c.Node)
			}
		case command.LockChanged:
			switch l := e.Effect.(type) {
			case lock.Granted:
				d.taken = append(d.taken, l.Acquisition)
				d.sequencers = append(d.sequencers, api.Sequencer{Node: l.Lock, Mode: l.Mode, Gen: l.Gen})
			case lock.DelayBegan:
				d.freed = append(d.freed, l.Freed)
			}
		}
	}
}
