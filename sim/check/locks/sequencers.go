package locks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Sequencers compares the answers about sequencers with which handles hold which locks by the
// log (S10). A sequencer is valid if and only if its lock is held in its mode at its
// generation. A handle that is tied to a sequencer may act only while that is valid.
type Sequencers struct {
	world *sim.World
	locks *Model
	asked map[sending]api.Sequencer
	tied  map[sending][]api.Sequencer // the sequencers to which the handle of a call is or was tied, if its token says so
	stale int                         // sequencers found to be stale
	told  map[remembered]bool         // calls that a master answered with a token, and so remembers

	Kept, Broken uint64 // operations by tied handles, by whether the sequencer was valid
}

// sending is one request of a call. A client that breaks the protocol gives two calls one
// number, and a master may take in both before it answers the first.
type sending struct {
	model.Call
	id uint64
}

// remembered is a call that was answered in an epoch.
type remembered struct {
	model.Call
	epoch api.Epoch
}

// NewSequencers returns a checker on top of a Model.
func NewSequencers(w *sim.World, held *Model) *Sequencers {
	return &Sequencers{world: w, locks: held, asked: map[sending]api.Sequencer{}, tied: map[sending][]api.Sequencer{}, told: map[remembered]bool{}}
}

// OnRequest records which sequencer a request carries, and the sequencers to which its handle
// was tied so far; these are none unless its token says that it is tied. The answer names the
// request that it is for.
func (w *Sequencers) OnRequest(q api.Request, tied []api.Sequencer) {
	k := sending{model.Call{Session: q.Session, Seq: q.Seq}, q.ID}
	delete(w.asked, k)
	delete(w.tied, k)
	if o, ok := q.Op.(api.CheckSequencer); ok {
		if s, err := api.ParseSequencer(o.Sequencer); err == nil {
			w.asked[k] = s
		}
	}
	if len(tied) > 0 {
		w.tied[k] = tied
	}
}

// OnCommand reports a command when it is first applied anywhere, before the Model sees it: a
// deletion removes the lock by which the command must be judged.
func (w *Sequencers) OnCommand(a *command.Applied) {
	act, ok := a.Command.(command.NodeCommand)
	if !ok || a.Verdict != command.Executed {
		return
	}
	fence := model.FenceIn(act.Op)
	w.checkFence(act.Op, fence, a.Result.Code)
	if d, checks := act.Op.(command.CheckSequencer); checks {
		w.judge(d.Sequencer, a.Result.Code, fence == api.Sequencer{})
	}
}

// checkFence: while the sequencer of a handle is not valid, the handle does nothing, whatever
// else is asked. While it is valid, it is no reason to refuse.
func (w *Sequencers) checkFence(d command.NodeOp, fence api.Sequencer, said api.Code) {
	if fence == (api.Sequencer{}) {
		return
	}
	_, checks := d.(command.CheckSequencer)
	switch valid := w.locks.IsValid(fence); {
	case !valid && said != api.StaleSequencer:
		w.world.Break("S10", "%+v is answered %v, and the sequencer of its handle is not valid: %s", d, said, w.locks.whyNot([]api.Sequencer{fence}))
	case valid && said == api.StaleSequencer && !checks:
		w.world.Break("S10", "%+v is refused for the sequencer of its handle, which is valid", d)
	case valid:
		w.Kept++
	default:
		w.Broken++
	}
}

// OnReply reports an answer from the rows of a master that has applied all that any replica
// has, and nothing since it read them. If the handle is tied to a sequencer, the answer
// depends on that, too. A call that was answered with a token gets the same token from the
// same master again, whatever the rows say by then.
func (w *Sequencers) OnReply(p api.Reply) {
	k := sending{model.Call{Session: p.Session, Seq: p.Seq}, p.ID}
	if _, given := p.Detail.(api.Opened); given {
		if w.told[remembered{k.Call, p.Epoch}] {
			return
		}
		w.told[remembered{k.Call, p.Epoch}] = true
	}
	if s, ok := w.asked[k]; ok {
		w.judge(s, p.Code, false)
	}
	tied := w.tied[k]
	switch {
	case len(tied) == 0 || slices.ContainsFunc(tied, w.locks.IsValid):
	case p.Code == api.OK:
		w.world.Break("S10", "call %d of session %d is answered from the rows, and no sequencer is valid to which its handle was ever tied: %s", k.Seq, k.Session, w.locks.whyNot(tied))
	case p.Code == api.StaleSequencer:
		w.Broken++
	}
}

// judge compares an answer about a sequencer with the Model. free says that nothing else can
// be the reason for StaleSequencer.
func (w *Sequencers) judge(s api.Sequencer, said api.Code, free bool) {
	valid := w.locks.IsValid(s)
	switch {
	case said == api.OK && !valid:
		w.world.Break("S10", "a sequencer is said to be valid, and is not: %s", w.locks.whyNot([]api.Sequencer{s}))
	case said == api.StaleSequencer && free && valid:
		w.world.Break("S10", "sequencer %v is said to be stale, and the lock is held so", s)
	case said == api.StaleSequencer:
		w.stale++
	}
}

// IsValid reports whether a lock is held as a sequencer describes it.
func (b *Model) IsValid(s api.Sequencer) bool {
	return len(b.Owners(func(_ model.Owner, h Hold) bool { return h.Node == s.Node && h.Mode == s.Mode && h.Gen == s.Gen })) > 0
}

// whyNot says of sequencers how their locks are held instead.
func (b *Model) whyNot(all []api.Sequencer) string {
	var parts []string
	for _, s := range all {
		how := "is free"
		for _, h := range b.Holds { // order-free: all holders of a lock have it in one way
			if h.Node == s.Node {
				how = fmt.Sprintf("is held %v at generation %d", h.Mode, h.Gen)
			}
		}
		parts = append(parts, fmt.Sprintf("%v, and this lock %s", s, how))
	}
	return strings.Join(parts, "; ")
}
