package nodeops

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// maxSweeps bounds the sweeps that are proposed at one time.
const maxSweeps = 64

// sweep is the end of an ephemeral node that is proposed.
type sweep struct {
	node api.Ref
	held []*calls.Call // Opens of its path
}

// doubts are paths at which an ephemeral node may stand that no session has open, in
// the order in which that was first thought.
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

// Serving takes note that all operations are allowed from now on (CHU §2.9, step 7).
// After Config.SweepAfter, ephemeral nodes whose handles were not presented are swept.
func (o *Ops) Serving(now time.Time) { o.sweepAt = now.Add(o.cfg.SweepAfter) }

// doubtAll doubts all ephemeral nodes, once: clients that had one open before the
// epoch have had the time to say so.
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
		case o.sweeps[p] == nil: // one that waits for caches is none any more
			o.barrier.leave(sweepKey(p))
		}
	}
}

// sweep proposes the sweep of a node, once no client has it in its cache.
func (o *Ops) sweep(at At, n api.Ref) {
	c := command.Sweep{Guard: o.epoch, Node: n}
	if o.mustWait(at, sweepKey(n.Path), command.Touches(c), nil) {
		return
	}
	o.count.Swept++
	o.sweeps[n.Path] = &sweep{node: n}
	o.propose(c)
}

// findUnused returns the node at a path; ok if it is ephemeral, without children, and no
// session has it open, or is opening it. A node that is older than the epoch may be open by
// a handle that was not presented yet.
func (o *Ops) findUnused(at At, p api.Path) (n api.Ref, ok bool) {
	n, stat, code := tree.Lookup(at.Rows, p)
	switch {
	case code != api.OK || !stat.Ephemeral || stat.Children > 0,
		o.calls.OpensAt(p) > 0 || o.sweeps[p] != nil || o.handles.CountOpen(n) > 0,
		!o.swept && api.Number(n.Instance) <= o.began:
		return n, false
	}
	return n, true
}

// onSweepOver is called when a sweep was applied, executed or not, or was not taken by
// the log. The Opens that waited for it go on.
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
