package replicas

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/sim"
)

// debts are the requests that one life of a replica owes an answer to. It gives one at
// once, or remembers who waits; and it tells all who wait when it is no master any more.
// A client that is never told asks again, if it lives so long: nothing else shows that
// somebody was forgotten (L1). KeepAlives have bounds of their own (S11).
type debts struct {
	owed    map[debt]owing
	onNodes int    // of them
	copied  copied // in this step
}

// owing is the newest copy of a request.
type owing struct {
	id     uint64
	onNode bool // the first copy was: then the desk has it
}

// copied is a debt of which another copy has come, and what was owed before. Copies of
// honest clients say the same; of two that do not, the later one may be refused, and
// the earlier one is under way still.
type copied struct {
	debt
	was owing
}

// debt is what the copies of one request have in common: the newest is answered.
type debt struct {
	from    sim.Addr
	session api.SessionID
	seq     api.Seq
	nonce   api.Nonce
}

func debtOf(from sim.Addr, q api.Request) debt {
	d := debt{from: from, session: q.Session, seq: q.Seq}
	if open, ok := q.Op.(api.OpenSession); ok {
		d.nonce = open.Nonce
	}
	return d
}

// came is told of a request that the replica takes.
func (s *debts) came(from sim.Addr, q api.Request) {
	onNode := true
	switch q.Op.(type) {
	case api.KeepAlive:
		return
	case api.OpenSession, api.EndSession, api.Get, api.Put, api.Delete, api.CompareAndSet, api.List:
		onNode = false
	}
	if s.owed == nil {
		s.owed = map[debt]owing{}
	}
	d := debtOf(from, q)
	s.copied = copied{}
	if was, owes := s.owed[d]; owes {
		onNode = was.onNode
		s.copied = copied{d, was}
	} else if onNode {
		s.onNodes++
	}
	s.owed[d] = owing{q.ID, onNode}
}

// told is told of an answer. Who is parked goes on waiting.
func (s *debts) told(to sim.Addr, p api.Reply) {
	if p.Result.Code == api.Parked {
		return
	}
	for d, o := range s.owed { // order-free: each has an id of its own
		if d.from != to || o.id != p.ID {
			continue
		}
		if s.copied.debt == d && refusesEntry(p.Result.Code) {
			s.owed[d] = s.copied.was
			s.copied = copied{}
			continue
		}
		delete(s.owed, d)
		if o.onNode {
			s.onNodes--
		}
	}
}

// refusesEntry says that a request with this answer, if it is given at once, has met no
// other one.
func refusesEntry(c api.Code) bool {
	switch c {
	case api.Invalid, api.TooLarge, api.NotMaster, api.OldEpoch, api.Recovering, api.NoSession, api.Permission:
		return true
	}
	return false
}

// stepped is told that a step is over.
func (s *debts) stepped() { s.copied = copied{} }

// any says that some answer is owed.
func (s *debts) any() bool { return len(s.owed) > 0 }

// acted is told, at the end of a step, what the replica is and how many it says wait at
// it; and how many calls on nodes its desk has under way.
func (s *debts) acted(w *sim.World, id paxos.NodeID, state master.State, waiting, desk int) {
	switch owed := len(s.owed); {
	case owed == 0:
	case !state.Rules() && state != master.Deposed:
		w.Break("L1", "replica %d is %v, and has left %d requests without a word", id, state, owed)
	case owed > waiting:
		w.Break("L1", "replica %d, %v, owes %d requests an answer, and remembers %d", id, state, owed, waiting)
	case state.Rules() && s.onNodes > desk:
		w.Break("L1", "replica %d, %v, owes %d calls on nodes an answer, and its desk has %d under way", id, state, s.onNodes, desk)
	}
}
