package handles

import (
	"slices"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Answers compares the answers of replicas with the requests.
type Answers struct {
	world    *sim.World
	rights   *Rights
	grips    *Grips
	requests *Requests
	room     *Room
	facts    Facts
	intruder api.Principal            // sends requests that no principal may make
	judged   map[model.Call]api.Epoch // Opens that were answered without the log, and in which epoch last: copies get the same answer
	denied   map[model.Call]verdict   // calls that were definitely refused without the log

	Refusals map[api.Code]uint64 // answers to requests that nothing justified
	Crowded  uint64              // answers that there is no room
	Homeless uint64              // answers to copies of earlier Opens that there is no room for the handle
}

// Facts is what is known of the replicas from outside.
type Facts interface {
	// HasAppliedAll reports whether a replica has applied all that any replica has.
	HasAppliedAll(paxos.NodeID) bool
}

// OnReply reports each answer that leaves a replica, and its recipient. logged says that the
// call is in the log; then it was judged when it was proposed. own is false if the answer
// goes to a client that the session does not belong to.
func (b *Answers) OnReply(id paxos.NodeID, to api.Principal, p api.Reply, logged bool) (own bool) {
	b.requests.now++
	owner, known := b.rights.Opened[p.Session] // it may have ended at this instant
	switch {
	case p.Code == api.OK && p.Result.Session != 0:
		if b.rights.Opened[p.Result.Session] != to {
			b.world.Break("S16", "replica %d tells %s of session %d, which is that of %s", id, to, p.Result.Session, b.rights.Opened[p.Result.Session])
		}
	case known && owner != to:
		if model.Tells(p.Result) {
			b.world.Break("S16", "replica %d answers %s with %v about call %d of session %d, which is that of %s", id, to, p.Code, p.Seq, p.Session, owner)
		}
		b.Refusals[p.Code]++
		return false
	case p.Seq != 0:
		b.onAnswer(id, p, logged)
	}
	return true
}

func (b *Answers) onAnswer(id paxos.NodeID, p api.Reply, logged bool) {
	k := model.Call{Session: p.Session, Seq: p.Seq}
	a, f := b.requests.explained(k, p.Epoch)
	if f != (model.Finding{}) {
		if model.Tells(p.Result) {
			b.world.Break(f.ID, "replica %d answers call %d of session %d with %v, and %s", id, k.Seq, k.Session, p.Code, f.Text)
		}
		b.Refusals[p.Code]++
		return
	}
	if !logged && b.facts.HasAppliedAll(id) && a.epoch == p.Epoch {
		b.checkFromRows(id, k, a, p)
	}
	b.checkRefusal(id, k, a, p, logged)
	b.checkDecided(id, k, a, p, logged)
	b.checkPage(id, k, a, p)
	if p.Code == api.OK {
		b.noteResult(id, k, a, p)
	}
}

// verdict is the answer that decided a call, and its epoch.
type verdict struct {
	epoch api.Epoch
	code  api.Code
}

// checkDecided: after a master has definitely refused a call without the log, it gives no
// other answer to a copy in the same epoch. Calls that only read are exempt: they may be read
// again.
func (b *Answers) checkDecided(id paxos.NodeID, k model.Call, a asking, p api.Reply, logged bool) {
	if _, several := b.requests.other(k, a.op); several || onlyReads(a.op) || p.Code.Execution() != api.Executed {
		return
	}
	if v, over := b.denied[k]; over && v.epoch == p.Epoch && v.code != p.Code {
		b.world.Break("S5", "replica %d answers call %d of session %d, %T, with %v, and has refused it with %v in this epoch", id, k.Seq, k.Session, a.op, p.Code, v.code)
	}
	if p.Code != api.OK && !logged {
		b.denied[k] = verdict{p.Epoch, p.Code}
	}
}

// checkPage: a page of a directory has at most as many children as were asked for.
func (b *Answers) checkPage(id paxos.NodeID, k model.Call, a asking, p api.Reply) {
	op, reads := a.op.(api.ReadDir)
	l, lists := p.Detail.(api.Listing)
	if _, several := b.requests.other(k, a.op); !several && reads && lists && op.Most > 0 && uint64(len(l.Children)) > op.Most {
		b.world.Break("S4", "replica %d answers call %d of session %d with %d children, where %d at most were asked for", id, k.Seq, k.Session, len(l.Children), op.Most)
	}
}

// onlyReads reports whether an operation changes nothing.
func onlyReads(op api.Op) bool {
	switch op.(type) {
	case api.Get, api.List, api.GetContents, api.GetStat, api.ReadDir, api.GetSequencer, api.CheckSequencer:
		return true
	}
	return false
}

// checkRefusal requires that a refusal of a justified request has a cause. A handle stays
// good until its session asks for its end, and has the rights that it was given for; only a
// later master checks them again. An Open may be told that there is no room for its handle
// only if it was executed before. Room is checked only for requests that are refused now: the
// log's refusals were decided earlier. It is not checked for the hostile client, which gives one
// number to several requests: an answer to one of them does not say that the other waits no more.
func (b *Answers) checkRefusal(id paxos.NodeID, k model.Call, a asking, p api.Reply, logged bool) {
	token, on := model.TokenIn(a.op)
	g := b.grips.Given[token]
	if _, several := b.requests.other(k, a.op); several {
		return
	}
	if !on {
		g = &model.Grip{} // no handle
	}
	_, opens := a.op.(api.Open) // if on, by a directory's handle
	baseless := false
	switch p.Code {
	case api.BadHandle:
		baseless = on
	case api.HandleClosed:
		baseless = on && !opens && !g.Ended && !b.shutOnce(k, p.Epoch, g)
	case api.HandlePoisoned:
		baseless = on && !g.Ended
	case api.NoRight:
		baseless = on && !opens
	case api.Permission:
		baseless = on && !opens && (model.RightFor(a.op) == 0 || g.ID.Epoch == p.Epoch && !g.Untested)
	case api.Crowded:
		b.Crowded++
		baseless = b.room.IsFirst(k) && a.who != b.intruder && !logged && b.facts.HasAppliedAll(id) && !b.room.MayBeFull(k.Session, p.Epoch, a.op, g)
	case api.NoHandle:
		b.Homeless++
		baseless = !opens || !logged || !b.room.MayBeFull(k.Session, p.Epoch, a.op, g)
	case api.TooLarge:
		baseless = a.who != b.intruder && len(contentsIn(a.op)) <= mostContents
	case api.Invalid:
		baseless = a.who != b.intruder && b.rights.Opened[k.Session] == a.who && !readsSequencer(a.op) && !deletesFixture(a.op, g) && !b.requests.tooLate(k.Session, a.op)
	}
	if baseless {
		b.world.Break("S14", "replica %d refuses call %d of session %d, %T by handle %v, with %v, and nothing speaks against it", id, k.Seq, k.Session, a.op, g.ID, p.Code)
	}
}

// shutOnce reports whether the handle of a call may have been shut out in the epoch of the
// answer, or in an earlier epoch in which the call was asked for: the answer is kept.
func (b *Answers) shutOnce(k model.Call, e api.Epoch, g *model.Grip) bool {
	return slices.ContainsFunc(b.requests.asked[k], func(x asking) bool { return x.epoch <= e && b.room.shut(k.Session, x.epoch, g) })
}

// mostContents is the size of the longest file (CHU §4.5), in bytes.
const mostContents = 256 << 10

func contentsIn(op api.Op) string {
	switch op := op.(type) {
	case api.Open:
		return op.Contents
	case api.SetContents:
		return op.Contents
	}
	return ""
}

// readsSequencer reports whether an operation carries a sequencer, which may be malformed or
// another lock's. Nothing else makes the programs here ask for what is Invalid.
func readsSequencer(op api.Op) bool {
	switch op.(type) {
	case api.SetSequencer, api.CheckSequencer:
		return true
	}
	return false
}

// deletesFixture reports whether an operation would delete a node that every cell has.
func deletesFixture(op api.Op, g *model.Grip) bool {
	_, deletes := op.(api.DeleteNode)
	path := g.Node.Path.String()
	return deletes && (path == "/" || path == model.ACLDir)
}

// checkFromRows judges an answer that a master gave from its rows: the rows say whether the
// node exists, and who may open it.
func (b *Answers) checkFromRows(id paxos.NodeID, k model.Call, a asking, p api.Reply) {
	if open, ok := a.op.(api.Open); ok {
		if b.judged[k] != a.epoch {
			b.judged[k] = a.epoch
			if open.Dir != "" && p.Code == api.Permission {
				return // the directory's handle, of an earlier epoch, may be the reason
			}
			b.rights.judge(k.Session, a.who, b.grips.pathOf(open), open.Rights, open.Create, open.Names, p.Result)
		}
		return
	}
	if model.RightFor(a.op) == 0 || p.Code != api.OK {
		return
	}
	if token, _ := model.TokenIn(a.op); b.rights.At(b.grips.Given[token].Node) == nil {
		b.world.Break("S14", "replica %d does %T by handle %v, and %v is gone", id, a.op, b.grips.Given[token].ID, b.grips.Given[token].Node)
	}
}

// noteResult records what an answer gives out, and what it ends. If requests of several kinds
// have this number, it is unknown which one was answered, and only the token is recorded.
func (b *Answers) noteResult(id paxos.NodeID, k model.Call, a asking, p api.Reply) {
	if _, several := b.requests.other(k, a.op); several {
		if o, ok := p.Detail.(api.Opened); ok {
			b.grips.give(id, k, o.Token, nil)
		}
		return
	}
	only := a.op
	if len(b.requests.asked[k]) > 1 { // asked in several epochs, or by several principals
		only = nil
	}
	switch op := a.op.(type) {
	case api.CloseHandle:
		if g := b.grips.Given[op.Handle]; g != nil && g.Closed[a.epoch] == 0 {
			g.Closed[a.epoch] = b.requests.now
		}
	case api.Poison:
		if g := b.grips.Given[op.Handle]; g != nil && g.Poisoned[a.epoch] == 0 {
			g.Poisoned[a.epoch] = b.requests.now
		}
	case api.Open:
		if o, ok := p.Detail.(api.Opened); ok {
			b.grips.give(id, k, o.Token, only)
		}
	case api.SetSequencer:
		if o, ok := p.Detail.(api.Opened); ok {
			b.grips.give(id, k, o.Token, only)
			b.grips.checkTie(id, k, o.Token, op.Sequencer)
		}
	case api.CheckSequencer:
		if q, err := api.ParseSequencer(op.Sequencer); err == nil && b.grips.Given[op.Handle] != nil && q.Node != b.grips.Given[op.Handle].Node {
			b.world.Break("S16", "replica %d says of a sequencer of %v that it is valid, to a client that asks by a handle on %v", id, q.Node, b.grips.Given[op.Handle].Node)
		}
	}
}

// Refused returns the number of answers to requests that nothing justified.
func (b *Answers) Refused() (n uint64) {
	for _, more := range b.Refusals { // order-free: a sum
		n += more
	}
	return n
}
