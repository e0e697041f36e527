package handles

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Checker sees all bytes between clients and replicas, and their senders. From these alone it
// knows which tokens masters have given out, to which session and for what, and which handles
// were closed and poisoned. What is proposed for a call on a node, or answered to it, must be
// justified by a request from the session's own principal. The request's token must have been
// given to this session, for this node and this right, and its handle must be neither closed
// nor poisoned in this epoch (S14, S16).
type Checker struct {
	Requests *Requests
	Grips    *Grips
	Answers  *Answers
	Intents  *Intents
	Room     *Room
}

// New makes the checker. The intruder sends requests that no principal may make.
func New(w *sim.World, r *Rights, room *Room, intruder api.Principal, facts Facts) *Checker {
	b := &Checker{Room: room}
	b.Grips = &Grips{
		world: w, rights: r, Given: map[api.Token]*model.Grip{}, ties: map[api.Token]bool{}, grips: r.given, Opened: map[model.Call]api.HandleID{},
	}
	b.Requests = &Requests{
		world: w, rights: r, grips: b.Grips, room: room, asked: map[model.Call][]asking{}, Seen: map[api.SessionID]api.Seq{},
	}
	b.Answers = &Answers{
		world: w, rights: r, grips: b.Grips, requests: b.Requests, room: room, facts: facts, intruder: intruder,
		judged: map[model.Call]api.Epoch{}, denied: map[model.Call]verdict{}, Refusals: map[api.Code]uint64{},
	}
	b.Intents = &Intents{
		world: w, rights: r, grips: b.Grips, requests: b.Requests, answers: b.Answers,
		decided: map[decision]intent{}, left: map[sender]intent{},
	}
	return b
}
