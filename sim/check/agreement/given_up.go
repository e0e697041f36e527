package agreement

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/model"
)

// givenUp is which calls clients may take for finished. A request states, as AckedThrough, the
// last call that its client no longer awaits. Once the request is answered, that is final: no
// call up to there takes effect any more, whether it is under way or a late copy (S4). Poison is
// the exception: it is answered from memory, whatever is under way.
type givenUp struct {
	seen  map[model.Call]api.Seq     // the least AckedThrough of the copies of a call that came
	final map[api.SessionID]passedBy // the highest that an answer has made final
}

// passedBy is a call that was answered, and up to which call it made others final.
type passedBy struct {
	seq, upTo api.Seq
}

func newGivenUp() givenUp {
	return givenUp{seen: map[model.Call]api.Seq{}, final: map[api.SessionID]passedBy{}}
}

// Asks takes in a copy of a request that reaches a replica.
func (g *givenUp) Asks(q api.Request) {
	k, seen := model.Call{Session: q.Session, Seq: q.Seq}, q.AckedThrough
	if _, poisons := q.Op.(api.Poison); poisons {
		seen = 0
	}
	if was, again := g.seen[k]; !again || seen < was {
		g.seen[k] = seen
	}
}

// Answered takes in that a replica reports a call as executed.
func (g *givenUp) Answered(k model.Call) {
	if upTo := g.seen[k]; upTo > g.final[k.Session].upTo {
		g.final[k.Session] = passedBy{k.Seq, upTo}
	}
}

// Passed returns the answered call after which call k must not take effect; ok is false if
// there is none.
func (g *givenUp) Passed(k model.Call) (by api.Seq, ok bool) {
	p := g.final[k.Session]
	return p.seq, k.Seq <= p.upTo
}
