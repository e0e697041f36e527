package replicas

import (
	"slices"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/sim"
)

// clientRequests are the requests of clients that one life of a replica has to answer. The
// replica answers at once, or keeps the request as waiting; when it stops being master it
// answers all that wait. A client that gets no answer tries again, so a run does not show
// that it was forgotten (L1). KeepAlives have bounds of their own (S11).
type clientRequests struct {
	pending    map[requestKey]pendingRequest
	nodeOps    int         // of them, on files, locks or handles
	duplicates []duplicate // that came in this step
}

// pendingRequest is the newest duplicate of a request.
type pendingRequest struct {
	id       uint64
	isNodeOp bool // the first duplicate was one: package nodeops has the call
	own      bool // this one is one
}

// duplicate is a request of which another duplicate has come, and what was pending before.
// Duplicates of an honest client are equal. Of two that differ the later one may be refused,
// while the earlier one is still under way.
type duplicate struct {
	requestKey
	was pendingRequest
}

// requestKey is what the duplicates of one request have in common; the newest is answered.
type requestKey struct {
	from    sim.Addr
	session api.SessionID
	seq     api.Seq
	nonce   api.Nonce
}

func keyOf(from sim.Addr, q api.Request) requestKey {
	d := requestKey{from: from, session: q.Session, seq: q.Seq}
	if open, ok := q.Op.(api.OpenSession); ok {
		d.nonce = open.Nonce
	}
	return d
}

// onRequest records a request that the replica takes.
func (c *clientRequests) onRequest(from sim.Addr, q api.Request) {
	isNodeOp, own := true, true
	switch q.Op.(type) {
	case api.KeepAlive:
		return
	case api.OpenSession, api.EndSession, api.Get, api.Put, api.Delete, api.CompareAndSet, api.List:
		isNodeOp, own = false, false
	}
	if c.pending == nil {
		c.pending = map[requestKey]pendingRequest{}
	}
	d := keyOf(from, q)
	if was, owes := c.pending[d]; owes {
		isNodeOp = was.isNodeOp
		c.duplicates = append(c.duplicates, duplicate{d, was})
	} else if isNodeOp {
		c.nodeOps++
	}
	c.pending[d] = pendingRequest{q.ID, isNodeOp, own}
}

// onReply records a reply. A parked call goes on waiting.
func (c *clientRequests) onReply(to sim.Addr, p api.Reply) {
	if p.Result.Code == api.Parked {
		return
	}
	for i, x := range c.duplicates {
		if x.from == to && x.was.id == p.ID && c.pending[x.requestKey].id != p.ID {
			c.separate(i)
			return
		}
	}
	for d, o := range c.pending { // order-free: each has an id of its own
		if d.from != to || o.id != p.ID {
			continue
		}
		if i := c.lastDuplicate(d); i >= 0 && isRefusal(p.Result.Code) {
			c.pending[d] = c.duplicates[i].was
			c.duplicates = slices.Delete(c.duplicates, i, i+1)
			continue
		}
		delete(c.pending, d)
		if o.isNodeOp {
			c.nodeOps--
		}
	}
}

// separate records that the request in front of a duplicate has an answer of its own: those that
// came behind it are duplicates of the first of themselves, unless there was one in front of it.
func (c *clientRequests) separate(i int) {
	d := c.duplicates[i].requestKey
	isBehind := slices.ContainsFunc(c.duplicates[:i], func(x duplicate) bool { return x.requestKey == d })
	c.duplicates = slices.Delete(c.duplicates, i, i+1)
	if isBehind {
		return
	}
	o, owes := c.pending[d]
	if !owes {
		return // answered before this one
	}
	first := o.own
	for _, x := range slices.Backward(c.duplicates[i:]) {
		if x.requestKey == d {
			first = x.was.own
		}
	}
	for j := range c.duplicates[i:] {
		if x := &c.duplicates[i+j]; x.requestKey == d {
			x.was.isNodeOp = first
		}
	}
	if o.isNodeOp && !first {
		c.nodeOps--
	} else if !o.isNodeOp && first {
		c.nodeOps++
	}
	o.isNodeOp = first
	c.pending[d] = o
}

// lastDuplicate is the index of the newest duplicate of a request in this step; -1: none came.
func (c *clientRequests) lastDuplicate(d requestKey) int {
	for i, x := range slices.Backward(c.duplicates) {
		if x.requestKey == d {
			return i
		}
	}
	return -1
}

// isRefusal reports that a request which gets this answer at once has changed no other one.
func isRefusal(c api.Code) bool {
	switch c {
	case api.Invalid, api.TooLarge, api.NotMaster, api.OldEpoch, api.Recovering, api.NoSession, api.Permission:
		return true
	}
	return false
}

// onStepEnd records the end of a step.
func (c *clientRequests) onStepEnd() { c.duplicates = c.duplicates[:0] }

// hasPending reports that some request has no answer yet.
func (c *clientRequests) hasPending() bool { return len(c.pending) > 0 }

// onActed checks the end of a step: the replica's state, how many requests it reports as
// waiting, and how many calls package nodeops has under way.
func (c *clientRequests) onActed(w *sim.World, id paxos.NodeID, state master.State, waiting, nodeOps int) {
	switch pending := len(c.pending); {
	case pending == 0:
	case !state.HasEpoch() && state != master.Deposed:
		w.Diverge("L1", "replica %d is %v, and has not answered %d requests", id, state, pending)
	case pending > waiting:
		w.Diverge("L1", "replica %d, %v, has not answered %d requests, and keeps %d", id, state, pending, waiting)
	case state.HasEpoch() && c.nodeOps > nodeOps:
		w.Diverge("L1", "replica %d, %v, has not answered %d calls on nodes, and has %d under way", id, state, c.nodeOps, nodeOps)
	}
}
