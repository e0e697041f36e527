package replicas

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	nodeOps    int         // those of pending on files, locks or handles
	duplicates []duplicate // duplicates that came in this step
	// unclear holds the keys under which a client that breaks the protocol asked for two
	// things. A replica may take either for a duplicate of the other, or refuse it, so it is
	// unknown here which answer is due.
	unclear map[requestKey]bool
}

// pendingRequest is the newest duplicate of a request.
type pendingRequest struct {
	id       uint64
	op       api.Op
	isNodeOp bool // package nodeops has the call
}

// duplicate is a request of which another duplicate has come, and what was pending before. The later one may be
// refused, such as for its older epoch, while the earlier one is still under way.
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
	isNodeOp := true
	switch q.Op.(type) {
	case api.KeepAlive:
		return
	case api.OpenSession, api.EndSession, api.Get, api.Put, api.Delete, api.CompareAndSet, api.List:
		isNodeOp = false
	}
	d := keyOf(from, q)
	if c.unclear[d] {
		return
	}
	if c.pending == nil {
		c.pending, c.unclear = map[requestKey]pendingRequest{}, map[requestKey]bool{}
	}
	was, owes := c.pending[d]
	switch {
	case owes && was.op != q.Op:
		c.unclear[d] = true
		c.duplicates = slices.DeleteFunc(c.duplicates, func(x duplicate) bool { return x.requestKey == d })
		c.settle(d)
		return
	case owes:
		c.duplicates = append(c.duplicates, duplicate{d, was})
	case isNodeOp:
		c.nodeOps++
	}
	c.pending[d] = pendingRequest{q.ID, q.Op, isNodeOp}
}

// settle records that a request needs no answer any more.
func (c *clientRequests) settle(d requestKey) {
	if c.pending[d].isNodeOp {
		c.nodeOps--
	}
	delete(c.pending, d)
}

// onReply records a reply. A parked call goes on waiting.
func (c *clientRequests) onReply(to sim.Addr, p api.Reply) {
	if p.Result.Code == api.Parked {
		return
	}
	for i, x := range c.duplicates {
		if x.from == to && x.was.id == p.ID && c.pending[x.requestKey].id != p.ID { // it has an answer of its own
			c.duplicates = slices.Delete(c.duplicates, i, i+1)
			if !isRefusal(p.Result.Code) {
				c.replaced(x.requestKey, i)
			}
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
		c.settle(d)
	}
}

// replaced drops the first n duplicates of this step as far as they are of one request: a later one took their place,
// and has its answer.
func (c *clientRequests) replaced(d requestKey, n int) {
	rest := slices.DeleteFunc(slices.Clone(c.duplicates[:n]), func(x duplicate) bool { return x.requestKey == d })
	c.duplicates = append(rest, c.duplicates[n:]...)
}

// lastDuplicate returns the index of the newest duplicate of a request in this step, or -1.
func (c *clientRequests) lastDuplicate(d requestKey) int {
	for i, x := range slices.Backward(c.duplicates) {
		if x.requestKey == d {
			return i
		}
	}
	return -1
}

// isRefusal reports whether this answer, given at once, shows that its request did not
// replace an earlier duplicate.
func isRefusal(c api.Code) bool {
	switch c {
	case api.Invalid, api.TooLarge, api.NotMaster, api.OldEpoch, api.Recovering, api.NoSession, api.Permission:
		return true
	}
	return false
}

// onStepEnd records the end of a step.
func (c *clientRequests) onStepEnd() { c.duplicates = c.duplicates[:0] }

// hasPending reports whether some request has no answer yet.
func (c *clientRequests) hasPending() bool { return len(c.pending) > 0 }

// names lists the requests without an answer, the newest first, since it is unknown here
// which of them were forgotten.
func (c *clientRequests) names() string {
	const most = 6
	all := slices.SortedFunc(maps.Keys(c.pending), func(a, b requestKey) int {
		return cmp.Or(-cmp.Compare(c.pending[a].id, c.pending[b].id), cmp.Compare(a.from, b.from))
	})
	var texts []string
	for _, d := range all[:min(len(all), most)] {
		texts = append(texts, fmt.Sprintf("call %d of session %d of %v, %s", d.seq, d.session, d.from, strings.TrimPrefix(fmt.Sprintf("%T", c.pending[d].op), "api.")))
	}
	if more := len(all) - most; more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, "; ")
}

// onActed checks the end of a step: the replica's state, how many requests it reports as
// waiting, and how many calls package nodeops has under way.
func (c *clientRequests) onActed(w *sim.World, id paxos.NodeID, state master.State, waiting, nodeOps int) {
	switch pending := len(c.pending); {
	case pending == 0:
	case !state.HasEpoch() && state != master.Deposed:
		w.Diverge("L1", "replica %d is %v, and has not answered %d requests: %s", id, state, pending, c.names())
	case pending > waiting:
		w.Diverge("L1", "replica %d, %v, has not answered %d requests, and keeps %d of %s", id, state, pending, waiting, c.names())
	case state.HasEpoch() && c.nodeOps > nodeOps:
		w.Diverge("L1", "replica %d, %v, has not answered %d calls on nodes, and has %d under way, of %s", id, state, c.nodeOps, nodeOps, c.names())
	}
}
