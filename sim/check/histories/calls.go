package histories

import (
	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/conformance/clients"
	"github.com/chubbycell/chubby/sim/model"
)

// Calls records the calls on nodes and locks of all clients of a cell at the wire: a call begins
// when its client first sends it, and ends when the first answer arrives that the model knows. So
// the programs need not be written for it. What a client answers from its cache is not on the wire.
// In reports and histories, a client's number is that of its session.
type Calls struct {
	files *Files
	locks *Locks

	under  map[model.Call]recorded
	known  map[api.SessionID]bool
	delays map[api.HandleID]api.LockDelay // of handles that clients were given
}

// recorded is a call that was sent.
type recorded struct {
	op    api.Op
	at    int // its number in files or locks
	locks bool
	done  bool // it has its answer
}

// NewCalls returns the recorder of a cell without calls, and the histories that it fills.
func NewCalls(files *Files, locks *Locks) *Calls {
	return &Calls{files: files, locks: locks, under: map[model.Call]recorded{}, known: map[api.SessionID]bool{}, delays: map[api.HandleID]api.LockDelay{}}
}

// Knows reports whether the calls of a session are recorded.
func (c *Calls) Knows(s api.SessionID) bool { return c.known[s] }

// OnSend reports a request as it leaves a client. Copies of a call that was recorded change nothing.
func (c *Calls) OnSend(q api.Request) {
	k := model.Call{Session: q.Session, Seq: q.Seq}
	if q.Session == 0 || q.Seq == 0 {
		return
	}
	if _, again := c.under[k]; again {
		return
	}
	r, trail, who := recorded{op: q.Op}, &client.CallID{Session: q.Session, Seq: q.Seq}, int64(q.Session)
	if !c.known[q.Session] {
		c.known[q.Session] = true
		c.files.History.Concurrent(who)
	}
	if in, ok := fileInput(q.Op); ok {
		r.at = c.files.Begins(who, in, trail)
		c.under[k] = r
	} else if in, ok := c.lockInput(q.Op); ok {
		r.locks, r.at = true, c.locks.Begins(who, in, trail)
		c.locks.calls[r.at].op.Concurrent = true
		c.under[k] = r
	}
}

// OnAnswer reports a reply as it reaches a client.
func (c *Calls) OnAnswer(p api.Reply) {
	k := model.Call{Session: p.Session, Seq: p.Seq}
	r, ok := c.under[k]
	if !ok || r.done || p.Code.Execution() != api.Executed {
		return
	}
	if open, opens := r.op.(api.Open); opens && p.Code == api.OK {
		if d, ok := p.Detail.(api.Opened); ok {
			if t, ok := clients.ReadToken(d.Token); ok {
				c.delays[t.ID] = open.Delay
			}
		}
	}
	if r.locks {
		r.done = c.locks.answered(r.at, p.Result)
	} else {
		r.done = c.files.answered(r.at, p.Result)
	}
	c.under[k] = r
}

// answered records the answer to a call that was recorded at the wire, and reports whether it is one
// that ends the call. Any other, such as a refusal for the rights, leaves it open: a call with a
// place in the log gets its answer there. Only a read has certainly changed nothing.
func (b *Files) answered(at int, r api.Result) bool {
	if out, known := fileOutput(r); known {
		b.OK(at, out)
		return true
	}
	switch b.trails[at].in.Op {
	case linearizability.FileGet, linearizability.FileGetStat, linearizability.FileReadDir:
		b.Failed(at)
		return true
	}
	return false
}

// answered is Files.answered for calls on locks. StaleSequencer may be said of the handle's own
// sequencer, and is no answer of the model then.
func (b *Locks) answered(at int, r api.Result) bool {
	op := &b.calls[at].op
	out, known := lockResult(op.Input.Op, r)
	if !known || out.Code == linearizability.LockStale {
		return false
	}
	op.Outcome, op.Return, op.ReturnTime, op.Output = linearizability.OutcomeOK, b.next(), b.now(), out
	return true
}

// kinds maps kinds of nodes to those of the model.
var kinds = map[api.NodeKind]linearizability.FileKind{api.File: linearizability.FilePlain, api.Directory: linearizability.FileDirectory}

// fileInput describes an operation on a node to the model; ok is false if it is none.
func fileInput(op api.Op) (in linearizability.FileInput, ok bool) {
	token, _ := model.TokenIn(op)
	k, ok := clients.ReadToken(token)
	if !ok && token != "" {
		return in, false
	}
	on := func(in linearizability.FileInput) linearizability.FileInput { return onNode(in, k.Node) }
	switch op := op.(type) {
	case api.Open:
		in = linearizability.FileInput{
			Op: linearizability.FileOpen, Path: "/" + op.Path, Create: linearizability.FileCreation(op.Create), Kind: kinds[op.Kind],
			Ephemeral: op.Ephemeral, Contents: op.Contents, Names: linearizability.FileNames(model.ACLNames(op.Names)),
		}
		if ok {
			in.Dir, in.Instance = k.Node.Path.String(), uint64(k.Node.Instance)
			if in.Path = in.Dir; op.Path != "" {
				in.Path = model.Inside(in.Dir) + op.Path
			}
		}
		return in, true
	case api.GetContents:
		return on(linearizability.FileInput{Op: linearizability.FileGet}), ok
	case api.GetStat:
		return on(linearizability.FileInput{Op: linearizability.FileGetStat}), ok
	case api.ReadDir:
		return on(linearizability.FileInput{Op: linearizability.FileReadDir, After: op.After}), ok
	case api.SetContents:
		return on(linearizability.FileInput{Op: linearizability.FileSet, Contents: op.Contents, When: uint64(op.When)}), ok
	case api.SetACL:
		return on(linearizability.FileInput{Op: linearizability.FileSetNames, Names: linearizability.FileNames(model.ACLNames(op.Names)), When: uint64(op.When)}), ok
	case api.DeleteNode:
		return on(linearizability.FileInput{Op: linearizability.FileDelete}), ok
	}
	return in, false
}

// lockInput describes an operation on a lock to the model; ok is false if it is none.
func (c *Calls) lockInput(op api.Op) (in lockInput, ok bool) {
	token, _ := model.TokenIn(op)
	k, ok := clients.ReadToken(token)
	if !ok {
		return in, false
	}
	in = lockInput{Path: k.Node.Path.String(), Instance: uint64(k.Node.Instance), Handle: model.Owner{Session: k.Session, Handle: k.ID}.String()}
	switch op := op.(type) {
	case api.Acquire:
		in.Op, in.Shared = linearizability.LockTry, op.Mode == api.Shared
		if op.Wait {
			in.Op = linearizability.LockAcquire
		}
		delay, given := c.delays[k.ID]
		in.Delay = int64(model.DelaySpan(delay))
		return in, given
	case api.Release:
		in.Op, in.Acquisition = linearizability.LockRelease, uint64(op.Acquisition)
		return in, true
	case api.CheckSequencer:
		s, err := api.ParseSequencer(op.Sequencer)
		in = lockInput{Op: linearizability.LockCheckSequencer, Path: s.Node.Path.String(), Instance: uint64(s.Node.Instance), Shared: s.Mode == api.Shared, Gen: uint64(s.Gen)}
		return in, err == nil
	}
	return in, false
}
