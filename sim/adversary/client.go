package adversary

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/describe"
	"github.com/chubbycell/chubby/sim/model"
)

// hostile is the process of the hostile client. It sends raw requests, one after the other, without
// package client. It forges and alters tokens, uses tokens and sessions of other clients, names
// epochs that are over and epochs that never were, repeats its own requests and those that it has
// overheard, asks for too much, and opens and closes handles in quick succession.
//
// Each request has a set of answers that are allowed (trick); any other answer breaks S14, or S16
// if the request was about another client's session.
type hostile struct {
	of      *Adversary
	env     *sim.Env
	draws   *sim.Draw
	numbers *sim.Draw // for doubleCall, tieHandle and useTied
	odd     *sim.Draw // for rareTricks

	master  sim.Addr
	epoch   api.Epoch
	id      uint64 // of the last request
	session api.SessionID
	nonce   api.Nonce
	count
	left map[api.SessionID]count // counts of its earlier sessions: a replayed opening may lead back to one

	sent    map[uint64]trick // requests by id
	own     []api.Token      // tokens that the cell gave it
	shut    []shutToken      // handles that it has closed or poisoned
	opened  []answered
	widened api.Token // the result of widen, to be used next; "": none
	bound   []tie     // tied handles for useTied
	expired []string  // sequencers of locks that it has released
	held    map[api.Token]api.Held
	modes   map[api.Token]api.Mode // in which it asked for the lock
	hoarded int                    // steps of hoard
	tied    []api.Token            // tokens that are tied to a sequencer
	stat    map[api.Token]api.Opened
	wires   [][]byte  // what it has sent
	turns   int       // turns that it has taken
	between *sim.Draw // for draws between turns, which are on no tape
}

// count is the highest call number of a session, and the number through which it has acknowledged
// answers.
type count struct{ seq, seen api.Seq }

// answered is an Open for reading that was executed in an epoch.
type answered struct {
	seq   api.Seq
	epoch api.Epoch
	op    api.Open
}

// shutToken is a handle that was closed, or poisoned, in an epoch.
type shutToken struct {
	token api.Token
	epoch api.Epoch
	code  api.Code
}

// trick is a request under way: its name, and the answers that are allowed.
type trick struct {
	name string
	q    api.Request
	ok   func(api.Reply) bool
}

// overheard is what a hostile client has overheard: requests, tokens and sessions of other clients.
type overheard struct {
	wires   [][]byte
	tokens  []api.Token
	session []api.SessionID
}

// firstTrick is above all ids of requests of honest clients, so that answers to those are not taken
// for answers to tricks.
const firstTrick = 1 << 62

// mostHeard bounds each list of requests, tokens or sessions.
const mostHeard = 64

func (o *overheard) request(d *sim.Draw, q api.Request, wire []byte) {
	if !d.Chance(1, 4) {
		return
	}
	wire = append([]byte(nil), wire...)
	keep(d, &o.wires, wire)
	if q.Session != 0 {
		keep(d, &o.session, q.Session)
	}
	if t, ok := model.TokenIn(q.Op); ok {
		keep(d, &o.tokens, t)
	}
}

func keep[T any](d *sim.Draw, all *[]T, x T) {
	if len(*all) < mostHeard {
		*all = append(*all, x)
		return
	}
	(*all)[d.Int(mostHeard)] = x
}

func pick[T any](d *sim.Draw, all []T) (x T, ok bool) {
	if len(all) == 0 {
		return x, false
	}
	return all[d.Int(len(all))], true
}

// Start begins a life.
func (h *hostile) Start(env *sim.Env) {
	h.env, h.draws, h.numbers, h.odd = env, env.Draw("hostile"), env.Draw("hostile numbers"), env.Draw("hostile rare")
	h.between = env.Draw("hostile between turns")
	h.modes, h.hoarded, h.tied = map[api.Token]api.Mode{}, 0, nil
	h.id = firstTrick
	h.sent, h.held, h.stat = map[uint64]trick{}, map[api.Token]api.Held{}, map[api.Token]api.Opened{}
	h.left = map[api.SessionID]count{}
	h.nonce = api.Nonce{h.draws.Uint64() | 1, h.draws.Uint64()}
	h.wakeNext(env.Now())
}

// Wake takes the next turn. It stops when honest clients make their last calls.
func (h *hostile) Wake(now time.Time) {
	if h.of.programs.Finale {
		return
	}
	h.takeTurn(now)
	h.wakeNext(now)
}

func (h *hostile) wakeNext(now time.Time) {
	if h.of.plan.Script != nil {
		h.awaitTurn()
		return
	}
	h.env.WakeAt(now.Add(h.draws.Duration(0, 2*h.of.plan.Hostile.Gap)))
}

// flood sends, now and then, more calls than the inbox of a replica holds: copies of its earlier
// requests.
func (h *hostile) flood() {
	n := h.of.plan.Hostile.Flood
	if n == 0 || !h.odd.Chance(n, 1000) || h.master == 0 || len(h.wires) == 0 {
		return
	}
	at := h.odd.Int(len(h.wires))
	for i := range h.odd.Int(2 * h.of.plan.Driver.Inbox.Calls) {
		h.of.Tricks["a flood, sent"]++
		h.env.Send(h.master, h.wires[(at+i)%len(h.wires)])
	}
}

// Receive handles an answer. An answer to a trick must be one that the trick allows.
func (h *hostile) Receive(_ time.Time, from sim.Addr, msg []byte) {
	p, err := api.DecodeReply(msg)
	if err != nil {
		return
	}
	if p.Epoch > h.epoch {
		h.epoch = p.Epoch
	}
	if p.Master != 0 {
		h.master = sim.Addr(p.Master)
	}
	t, ok := h.sent[p.ID]
	if !ok {
		return
	}
	if !model.IsUndone(p.Code) && !t.ok(p) {
		h.env.World().Break("S14", "replica %d answers a hostile client that tries %s (%s) with %s", from, t.name, describe.Op(t.q.Op), describe.Result(p.Result))
		return
	}
	h.of.Tricks[t.name]++
	h.learn(t, p)
}

// learn notes what an honest client would learn from the answer.
func (h *hostile) learn(t trick, p api.Reply) {
	if t.name == "session" && p.Code == api.OK && p.Result.Session != h.session {
		h.left[h.session] = h.count
		h.session, h.count = p.Result.Session, h.left[p.Result.Session]
		h.own, h.shut, h.opened, h.widened, h.tied, h.bound = nil, nil, nil, "", nil, nil
	}
	if p.Code == api.NoSession && p.Session == h.session {
		h.left[h.session] = h.count // it may be alive: the answer may be to a guess before it began
		h.session = 0
		h.nonce = api.Nonce{h.between.Uint64() | 1, h.between.Uint64()}
	}
	if p.Code != api.OK {
		return
	}
	switch d := p.Detail.(type) {
	case api.Opened:
		if d.Node.Instance != 0 {
			h.own = append(h.own, d.Token)
			h.stat[d.Token] = d
			if t.name == widening {
				h.widened = d.Token
			}
		}
	case api.Held:
		if op, ok := t.q.Op.(api.Acquire); ok {
			h.held[op.Handle], h.modes[op.Handle] = d, op.Mode
		}
	}
	switch op := t.q.Op.(type) {
	case api.Open:
		if op.Rights == api.RightRead && t.q.Session == h.session {
			keep(h.between, &h.opened, answered{t.q.Seq, t.q.Epoch, op})
		}
	case api.SetSequencer:
		if d, ok := p.Detail.(api.Opened); ok && d.Token != "" {
			h.own, h.stat[d.Token] = append(h.own, d.Token), h.stat[op.Handle]
			keep(h.between, &h.bound, tie{op.Handle, d.Token, p.Epoch})
		}
	case api.CloseHandle:
		h.noteShut(op.Handle, t.q.Epoch, api.HandleClosed)
	case api.Poison:
		h.noteShut(op.Handle, t.q.Epoch, api.HandlePoisoned)
	}
}

func (h *hostile) noteShut(t api.Token, e api.Epoch, code api.Code) {
	for i := range h.own {
		if h.own[i] == t {
			h.own = append(h.own[:i:i], h.own[i+1:]...)
			break
		}
	}
	h.shut = append(h.shut, shutToken{t, e, code})
	if len(h.shut) > mostHeard {
		h.shut = h.shut[1:]
	}
}

// send sends a request as the next call of the present session.
func (h *hostile) send(name string, op api.Op, ok func(api.Reply) bool) {
	h.seq++
	if h.seq-h.seen > mostHeard {
		h.seen = h.seq - mostHeard
	}
	h.raw(name, api.Request{Session: h.session, Seq: h.seq, AckedThrough: h.seen, Epoch: h.epoch, Op: op}, ok)
}

// raw sends a request with a new id, and otherwise as it is.
func (h *hostile) raw(name string, q api.Request, ok func(api.Reply) bool) {
	h.id++
	q.ID = h.id
	h.sent[h.id] = trick{name, q, ok}
	delete(h.sent, h.id-16*mostHeard)
	wire := api.AppendRequest(nil, q)
	keep(h.draws, &h.wires, wire)
	h.wire(wire)
}

// wire sends bytes, usually to the replica that it believes to be the master.
func (h *hostile) wire(b []byte) {
	to := h.master
	if to == 0 || h.draws.Chance(1, 20) {
		to = sim.Addr(1 + h.draws.Int(h.of.plan.Replicas))
	}
	h.env.Send(to, b)
}
