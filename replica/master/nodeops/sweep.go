package nodeops

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// maxSweeps bounds the sweeps that are proposed at one time.
const maxSweeps = 64

// sweep is the end of an ephemeral node that is proposed.
type sweep struct {
	node api.Ref
	held []*call // Opens of its path
}

// doubts are paths at which an ephemeral node may stand that nobody has open, in
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

// Serving tells that all operations are allowed from now on (CHU §2.9, step 7).
// After Config.SweepAfter, ephemeral nodes that nobody has come back to are swept.
func (d *Desk) Serving(now time.Time) { d.sweepAt = now.Add(d.cfg.SweepAfter) }

// lookAround doubts all ephemeral nodes, once: whoever had one open before the
// epoch has had the time to say so.
func (d *Desk) lookAround(at At) {
	if d.swept || d.sweepAt.IsZero() || at.Now.Before(d.sweepAt) {
		return
	}
	d.swept = true
	for n := range tree.Ephemerals(at.Rows) {
		d.doubted.add(n.Path)
	}
}

// sweepDoubted proposes the sweeps of the nodes that have nobody.
func (d *Desk) sweepDoubted(at At) {
	for len(d.doubted.order) > 0 && len(d.sweeps) < maxSweeps {
		n, ok := d.lonely(at, d.doubted.pop())
		if !ok {
			continue
		}
		d.count.Swept++
		d.sweeps[n.Path] = &sweep{node: n}
		d.propose(command.Sweep{Guard: d.epoch, Node: n})
	}
}

// lonely says that the node at a path is ephemeral, without children, and that
// nobody has it open, or is opening it. A node that is older than the epoch may
// have somebody who has not come back yet.
func (d *Desk) lonely(at At, p api.Path) (api.Ref, bool) {
	n, stat, code := tree.Lookup(at.Rows, p)
	switch {
	case code != api.OK || !stat.Ephemeral || stat.Children > 0,
		d.openings[p] > 0 || d.sweeps[p] != nil || d.table.Opens(n) > 0,
		!d.swept && api.Number(n.Instance) <= d.began:
		return n, false
	}
	return n, true
}

// sweepOver is told when a sweep was applied, executed or not, or was not taken by
// the log. The Opens that waited for it go on.
func (d *Desk) sweepOver(at At, n api.Ref) {
	s, ok := d.sweeps[n.Path]
	if !ok || s.node != n {
		return
	}
	delete(d.sweeps, n.Path)
	for _, w := range s.held {
		if sh, ok := d.shelves[w.Session]; ok && sh.calls[w.Seq] == w {
			d.drop(w)
			d.serve(at, w.Call)
		}
	}
}
