package agreement

import (
	"slices"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/sim/model"
)

// about is what an op on a node is about, and so from what it may be answered. A hostile client asks for several
// things by one number, in any order: an answer may be that of any of them.
type about uint8

const (
	aboutNode   about = 1 << iota // the rows, with read authority
	aboutLock                     // the same: an Acquire
	aboutHandle                   // the master's memory as well
	aboutMemory                   // nothing but that, with authority or without
)

// has reports whether one of the ops may be about one of these.
func (a about) has(these about) bool { return a&these != 0 }

// answerTo is an answer to a call, by digest. Masters of several epochs may give several.
type answerTo struct {
	call   model.Call
	answer uint64
}

// OnRequest notes which requests come to a replica, and which calls are about nodes, whose
// answers need not stand in the log: some are about handles alone, which are memory
// of the master, and the others can be answered by a replica with read authority.
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

// OnReply compares what a client is told with what took effect (I-W1): a
// definite answer is the one of the place in the log where the call was
// executed, or one of the reads that were answered in the same breath without the
// log; and no reply names an epoch that has not begun. err says that it is none.
func (h *Calls) OnReply(id paxos.NodeID, p api.Reply, err error, reads []core.Read) {
	if err != nil {
		h.world.Break("I-W1", "replica %d sends a reply that cannot be decoded: %v", id, err)
		return
	}
	if p.Epoch > h.epochs.Highest {
		h.world.Break("I-W1", "replica %d replies in epoch %d, the highest that began is %d", id, p.Epoch, h.epochs.Highest)
	}
	if p.Session == 0 || p.Seq == 0 || p.Code.Execution() != api.Executed {
		return // the opening of a session, a KeepAlive, or no answer
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
	// To refuse by memory, however much authority there is, what these rows have an
	// answer for would be to say that nothing was done; unless it was refused before,
	// and then cancelled in the log.
	byMemory := of.has(aboutHandle | aboutMemory)
	kept := ok && tree && !again && !byMemory && paxos.Slot(e.At.Slot) <= h.Disks[id].Applied
	if read && !kept {
		if tree {
			h.given[this] = p.Epoch
		}
		return
	}
	if !ok && tree && (byMemory || again || h.around.HasAuthority(id)) {
		h.given[this] = p.Epoch // and may be again, by any later master
		return
	}
	h.Told = max(h.Told, paxos.Slot(e.At.Slot))
	if !ok {
		h.world.Break("I-W1", "replica %d answers call %d of session %d with %v, and it took effect nowhere", id, p.Seq, p.Session, p.Code)
	}
	refused := byMemory && p.Code != api.OK // by a later master, for what became of the handle
	// What a later master has refused, one of before may have done to its memory, or do
	// yet, which counts no more.
	refused = refused || of.has(aboutMemory) && p.Epoch < e.epoch
	// What was told by memory in an epoch may be told again there, after a later master
	// has executed a copy: clients do not take it once they know of that one. And an
	// Acquire whose handle was closed may be cancelled in the log after that.
	refused = refused || tree && again && (p.Epoch < e.epoch || p.Epoch == then && of.has(aboutLock))
	// A client that uses one number for a call on a node and one on a row is told of the
	// former what it was told before, also after the latter was executed.
	refused = refused || tree && again && p.Epoch == then && e.row
	// A lock that was granted, and freed or gone with its node since, is not held.
	holds := h.around.HoldsLock(name)
	refused = refused || of.has(aboutLock) && p.Code == api.NotHeld && p.Epoch >= e.epoch && !holds
	// A lock's node may go in a slot before the one in which the call is given up,
	// and both slots be applied at once: then the answer is of the former.
	refused = refused || e.left && paxos.Slot(e.At.Slot) >= h.Disks[id].fresh && h.around.HasAuthority(id)
	if ok && !refused && e.answer != model.Digest(p.Result) {
		h.world.Break("I-W1", "replica %d answers call %d of session %d with %v, which is not what it was at %v", id, p.Seq, p.Session, p.Code, e.At)
	}
}
