package agreement

import (
	"github.com/cespare/xxhash/v2"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
)

// Effect is where a call took effect, and what it was answered then.
type Effect struct {
	At     linearizability.Position
	answer uint64    // digest of the result
	left   bool      // by a CancelAcquire, for a call that it gives up
	epoch  api.Epoch // in which
	row    bool      // as a call on rows
}

// About is what an op on a node is about, and so who may answer it.
type About uint8

const (
	AboutNode   About = 1 + iota // any replica with read authority
	aboutLock                    // the same: an Acquire
	aboutHandle                  // the master's memory as well
	aboutMemory                  // nothing but that, with authority or without
)

// repeats checks that no command stands in the log more often than it was
// handed to it (S5). What is executed twice is another question: the rows may
// forgive what the log must not do.
func (h *Checker) repeats(s paxos.Slot, v paxos.Value) {
	for i, c := range v.Commands {
		key := xxhash.Sum64String(c)
		left := h.handed[key] - 1
		if left < 0 {
			h.world.Break("S5", "command %d of slot %d stands in the log once more than it was proposed", i, s)
		}
		if h.handed[key] = left; left == 0 {
			delete(h.handed, key)
		}
	}
}

// commands notes where each call took effect. Property S5.
func (h *Checker) commands(a *core.Applied) {
	if len(a.Commands) > 1 {
		h.Batches++
	}
	for i := range a.Commands {
		h.guarded(a.Slot, &a.Commands[i])
		h.Meant(a.Slot, &a.Commands[i])
		h.Note(&a.Commands[i])
		h.Numbered = max(h.Numbered, a.Commands[i].Number)
		at := linearizability.Position{Slot: int64(a.Slot), Index: int32(i)}
		h.around.Executed(&a.Commands[i], at)
		key, ok := model.CallOf(a.Commands[i].Command)
		if !ok || a.Commands[i].Verdict != command.Executed {
			continue
		}
		if was, twice := h.Calls[key]; twice {
			h.world.Break("S5", "call %d of session %d took effect at %v and again at %v", key.Seq, key.Session, was.At, at)
		}
		if by, passed := h.Final.Passed(key); passed {
			h.world.Break("S4", "call %d of session %d takes effect at %v, and its client, which waits for it no more, was answered call %d before", key.Seq, key.Session, at, by)
		}
		_, row := a.Commands[i].Command.(command.Call)
		h.Calls[key] = Effect{At: at, answer: model.Digest(a.Commands[i].Result), epoch: h.Epoch, row: row}
		h.Cancels(a.Commands[i].Command, at)
	}
}

// Cancels notes the answer that a CancelAcquire leaves for the call that it gives
// up, unless that was executed.
func (h *Checker) Cancels(c command.Command, at linearizability.Position) {
	act, ok := c.(command.NodeCommand)
	if !ok {
		return
	}
	if d, ok := act.Op.(command.CancelAcquire); ok {
		if key := (model.Call{Session: act.Session, Seq: d.Call}); h.Calls[key] == (Effect{}) {
			h.Calls[key] = Effect{At: at, answer: model.Digest(api.Result{Code: api.Cancelled}), epoch: h.Epoch, left: true}
		}
	}
}

// guarded checks that a command which was executed met the epoch in which it was
// received, or proposed by a master (P5.01): mastership was not lost in between,
// nor lost and regained. h.epoch is that of this place in the log.
func (h *Checker) guarded(s paxos.Slot, a *command.Applied) {
	if guard, ok := model.GuardOf(a.Command); ok && a.Verdict == command.Executed && guard != h.Epoch {
		h.world.Break("S2", "slot %d: %+v is executed in epoch %d, and is of epoch %d", s, a.Command, h.Epoch, guard)
	}
}

// Note counts what became of a command, for the table.
func (h *Checker) Note(a *command.Applied) {
	switch {
	case a.Verdict == command.Repeated:
		h.Repeated++
	case a.Result.Code == api.Aborted:
		h.Aborted++
	case a.Result.Code == api.Stale:
		h.Stale++
	case a.Result.Code == api.NoSession:
		h.Orphans++
	case a.Result.Code == api.Conflict:
		h.Conflicts++
	}
	for _, e := range a.Effects {
		if e, ok := e.(command.EpochBegan); ok {
			if e.Epoch.Number <= h.Epoch {
				h.world.Break("S2", "epoch %d begins after epoch %d", e.Epoch.Number, h.Epoch)
			}
			h.Epoch = e.Epoch.Number
			b := paxos.Ballot{Round: e.Epoch.Ballot.Round, Node: paxos.NodeID(e.Epoch.Ballot.Node)}
			if b.Less(h.lastEpoch) {
				h.LateEpochs++
			}
			h.lastEpoch = b
			h.epochs[h.Epoch] = holder{paxos.NodeID(e.Epoch.Master), b}
		}
	}
}

// PositionOf is where a call took effect, if it did.
func (h *Checker) PositionOf(t *client.CallID) (linearizability.Position, bool) {
	e, ok := h.Calls[model.Call{Session: t.Session, Seq: t.Seq}]
	return e.At, ok
}
