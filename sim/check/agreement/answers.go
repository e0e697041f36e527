package agreement

import (
	"fmt"
	"slices"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/sim/model"
)

// about says what an operation on a node concerns, and so what it may be answered from. A
// hostile client sends several operations under one number, in any order, so it is a set: the
// answer may be to any of them.
type about uint8

const (
	aboutNode   about = 1 << iota // answered from the rows, with read authority
	aboutLock                     // the same, for an Acquire
	aboutHandle                   // answered from the master's memory as well
	aboutMemory                   // answered from the memory only, with or without authority
)

// has reports whether one of the operations may concern one of these.
func (a about) has(these about) bool { return a&these != 0 }

// answerTo is an answer to a call, as a digest. Masters of several epochs may give different
// ones.
type answerTo struct {
	call   model.Call
	answer uint64
}

// OnRequest records a request that reaches a replica. The answers of calls on nodes need not
// be in the log: some concern only handles, which are memory of the master, and a replica
// with read authority can answer the others.
func (h *Calls) OnRequest(to paxos.NodeID, q api.Request) {
	h.came.note(to, q, h.epochs.Highest)
	if q.Seq == 0 {
		return
	}
	h.Final.Asks(q)
	switch q.Op.(type) {
	case api.Acquire:
		h.asked[model.Call{Session: q.Session, Seq: q.Seq}] |= aboutLock
	case api.Poison:
		h.asked[model.Call{Session: q.Session, Seq: q.Seq}] |= aboutMemory
	case api.CloseHandle, api.SetSequencer:
		h.asked[model.Call{Session: q.Session, Seq: q.Seq}] |= aboutHandle
	case api.Open, api.GetContents, api.GetStat, api.ReadDir, api.SetContents, api.SetACL, api.DeleteNode,
		api.GetSequencer, api.CheckSequencer, api.Release:
		h.asked[model.Call{Session: q.Session, Seq: q.Seq}] |= aboutNode
	}
}

// OnReply compares what a client is told with what took effect (I-W1). A definite answer must
// be the one that the call got where the log executed it, or that of a read which was
// answered without the log in this step. No reply may name an epoch that has not begun. err
// says that the reply cannot be decoded.
func (h *Calls) OnReply(id paxos.NodeID, p api.Reply, err error, reads []core.Read) {
	if err != nil {
		h.world.Break("I-W1", "replica %d sends a reply that cannot be decoded: %v", id, err)
		return
	}
	if p.Epoch > h.epochs.Highest {
		h.world.Break("I-W1", "replica %d replies in epoch %d, the highest that began is %d", id, p.Epoch, h.epochs.Highest)
	}
	if p.Session == 0 || p.Seq == 0 || p.Code.Execution() != api.Executed {
		return // an OpenSession, a KeepAlive, or not a definite answer
	}
	name := model.Call{Session: p.Session, Seq: p.Seq}
	h.Final.Answered(name)
	e, ok := h.Effects[name]
	of, tree := h.asked[name]
	read := slices.ContainsFunc(reads, func(r core.Read) bool {
		return r.Session == p.Session && r.Seq == p.Seq && model.Digest(r.Result) == model.Digest(p.Result)
	})
	this := answerTo{name, model.Digest(p.Result)}
	then, again := h.given[this]
	// If these rows have an answer for the call, a refusal from memory would deny what was
	// done, whatever authority the replica has; unless the call was refused before, and then
	// cancelled in the log.
	byMemory := of.has(aboutHandle | aboutMemory)
	kept := ok && tree && !again && !byMemory && paxos.Slot(e.At.Slot) <= h.Disks[id].Applied
	if read && !kept {
		if tree {
			h.given[this] = p.Epoch
		}
		return
	}
	if !ok && tree && (byMemory || again || h.around.HasAuthority(id)) {
		h.given[this] = p.Epoch // any later master may give it again
		return
	}
	h.Told = max(h.Told, paxos.Slot(e.At.Slot))
	if !ok {
		h.world.Break("I-W1", "replica %d answers call %d of session %d with %v, and it took effect nowhere", id, p.Seq, p.Session, p.Code)
	}
	refused := byMemory && p.Code != api.OK // by a later master, because of what became of the handle
	// If a later master has refused a Poison in the log, a former one may still do it in its
	// memory, which no longer counts.
	refused = refused || of.has(aboutMemory) && p.Epoch < e.epoch
	// A master may repeat in its epoch what it answered from memory, even after a later
	// master has executed a copy: a client that knows of the later epoch ignores it. And an
	// Acquire whose handle was closed may be cancelled in the log after that.
	refused = refused || tree && again && (p.Epoch < e.epoch || p.Epoch == then && of.has(aboutLock))
	// If a client uses one number for a call on a node and one on a row, the former's answer
	// may be repeated even after the latter was executed.
	refused = refused || tree && again && p.Epoch == then && e.row
	// A lock that was granted, and was then released or deleted with its node, is not held.
	holds := h.around.HoldsLock(name)
	refused = refused || of.has(aboutLock) && p.Code == api.NotHeld && p.Epoch >= e.epoch && !holds
	// A lock's node may be deleted in a slot before the one in which the call is given up,
	// and the replica may apply both slots in one step: then it answers for the former.
	refused = refused || e.left && paxos.Slot(e.At.Slot) >= h.Disks[id].fresh && h.around.HasAuthority(id)
	if ok && !refused && e.answer != model.Digest(p.Result) {
		h.world.Break("I-W1", "replica %d answers call %d of session %d with %v, which is not what it was at %v, %v", id, p.Seq, p.Session, p.Code, e.At, e.was(p.Code))
	}
}

// was says what the answer was, beside a code that was given.
func (e *Effect) was(given api.Code) string {
	if e.code == given {
		return fmt.Sprintf("%v with other details", e.code)
	}
	return e.code.String()
}
