package nodeops

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// maxSweeps bounds the sweeps that are proposed at one time.
const maxSweeps = 64

// sweep is the proposed deletion of an ephemeral node.
type sweep struct {
	node api.Ref
	held []*calls.Call // Opens of its path
}

// doubts holds paths whose ephemeral node, if there is one, may be open by no session. It keeps the
// order in which they were added.
type doubts struct {
	order []api.Path
	in    map[api.Path]bool
}

func newDoubts() doubts { return doubts{in: map[api.Path]bool{}} }

func (ds *doubts) add(p api.Path) {
	if !ds.in[p] {
		ds.in[p] = true
		ds.order = append(ds.order, p)
	}
}

func (ds *doubts) pop() api.Path {
	p := ds.order[0]
	ds.order = ds.order[1:]
	delete(ds.in, p)
	return p
}

// Serving tells Ops that all operations are allowed from now on (CHU §2.9, step 7).
// Config.SweepAfter later, ephemeral nodes that no session has presented a handle of are swept.
func (o *Ops) Serving(now time.Time) { o.sweepAt = now.Add(o.cfg.SweepAfter) }

// doubtAll doubts all ephemeral nodes, once, when clients that had one open before the epoch have had
// the time to present their handles.
func (o *Ops) doubtAll(at At) {
	if o.swept || o.sweepAt.IsZero() || at.Now.Before(o.sweepAt) {
		return
	}
	o.swept = true
	for n := range tree.Ephemerals(at.Rows) {
		o.doubted.add(n.Path)
	}
}

// sweepDoubted proposes the sweeps of the nodes that no session has open.
func (o *Ops) sweepDoubted(at At) {
	for len(o.doubted.order) > 0 && len(o.sweeps) < maxSweeps {
		p := o.doubted.pop()
		n, ok := o.findUnused(at, p)
		switch {
		case ok:
			o.sweep(at, n)
		case o.sweeps[p] == nil: // a sweep of p that waits at the barrier is off
			o.barrier.leave(sweepKey(p))
		}
	}
}

// sweep proposes the sweep of a node, unless it must wait at the barrier first.
func (o *Ops) sweep(at At, n api.Ref) {
	c := command.Sweep{Guard: o.epoch, Node: n}
	if o.mustWait(at, sweepKey(n.Path), command.Touches(c), nil) {
		return
	}
	o.count.Swept++
	o.sweeps[n.Path] = &sweep{node: n}
	o.propose(c)
}

// findUnused returns the node at a path. ok is true if the node is ephemeral and has no children, and no
// session has it open or is opening it. Before doubtAll, a node that is older than the epoch counts as
// open, since its handles may not have been presented yet. A node stays while a lock-delay runs, which
// would go with it: the next client would make the node anew and have its lock at once (C7.05).
func (o *Ops) findUnused(at At, p api.Path) (n api.Ref, ok bool) {
	n, stat, code := tree.Lookup(at.Rows, p)
	switch {
	case code != api.OK || !stat.Ephemeral || stat.Children > 0,
		o.calls.OpensAt(p) > 0 || o.sweeps[p] != nil || o.handles.CountOpen(n) > 0,
		!o.swept && api.Number(n.Instance) <= o.began:
		return n, false
	}
	return n, lock.Get(at.Rows, n).Delays == 0
}

// onSweepOver is called when a sweep was applied, executed or not, or the log did not take it. The
// Opens that waited for it go on.
func (o *Ops) onSweepOver(at At, n api.Ref) {
	s, ok := o.sweeps[n.Path]
	if !ok || s.node != n {
		return
	}
	delete(o.sweeps, n.Path)
	o.barrier.leave(sweepKey(n.Path))
	for _, w := range s.held {
		if w.State == calls.Held { // it may have been given up since
			o.drop(w)
			o.serve(at, w)
		}
	}
}
