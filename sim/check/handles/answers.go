package handles

import (
	"slices"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/conformance/clients"
	"github.com/chubbycell/chubby/sim/model"
)

// OnReply is told of each answer that leaves a replica, and to whom. logged says
// that the call stands in the log, where it was judged when it was proposed. own is
// false where the answer goes to a client whose session it is not.
func (b *Checker) OnReply(id paxos.NodeID, to api.Principal, p api.Reply, logged bool) (own bool) {
	b.now++
	owner, known := b.rights.Opened[p.Session] // it may have ended in the same breath
	switch {
	case p.Code == api.OK && p.Result.Session != 0:
		if b.rights.Opened[p.Result.Session] != to {
			b.World.Break("S16", "replica %d tells %s of session %d, which is that of %s", id, to, p.Result.Session, b.rights.Opened[p.Result.Session])
		}
	case known && owner != to:
		if model.Tells(p.Result) {
			b.World.Break("S16", "replica %d answers %s with %v about call %d of session %d, which is that of %s", id, to, p.Code, p.Seq, p.Session, owner)
		}
		b.Refusals[p.Code]++
		return false
	case p.Seq != 0:
		b.answered(id, p, logged)
	}
	return true
}

func (b *Checker) answered(id paxos.NodeID, p api.Reply, logged bool) {
	k := model.Call{Session: p.Session, Seq: p.Seq}
	a, f := b.explained(k, p.Epoch)
	if f != (model.Finding{}) {
		if model.Tells(p.Result) {
			b.World.Break(f.ID, "replica %d answers call %d of session %d with %v, and %s", id, k.Seq, k.Session, p.Code, f.Text)
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
func (b *Checker) decides(id paxos.NodeID, k model.Call, a asking, p api.Reply, logged bool) {
	if _, several := b.other(k, a.op); several || onlyReads(a.op) || p.Code.Execution() != api.Executed {
		return
	}
	if v, over := b.denied[k]; over && v.epoch == p.Epoch && v.code != p.Code {
		b.World.Break("S5", "replica %d answers call %d of session %d, %T, with %v, and has refused it with %v in this epoch", id, k.Seq, k.Session, a.op, p.Code, v.code)
	}
	if p.Code != api.OK && !logged {
		b.denied[k] = verdict{p.Epoch, p.Code}
	}
}

// overfills: a page of a directory has no more children than were asked for.
func (b *Checker) overfills(id paxos.NodeID, k model.Call, a asking, p api.Reply) {
	op, reads := a.op.(api.ReadDir)
	l, lists := p.Detail.(api.Listing)
	if _, several := b.other(k, a.op); !several && reads && lists && op.Most > 0 && uint64(len(l.Children)) > op.Most {
		b.World.Break("S4", "replica %d answers call %d of session %d with %d children, where %d at most were asked for", id, k.Seq, k.Session, len(l.Children), op.Most)
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
func (b *Checker) spurned(id paxos.NodeID, k model.Call, a asking, p api.Reply, logged bool) {
	token, on := model.TokenIn(a.op)
	g := b.Given[token]
	if _, several := b.other(k, a.op); several {
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
		vain = b.Room.IsFirst(k) && !logged && b.facts.HasAppliedAll(id) && !b.Room.MayBeFull(k.Session, p.Epoch, a.op, g)
	case api.NoHandle:
		b.Homeless++
		vain = !opens || !logged || !b.Room.MayBeFull(k.Session, p.Epoch, a.op, g)
	case api.TooLarge:
		vain = a.who != b.intruder && len(contentsIn(a.op)) <= mostContents
	case api.Invalid:
		vain = a.who != b.intruder && b.rights.Opened[k.Session] == a.who && !readsSequencer(a.op) && !unmakes(a.op, g) && !b.tooLate(k.Session, a.op)
	}
	if vain {
		b.World.Break("S14", "replica %d refuses call %d of session %d, %T by handle %v, with %v, and nothing speaks against it", id, k.Seq, k.Session, a.op, g.ID, p.Code)
	}
}

// shutOnce says that in an epoch in which a call was asked for, that of the answer or
// an earlier one, its handle may have been shut out: the answer is kept.
func (b *Checker) shutOnce(k model.Call, e api.Epoch, g *model.Grip) bool {
	return slices.ContainsFunc(b.asked[k], func(x asking) bool { return x.epoch <= e && b.Room.shut(k.Session, x.epoch, g) })
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

// tooLate says that an op cancels an Acquire that no client waits for any more: a copy that
// was long under way does.
func (b *Checker) tooLate(s api.SessionID, op api.Op) bool {
	c, cancels := op.(api.CancelAcquire)
	return cancels && c.Call <= b.Seen[s]
}

// unmakes says that an op would delete what there is in every cell.
func unmakes(op api.Op, g *model.Grip) bool {
	_, deletes := op.(api.DeleteNode)
	path := g.Node.Path.String()
	return deletes && (path == "/" || path == model.ACLDir)
}

// alone judges what a master answers from its rows: they say that the node is there,
// and who may open it.
func (b *Checker) alone(id paxos.NodeID, k model.Call, a asking, p api.Reply) {
	if open, ok := a.op.(api.Open); ok {
		if b.judged[k] != a.epoch {
			b.judged[k] = a.epoch
			if open.Dir != "" && p.Code == api.Permission {
				return // perhaps for the directory's handle, which is of an earlier epoch
			}
			b.rights.judge(k.Session, a.who, b.pathOf(open), open.Rights, open.Create, open.Names, p.Result)
		}
		return
	}
	if model.RightFor(a.op) == 0 || p.Code != api.OK {
		return
	}
	if token, _ := model.TokenIn(a.op); b.rights.At(b.Given[token].Node) == nil {
		b.World.Break("S14", "replica %d does %T by handle %v, and %v is gone", id, a.op, b.Given[token].ID, b.Given[token].Node)
	}
}

func (b *Checker) pathOf(op api.Open) string {
	switch {
	case op.Dir == "":
		return "/" + op.Path
	case op.Path == "":
		return b.Given[op.Dir].Node.Path.String()
	}
	return model.Inside(b.Given[op.Dir].Node.Path.String()) + op.Path
}

// learns notes what an answer gives out, and what it ends. Where requests of several
// kinds have one number it is not known which was answered, and nothing is noted.
func (b *Checker) learns(id paxos.NodeID, k model.Call, a asking, p api.Reply) {
	if x, several := b.other(k, a.op); several {
		if o, ok := p.Detail.(api.Opened); ok {
			b.gives(id, k, o.Token, x)
		}
		return
	}
	switch op := a.op.(type) {
	case api.CloseHandle:
		if g := b.Given[op.Handle]; g != nil && g.Closed[a.epoch] == 0 {
			g.Closed[a.epoch] = b.now
		}
	case api.Poison:
		if g := b.Given[op.Handle]; g != nil && g.Poisoned[a.epoch] == 0 {
			g.Poisoned[a.epoch] = b.now
		}
	case api.Open:
		if o, ok := p.Detail.(api.Opened); ok {
			b.gives(id, k, o.Token, a.op)
		}
	case api.SetSequencer:
		if o, ok := p.Detail.(api.Opened); ok {
			b.gives(id, k, o.Token, a.op)
			b.saysTie(id, k, o.Token, op.Sequencer)
		}
	case api.CheckSequencer:
		if q, err := api.ParseSequencer(op.Sequencer); err == nil && b.Given[op.Handle] != nil && q.Node != b.Given[op.Handle].Node {
			b.World.Break("S16", "replica %d says of a sequencer of %v that it is valid, to who asks by a handle on %v", id, q.Node, b.Given[op.Handle].Node)
		}
	}
}

// other is another op that was asked for by the same number; ok is false if there is
// none.
func (b *Checker) other(k model.Call, op api.Op) (x api.Op, ok bool) {
	i := slices.IndexFunc(b.asked[k], func(x asking) bool { return x.op != op })
	if i < 0 {
		return nil, false
	}
	return b.asked[k][i].op, true
}

// saysTie demands of the token that answers a SetSequencer that it names the sequencer:
// a later master knows of the tie by nothing else.
func (b *Checker) saysTie(id paxos.NodeID, k model.Call, t api.Token, want string) {
	q, err := api.ParseSequencer(want)
	g, ok := GripBy(t)
	if err != nil || !ok || !slices.Contains(g.Tied, q) {
		b.World.Break("S10", "replica %d ties a handle to %q by call %d of session %d, and the token that it answers does not say so", id, want, k.Seq, k.Session)
	}
}

// gives notes a token that leaves a master. It is for no other session, and for no
// more than was asked for.
func (b *Checker) gives(id paxos.NodeID, k model.Call, t api.Token, op api.Op) {
	if b.Given[t] != nil {
		return
	}
	g, ok := GripBy(t)
	if !ok {
		b.World.Break("S14", "replica %d gives out a token of %d bytes that is none", id, len(t))
		return
	}
	if was := b.grips[g.ID]; was != nil { // the same handle, tied to a sequencer
		if was.Session != g.Session || was.Node != g.Node || was.Rights != g.Rights {
			b.World.Break("S14", "replica %d gives out handle %v for session %d on %v, which was given to session %d on %v", id, g.ID, g.Session, g.Node, was.Session, was.Node)
		}
		b.Given[t] = was
		if len(g.Tied) > 0 {
			b.ties[t], was.Tied = true, append(was.Tied, g.Tied...)
		}
		return
	}
	if g.Session != k.Session {
		b.World.Break("S14", "replica %d gives session %d a handle of session %d", id, k.Session, g.Session)
	}
	if open, ok := op.(api.Open); ok && len(b.asked[k]) == 1 && g.Rights != open.Rights {
		b.World.Break("S16", "replica %d gives session %d a handle for %v, which asked for one for %v", id, k.Session, g.Rights, open.Rights)
	}
	executed, logged := b.rights.Executed[k]
	g.Untested = logged && executed < g.ID.Epoch
	g.Allowed = g.ID.Epoch
	switch {
	case b.mayHave(g):
		g.Allowed = b.rights.epoch
	case g.Untested && b.rights.epoch == g.ID.Epoch:
		g.Allowed--
	}
	g.Closed, g.Poisoned = map[api.Epoch]uint64{}, map[api.Epoch]uint64{}
	b.Given[t], b.grips[g.ID] = g, g
	b.Opened[k] = g.ID
}

// mayHave says of a handle that leaves a master when another epoch has begun, or that
// was not tested, and that no request has shown since, whether its session may have
// had the rights in this epoch: it has them still, or something has changed.
func (b *Checker) mayHave(g *model.Grip) bool {
	n := b.rights.At(g.Node)
	return (b.rights.epoch > g.ID.Epoch || g.Untested) &&
		(b.rights.version != b.rights.began || n != nil && b.rights.may(b.rights.Who[g.Session], n.Names, g.Rights))
}

// GripBy is a handle by its token.
func GripBy(t api.Token) (*model.Grip, bool) {
	k, ok := clients.ReadToken(t)
	return &model.Grip{ID: k.ID, Session: k.Session, Node: k.Node, Rights: k.Rights, Tied: k.Tied}, ok
}

// means says that an op, by a token that was given out, is what a deed does.
func (b *Checker) means(op api.Op, deed command.NodeOp) bool {
	if _, fails := deed.(command.Fail); fails {
		return true
	}
	token, on := model.TokenIn(op)
	g := b.Given[token]
	if on && g == nil {
		g = &model.Grip{}
		if parsed, ok := GripBy(token); ok {
			g = parsed // forged: it is said what is wrong with it
		}
	}
	switch op := op.(type) {
	case api.Open:
		d, ok := deed.(command.OpenNode)
		return ok && d.Rights == op.Rights && (op.Dir != "" || d.Path.String() == "/"+op.Path)
	case api.GetContents:
		d, ok := deed.(command.GetContents)
		return ok && d.Node == g.Node
	case api.GetStat:
		d, ok := deed.(command.GetStat)
		return ok && d.Node == g.Node
	case api.ReadDir:
		d, ok := deed.(command.ReadDir)
		return ok && d.Node == g.Node && d.After == op.After && d.Most == op.Most
	case api.SetContents:
		d, ok := deed.(command.SetContents)
		return ok && d.Node == g.Node && d.Contents == op.Contents && d.When == op.When
	case api.SetACL:
		d, ok := deed.(command.SetACL)
		return ok && d.Node == g.Node && d.Names == op.Names && d.When == op.When
	case api.DeleteNode:
		d, ok := deed.(command.DeleteNode)
		return ok && d.Node == g.Node
	}
	return meansLock(op, deed, g)
}

func meansLock(op api.Op, deed command.NodeOp, g *model.Grip) bool {
	switch op := op.(type) {
	case api.Acquire:
		d, ok := deed.(command.Acquire)
		return ok && d.Node == g.Node && d.Handle == g.ID && d.Mode == op.Mode && d.Wait == op.Wait
	case api.Release:
		d, ok := deed.(command.Release)
		return ok && d.Node == g.Node && d.Handle == g.ID && d.Acquisition == op.Acquisition
	case api.CancelAcquire:
		d, ok := deed.(command.CancelAcquire)
		return ok && d.Node == g.Node && d.Handle == g.ID && d.Call == op.Call
	case api.CloseHandle:
		d, ok := deed.(command.CloseHandle)
		return ok && d.Node == g.Node && d.Handle == g.ID
	case api.GetSequencer:
		d, ok := deed.(command.GetSequencer)
		return ok && d.Node == g.Node && d.Handle == g.ID
	case api.CheckSequencer:
		d, ok := deed.(command.CheckSequencer)
		return ok && d.Node == g.Node
	case api.SetSequencer:
		_, ok := deed.(command.CheckSequencer)
		return ok
	}
	return false
}
