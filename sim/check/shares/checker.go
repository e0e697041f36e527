package shares

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Checker counts the calls of each principal that a master has in the log. If several
// principals have sessions, a principal with calls in the log may send no more before all of
// these are applied. Otherwise a principal that sends without pause would have the log to
// itself, and the others would wait (L3).
type Checker struct {
	world *sim.World
	owner map[api.SessionID]api.Principal
	sends []shareSeat // by replica
}

// shareSeat is what a master has handed to the log in one epoch.
type shareSeat struct {
	of    any // the life of the replica
	epoch api.Epoch
	inLog map[api.Principal]int
}

// New returns a checker for that many replicas. opened has the principal of each session.
func New(w *sim.World, replicas int, opened map[api.SessionID]api.Principal) *Checker {
	return &Checker{world: w, owner: opened, sends: make([]shareSeat, replicas+1)}
}

// OnActed reports which commands a master applied in one step, and which it then handed to
// the log; of is its life. others reports whether several principals have sessions.
func (b *Checker) OnActed(id paxos.NodeID, of any, e api.Epoch, applied []core.Applied, proposed []command.Command, others func() bool) {
	t := &b.sends[id]
	if t.of != of || t.epoch != e {
		*t = shareSeat{of, e, map[api.Principal]int{}}
	}
	sessionsChanged := false // a session began or ended in this step
	for i := range applied {
		for j := range applied[i].Commands {
			a := &applied[i].Commands[j]
			if who, ok := b.asker(a.Command, e); ok && t.inLog[who] > 0 {
				t.inLog[who]--
			}
			for _, x := range a.Effects {
				switch x.(type) {
				case command.SessionOpened, command.SessionEnded:
					sessionsChanged = true
				}
			}
		}
	}
	sent := map[api.Principal]int{}
	for _, c := range proposed {
		who, ok := b.asker(c, e)
		if !ok {
			continue
		}
		if n := t.inLog[who]; n > 0 && !sessionsChanged && others() {
			b.world.Break("L3", "replica %d, master in epoch %d, sends %+v of %s to the log, which has %d calls of that one already", id, e, c, who, n)
		}
		sent[who]++
	}
	for who, n := range sent { // order-free: sums
		t.inLog[who] += n
	}
}

// OnProposed checks the order in which a master hands calls to the log in one step (L3). No
// principal may send one more call than another one that had calls waiting when the step
// began, has none in the log, and has more to send. waited says of each call whether it was
// begun before the step. Call OnProposed before OnActed.
func (b *Checker) OnProposed(id paxos.NodeID, of any, e api.Epoch, proposed []command.Command, waited []bool) {
	if len(proposed) < 3 {
		return
	}
	t := &b.sends[id]
	known := t.of == of && t.epoch == e
	askers, left := make([]api.Principal, len(proposed)), map[api.Principal]int{}
	for i, c := range proposed {
		who, ok := b.asker(c, e)
		if askers[i] = who; ok && waited[i] && (!known || t.inLog[who] == 0) {
			left[who]++
		}
	}
	sent := map[api.Principal]int{}
	for i, who := range askers {
		if who == "" {
			continue
		}
		for other, n := range left { // order-free: any breach ends the run
			if other != who && n > 0 && sent[other] < sent[who] {
				b.world.Break("L3", "replica %d, master in epoch %d, sends call %d of %s to the log, and %s, who waits as well, has sent %d", id, e, sent[who]+1, who, other, sent[other])
				return
			}
		}
		sent[who]++
		if waited[i] && left[who] > 0 {
			left[who]--
		}
	}
}

// asker returns whose call a command of an epoch executes; ok is false if it executes none.
func (b *Checker) asker(c command.Command, e api.Epoch) (who api.Principal, ok bool) {
	if guard, guarded := model.GuardOf(c); !guarded || guard != e {
		return "", false
	}
	switch c := c.(type) {
	case command.Call:
		if _, opens := c.Op.(api.OpenSession); opens {
			return c.Principal, true
		}
		who = b.owner[c.Session]
	case command.NodeCommand:
		who = b.owner[c.Session]
	}
	return who, who != ""
}

// Several reports whether more than one principal has sessions.
func Several(r rows.Reader) bool {
	var first api.Principal
	for _, s := range rows.Sessions(r) {
		if first == "" {
			first = s.Principal
		}
		if s.Principal != first {
			return true
		}
	}
	return false
}
