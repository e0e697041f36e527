package cell

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/command"
	"github.com/chubbycell/chubby/sim"
)

// sequencerWatch compares what is said of sequencers with who holds which lock, by
// the log (S10): one is valid if and only if its lock is held, in this mode, at this
// generation.
type sequencerWatch struct {
	world *sim.World
	locks *lockBook
	asked map[call]api.Sequencer
	stale int // that were found to be so
}

func newSequencerWatch(w *sim.World, locks *lockBook) *sequencerWatch {
	return &sequencerWatch{world: w, locks: locks, asked: map[call]api.Sequencer{}}
}

// asks notes which sequencer a request shows.
func (w *sequencerWatch) asks(q api.Request) {
	if o, ok := q.Op.(api.CheckSequencer); ok {
		if s, err := api.ParseSequencer(o.Sequencer); err == nil {
			w.asked[call{q.Session, q.Seq}] = s
		}
	}
}

// command is told of each command as it is first applied anywhere.
func (w *sequencerWatch) command(a *command.Applied) {
	act, ok := a.Command.(command.Act)
	if d, checks := act.Deed.(command.CheckSequencer); ok && checks && a.Verdict == command.Executed {
		w.judge(d.Sequencer, a.Result.Code, d.Fence == (api.Sequencer{}))
	}
}

// answered is told of an answer from the rows of a master that has applied all that
// anybody has, and nothing since it looked. Its handle may be tied to a sequencer,
// which is answered for, too.
func (w *sequencerWatch) answered(p api.Reply) {
	if s, ok := w.asked[call{p.Session, p.Seq}]; ok {
		w.judge(s, p.Code, false)
	}
}

// judge: free says that nothing else can be the reason for StaleSequencer.
func (w *sequencerWatch) judge(s api.Sequencer, said api.Code, free bool) {
	valid := w.locks.valid(s)
	switch {
	case said == api.OK && !valid:
		w.world.Break("S10", "sequencer %v is said to be valid, and the lock is not held so", s)
	case said == api.StaleSequencer && free && valid:
		w.world.Break("S10", "sequencer %v is said to be stale, and the lock is held so", s)
	case said == api.StaleSequencer:
		w.stale++
	}
}

// valid says that a lock is held as a sequencer describes it.
func (b *lockBook) valid(s api.Sequencer) bool {
	return len(b.owners(func(_ owner, h hold) bool { return h.node == s.Node && h.mode == s.Mode && h.gen == s.Gen })) > 0
}
