package handles

import (
	"slices"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Answers compares what replicas answer with what was asked for.
type Answers struct {
	world    *sim.World
	rights   *Rights
	grips    *Grips
	requests *Requests
	room     *Room
	facts    Facts
	intruder api.Principal            // asks for what no principal may have
	judged   map[model.Call]api.Epoch // Opens that were answered alone, and when last: copies get the same answer
	denied   map[model.Call]verdict   // calls that were refused for certain, without the log

	Refusals map[api.Code]uint64 // answers to what nothing spoke for
	Crowded  uint64              // answers that there is no room
	Homeless uint64              // answers to Opens of before that there is none
}

// Facts is what is known of the replicas beyond what they say.
type Facts interface {
	// HasAppliedAll says that a replica has applied all that any replica has.
	HasAppliedAll(paxos.NodeID) bool
}

// OnReply is told of each answer that leaves a replica, and to whom. logged says
// that the call stands in the log, where it was judged when it was proposed. own is
// false where the answer goes to a client whose session it is not.
func (b *Answers) OnReply(id paxos.NodeID, to api.Principal, p api.Reply, logged bool) (own bool) {
	b.requests.now++
	owner, known := b.rights.Opened[p.Session] // it may have ended in the same breath
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
		b.answered(id, p, logged)
	}
	return true
}

func (b *Answers) answered(id paxos.NodeID, p api.Reply, logged bool) {
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
		b.alone(id, k, a, p)
	}
	b.spurned(id, k, a, p, logged)
	b.decides(id, k, a, p, logged)
	b.overfills(id, k, a, p)
	if p.Code == api.OK {
		b.learns(id, k, a, p)
	}
}

// verdict is an answer that decides a call, in the epoch in which it was given.
type verdict struct {
	epoch api.Epoch
	code  api.Code
}

// decides: of a call that a master has refused for certain, without the log, no copy is
// answered otherwise in its epoch; but what only reads may be read again.
func (b *Answers) decides(id paxos.NodeID, k model.Call, a asking, p api.Reply, logged bool) {
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

// overfills: a page of a directory has no more children than were asked for.
func (b *Answers) overfills(id paxos.NodeID, k model.Call, a asking, p api.Reply) {
	op, reads := a.op.(api.ReadDir)
	l, lists := p.Detail.(api.Listing)
	if _, several := b.requests.other(k, a.op); !several && reads && lists && op.Most > 0 && uint64(len(l.Children)) > op.Most {
		b.world.Break("S4", "replica %d answers call %d of session %d with %d children, where %d at most were asked for", id, k.Seq, k.Session, len(l.Children), op.Most)
	}
}

// onlyReads says that an op leaves nothing behind.
func onlyReads(op api.Op) bool {
	switch op.(type) {
	case api.Get, api.List, api.GetContents, api.GetStat, api.ReadDir, api.GetSequencer, api.CheckSequencer:
		return true
	}
	return false
}

// spurned demands of an answer that refuses what everything speaks for that it has a
// cause: a handle that its session was given is good until that session asks for its
// end, and has the rights that it was given for; only a later master asks for them
// again. An Open is told that there is no room for its handle where it was executed
// before. Whether there was room is asked of what was refused just now: of what the log
// refuses that was decided before.
func (b *Answers) spurned(id paxos.NodeID, k model.Call, a asking, p api.Reply, logged bool) {
	token, on := model.TokenIn(a.op)
	g := b.grips.Given[token]
	if _, several := b.requests.other(k, a.op); several {
		return
	}
	if !on {
		g = &model.Grip{} // that of nothing
	}
	_, opens := a.op.(api.Open) // if on, by the handle of a directory
	vain := false
	switch p.Code {
	case api.BadHandle:
		vain = on
	case api.HandleClosed:
		vain = on && !opens && !g.Ended && !b.shutOnce(k, p.Epoch, g)
	case api.HandlePoisoned:
		vain = on && !g.Ended
	case api.NoRight:
		vain = on && !opens
	case api.Permission:
		vain = on && !opens && (model.RightFor(a.op) == 0 || g.ID.Epoch == p.Epoch && !g.Untested)
	case api.Crowded:
		b.Crowded++
		vain = b.room.IsFirst(k) && !logged && b.facts.HasAppliedAll(id) && !b.room.MayBeFull(k.Session, p.Epoch, a.op, g)
	case api.NoHandle:
		b.Homeless++
		vain = !opens || !logged || !b.room.MayBeFull(k.Session, p.Epoch, a.op, g)
	case api.TooLarge:
		vain = a.who != b.intruder && len(contentsIn(a.op)) <= mostContents
	case api.Invalid:
		vain = a.who != b.intruder && b.rights.Opened[k.Session] == a.who && !readsSequencer(a.op) && !unmakes(a.op, g) && !b.requests.tooLate(k.Session, a.op)
	}
	if vain {
		b.world.Break("S14", "replica %d refuses call %d of session %d, %T by handle %v, with %v, and nothing speaks against it", id, k.Seq, k.Session, a.op, g.ID, p.Code)
	}
}

// shutOnce says that in an epoch in which a call was asked for, that of the answer or
// an earlier one, its handle may have been shut out: the answer is kept.
func (b *Answers) shutOnce(k model.Call, e api.Epoch, g *model.Grip) bool {
	return slices.ContainsFunc(b.requests.asked[k], func(x asking) bool { return x.epoch <= e && b.room.shut(k.Session, x.epoch, g) })
}

// mostContents is the longest file that there may be (CHU §4.5).
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

// readsSequencer says that an op comes with what may be no sequencer, or that of
// another lock, which is the one thing by which programs here ask for what is Invalid.
func readsSequencer(op api.Op) bool {
	switch op.(type) {
	case api.SetSequencer, api.CheckSequencer:
		return true
	}
	return false
}

// unmakes says that an op would delete what there is in every cell.
func unmakes(op api.Op, g *model.Grip) bool {
	_, deletes := op.(api.DeleteNode)
	path := g.Node.Path.String()
	return deletes && (path == "/" || path == model.ACLDir)
}

// alone judges what a master answers from its rows: they say that the node is there,
// and who may open it.
func (b *Answers) alone(id paxos.NodeID, k model.Call, a asking, p api.Reply) {
	if open, ok := a.op.(api.Open); ok {
		if b.judged[k] != a.epoch {
			b.judged[k] = a.epoch
			if open.Dir != "" && p.Code == api.Permission {
				return // perhaps for the directory's handle, which is of an earlier epoch
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

// learns notes what an answer gives out, and what it ends. Where requests of several
// kinds have one number it is not known which was answered, and nothing is noted.
func (b *Answers) learns(id paxos.NodeID, k model.Call, a asking, p api.Reply) {
	if _, several := b.requests.other(k, a.op); several {
		if o, ok := p.Detail.(api.Opened); ok {
			b.grips.gives(id, k, o.Token, nil)
		}
		return
	}
	only := a.op
	if len(b.requests.asked[k]) > 1 { // in several epochs, or by several principals
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
			b.grips.gives(id, k, o.Token, only)
		}
	case api.SetSequencer:
		if o, ok := p.Detail.(api.Opened); ok {
			b.grips.gives(id, k, o.Token, only)
			b.grips.saysTie(id, k, o.Token, op.Sequencer)
		}
	case api.CheckSequencer:
		if q, err := api.ParseSequencer(op.Sequencer); err == nil && b.grips.Given[op.Handle] != nil && q.Node != b.grips.Given[op.Handle].Node {
			b.world.Break("S16", "replica %d says of a sequencer of %v that it is valid, to a client that asks by a handle on %v", id, q.Node, b.grips.Given[op.Handle].Node)
		}
	}
}

// Refused counts the answers to what nothing spoke for.
func (b *Answers) Refused() (n uint64) {
	for _, more := range b.Refusals { // order-free: a sum
		n += more
	}
	return n
}
