package locks

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Sequencers compares what is said of sequencers with who holds which lock, by
// the log (S10): one is valid if and only if its lock is held, in this mode, at this
// generation; and what is done by a handle that is tied to one is done while it is.
type Sequencers struct {
	world *sim.World
	locks *Model
	asked map[sending]api.Sequencer
	tied  map[sending][]api.Sequencer // to what the handle of a call is or was tied, where its token says that it is
	stale int                         // that were found to be so
	told  map[remembered]bool         // calls that a master answered with a token, and so remembers

	Kept, Broken uint64 // deeds by handles that were tied to a sequencer, by whether it was valid
}

// sending is one sending of a call. A client that keeps to no protocol gives two calls one number, and a
// master may have taken in both before it answers the first.
type sending struct {
	model.Call
	id uint64
}

// remembered is a call that was answered in an epoch.
type remembered struct {
	model.Call
	epoch api.Epoch
}

// NewSequencers makes the check on top of a Model.
func NewSequencers(w *sim.World, held *Model) *Sequencers {
	return &Sequencers{world: w, locks: held, asked: map[sending]api.Sequencer{}, tied: map[sending][]api.Sequencer{}, told: map[remembered]bool{}}
}

// OnRequest notes which sequencer a request shows, and to which its handle was tied so far:
// none, where its token does not say that it is. The answer names the sending that it is for.
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

// OnCommand is told of each command as it is first applied anywhere, before the book
// of locks is: a deletion takes away the lock of which it had to be judged.
func (w *Sequencers) OnCommand(a *command.Applied) {
	act, ok := a.Command.(command.NodeCommand)
	if !ok || a.Verdict != command.Executed {
		return
	}
	fence := model.FenceIn(act.Op)
	w.fences(act.Op, fence, a.Result.Code)
	if d, checks := act.Op.(command.CheckSequencer); checks {
		w.judge(d.Sequencer, a.Result.Code, fence == api.Sequencer{})
	}
}

// fences: while the sequencer of a handle is not valid, nothing is done by it,
// whatever else is asked; and while it is, it is no reason to refuse.
func (w *Sequencers) fences(d command.NodeOp, fence api.Sequencer, said api.Code) {
	if fence == (api.Sequencer{}) {
		return
	}
	_, checks := d.(command.CheckSequencer)
	switch valid := w.locks.IsValid(fence); {
	case !valid && said != api.StaleSequencer:
		w.world.Break("S10", "%+v is answered %v, and the sequencer of its handle is not valid", d, said)
	case valid && said == api.StaleSequencer && !checks:
		w.world.Break("S10", "%+v is refused for the sequencer of its handle, which is valid", d)
	case valid:
		w.Kept++
	default:
		w.Broken++
	}
}

// OnReply is told of an answer from the rows of a master that has applied all that
// any replica has, and nothing since it looked. Its handle may be tied to a sequencer,
// which is answered for, too. A client that was given a token once is given it again by the
// same master, whatever the rows say by then.
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
		w.world.Break("S10", "call %d of session %d is answered from the rows, and no sequencer is valid to which its handle was ever tied: %v", k.Seq, k.Session, tied)
	case p.Code == api.StaleSequencer:
		w.Broken++
	}
}

// judge: free says that nothing else can be the reason for StaleSequencer.
func (w *Sequencers) judge(s api.Sequencer, said api.Code, free bool) {
	valid := w.locks.IsValid(s)
	switch {
	case said == api.OK && !valid:
		w.world.Break("S10", "sequencer %v is said to be valid, and the lock is not held so", s)
	case said == api.StaleSequencer && free && valid:
		w.world.Break("S10", "sequencer %v is said to be stale, and the lock is held so", s)
	case said == api.StaleSequencer:
		w.stale++
	}
}

// IsValid says that a lock is held as a sequencer describes it.
func (b *Model) IsValid(s api.Sequencer) bool {
	return len(b.Owners(func(_ model.Owner, h Hold) bool { return h.Node == s.Node && h.Mode == s.Mode && h.Gen == s.Gen })) > 0
}
