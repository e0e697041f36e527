package agreement

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/model"
)

// givenUp is what clients may take for final. A request says with Seen up to which call
// its client waits for none; once it is answered, what it was told holds: no call up to
// there takes effect any more, be it under way or a copy that comes late (S4). A
// Poison is the one call that is answered by memory, whatever is under way.
type givenUp struct {
	seen  map[model.Call]api.Seq     // what the copies of a call said that came, at least
	final map[api.SessionID]passedBy // the most that an answer has made final
}

// passedBy is a call that was answered, and up to where it made others final.
type passedBy struct {
	seq, upTo api.Seq
}

func newGivenUp() givenUp {
	return givenUp{seen: map[model.Call]api.Seq{}, final: map[api.SessionID]passedBy{}}
}

// Asks takes in a copy of a request that has come to a replica.
func (g *givenUp) Asks(q api.Request) {
	k, seen := model.Call{Session: q.Session, Seq: q.Seq}, q.AckedThrough
	if _, poisons := q.Op.(api.Poison); poisons {
		seen = 0
	}
	if was, again := g.seen[k]; !again || seen < was {
		g.seen[k] = seen
	}
}

// Answered takes in that a replica says of a call that it was executed.
func (g *givenUp) Answered(k model.Call) {
	if upTo := g.seen[k]; upTo > g.final[k.Session].upTo {
		g.final[k.Session] = passedBy{k.Seq, upTo}
	}
}

// Passed is the answer behind which a call must not take effect; ok is false if there is
// none.
func (g *givenUp) Passed(k model.Call) (by api.Seq, ok bool) {
	p := g.final[k.Session]
	return p.seq, k.Seq <= p.upTo
}
