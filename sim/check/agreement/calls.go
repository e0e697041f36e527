package agreement

import (
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
)

// Effect is where a call took effect, and its answer there.
type Effect struct {
	At     linearizability.Position
	answer uint64    // digest of the result
	code   api.Code  // of the result
	left   bool      // left by a CancelAcquire for the call that it gives up
	epoch  api.Epoch // epoch of that place
	row    bool      // it was a call on rows
}

// Calls records where each call took effect and which requests reached which replica, and so
// what an answer may say (S4, S5, I-W1).
type Calls struct {
	*truth
	epochs *Epochs
	around Around

	Effects map[model.Call]Effect
	handed  map[uint64]int // times proposed minus times chosen, by hash of the command
	came    arrivals
	asked   map[model.Call]about // what calls on nodes concern
	Final   givenUp
	given   map[answerTo]api.Epoch // answers that are not in the log, and the epoch in which they were last given

	Told     paxos.Slot // highest slot of which a client was told an answer
	Numbered api.Number // number of the last command that was applied anywhere

	Aborted, Repeated, Stale, Orphans, Conflicts, Batches uint64
}

func newCalls(t *truth, e *Epochs, around Around) *Calls {
	return &Calls{
		truth: t, epochs: e, around: around, Effects: map[model.Call]Effect{}, handed: map[uint64]int{}, came: newArrivals(),
		asked: map[model.Call]about{}, Final: newGivenUp(), given: map[answerTo]api.Epoch{},
	}
}

// OnProposed counts the commands that a replica hands to the log.
func (h *Calls) OnProposed(commands [][]byte) {
	for _, c := range commands {
		h.handed[xxhash.Sum64(c)]++
	}
}

// checkRepeats checks that the log has no command more often than it was proposed (S5).
// Execution is another matter: the rows may tolerate a repetition that the log must not have.
func (h *Calls) checkRepeats(s paxos.Slot, v paxos.Value) {
	for i, c := range v.Commands {
		key := xxhash.Sum64String(c)
		left := h.handed[key] - 1
		if left < 0 {
			h.world.Break("S5", "%s, command %d of slot %d, stands in the log once more than it was proposed; before that, it stands in %s", named(c), i, s, h.slotsOf(c, s))
		}
		if h.handed[key] = left; left == 0 {
			delete(h.handed, key)
		}
	}
}

// named returns the name of a command: that of its call, or its kind with its content.
func named(raw string) string {
	c, err := command.Decode(raw)
	if err != nil {
		return fmt.Sprintf("%d bytes that are no command", len(raw))
	}
	if k, ok := model.CallOf(c); ok {
		return fmt.Sprintf("call %d of session %d", k.Seq, k.Session)
	}
	return fmt.Sprintf("%s %+v", strings.TrimPrefix(fmt.Sprintf("%T", c), "command."), c)
}

// slotsOf names the chosen slots below one that have a command.
func (h *Calls) slotsOf(raw string, last paxos.Slot) string {
	var all []string
	for s := range min(last, paxos.Slot(len(h.Slots))) {
		for _, c := range h.Slots[s].value.Commands {
			if h.Slots[s].chosen && c == raw {
				all = append(all, fmt.Sprintf("slot %d", s))
				break
			}
		}
	}
	if all == nil {
		return "no slot"
	}
	return strings.Join(all, ", ")
}

// onCommands records where each call took effect (S5).
func (h *Calls) onCommands(a *core.Applied) {
	if len(a.Commands) > 1 {
		h.Batches++
	}
	for i := range a.Commands {
		h.checkGuard(a.Slot, &a.Commands[i])
		h.checkArrived(a.Slot, &a.Commands[i])
		h.note(&a.Commands[i])
		h.Numbered = max(h.Numbered, a.Commands[i].Number)
		at := linearizability.Position{Slot: int64(a.Slot), Index: int32(i)}
		h.around.Executed(&a.Commands[i], at)
		key, ok := model.CallOf(a.Commands[i].Command)
		if !ok || a.Commands[i].Verdict != command.Executed {
			continue
		}
		if was, twice := h.Effects[key]; twice {
			h.world.Break("S5", "call %d of session %d took effect at %v and again at %v", key.Seq, key.Session, was.At, at)
		}
		if by, passed := h.Final.Passed(key); passed {
			h.world.Break("S4", "call %d of session %d takes effect at %v, and its client, which waits for it no more, was answered call %d of session %d before", key.Seq, key.Session, at, by, key.Session)
		}
		_, row := a.Commands[i].Command.(command.Call)
		h.Effects[key] = Effect{At: at, answer: model.Digest(a.Commands[i].Result), code: a.Commands[i].Result.Code, epoch: h.epochs.Highest, row: row}
		h.noteCancelled(a.Commands[i].Command, at)
	}
}

// noteCancelled records the answer that a CancelAcquire leaves for the call that it gives up,
// unless that call was executed.
func (h *Calls) noteCancelled(c command.Command, at linearizability.Position) {
	act, ok := c.(command.NodeCommand)
	if !ok {
		return
	}
	if d, ok := act.Op.(command.CancelAcquire); ok {
		if key := (model.Call{Session: act.Session, Seq: d.Call}); h.Effects[key] == (Effect{}) {
			h.Effects[key] = Effect{At: at, answer: model.Digest(api.Result{Code: api.Cancelled}), code: api.Cancelled, epoch: h.epochs.Highest, left: true}
		}
	}
}

// checkGuard checks that an executed command's guard is the epoch of this place in the log
// (P5.01): between its receipt, or its proposal by a master, and its execution, mastership
// was not lost, nor lost and regained.
func (h *Calls) checkGuard(s paxos.Slot, a *command.Applied) {
	if guard, ok := model.GuardOf(a.Command); ok && a.Verdict == command.Executed && guard != h.epochs.Highest {
		h.world.Break("S2", "slot %d: %+v is executed in epoch %d, and is of epoch %d", s, a.Command, h.epochs.Highest, guard)
	}
}

// note counts outcomes of commands, for tables.
func (h *Calls) note(a *command.Applied) {
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
			h.epochs.onBegan(e.Epoch)
		}
	}
}

// PositionOf returns where a call took effect; ok is false if it did not.
func (h *Calls) PositionOf(t *client.CallID) (linearizability.Position, bool) {
	e, ok := h.Effects[model.Call{Session: t.Session, Seq: t.Seq}]
	return e.At, ok
}
