package handles

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// decision is a command that a replica has begun; intent is its content, and how often it was begun.
type decision struct {
	id  paxos.NodeID
	raw string
}

type intent struct {
	command command.Command
	times   int
	order   uint64 // order of its last beginning, among all
}

// Intents compares what replicas decide on, and hand to the log, with the requests.
type Intents struct {
	world    *sim.World
	rights   *Rights
	grips    *Grips
	requests *Requests
	answers  *Answers
	decided  map[decision]intent // begun and not proposed yet
	lately   []uint64            // order of beginning of those proposed last
	left     map[sender]intent   // what was proposed last, by session

	Begins  uint64
	Retaken uint64 // times that handles of an earlier epoch were used
}

// OnBegun reports the commands that a replica has decided on, and will hand to the log in
// their turn. tries are those that concern waiting Acquires: attempts, and refusals of any
// call. own are those that the master needs for the cell's upkeep.
func (b *Intents) OnBegun(id paxos.NodeID, commands [][]byte) (tries []command.NodeCommand, own []command.Command) {
	for _, raw := range commands {
		c, err := command.Decode(string(raw))
		if err != nil {
			continue
		}
		k := decision{id, string(raw)}
		b.Begins++
		b.decided[k] = intent{c, b.decided[k].times + 1, b.Begins}
		switch c := c.(type) {
		case command.NodeCommand:
			b.onNodeCommand(id, c)
			d, acquires := c.Op.(command.Acquire)
			if _, fails := c.Op.(command.Fail); fails || acquires && d.Wait {
				tries = append(tries, c)
			}
		case command.Call:
			b.onCall(id, c)
		default:
			if model.IsOfMaster(c) {
				own = append(own, c)
			}
		}
	}
	return tries, own
}

// OnProposed reports what a replica has handed to the log, and returns the commands in it.
// Calls among them must have been decided on, each as often as it is proposed.
func (b *Intents) OnProposed(id paxos.NodeID, commands [][]byte) (all []command.Command) {
	b.lately = b.lately[:0]
	for _, raw := range commands {
		k := decision{id, string(raw)}
		if d, ok := b.decided[k]; ok {
			if b.decided[k] = (intent{d.command, d.times - 1, d.order}); d.times == 1 {
				delete(b.decided, k)
			}
			b.inOrder(id, d)
			all, b.lately = append(all, d.command), append(b.lately, d.order)
			continue
		}
		c, err := command.Decode(string(raw))
		if err != nil {
			continue
		}
		switch c.(type) {
		case command.NodeCommand, command.Call:
			b.world.Break("S14", "replica %d proposes %+v, on which it has not decided", id, c)
		}
		all, b.lately = append(all, c), append(b.lately, b.Begins)
	}
	return all
}

// Waited reports, for each command that was proposed last, whether it was among the first
// begins that were begun.
func (b *Intents) Waited(begins uint64) []bool {
	all := make([]bool, len(b.lately))
	for i, order := range b.lately {
		all[i] = order <= begins
	}
	return all
}

// sender is a session at a replica.
type sender struct {
	id      paxos.NodeID
	session api.SessionID
}

// inOrder requires that commands of one session reach the log in the order in which they were
// begun: a Close comes after the Acquire that it ends.
func (b *Intents) inOrder(id paxos.NodeID, d intent) {
	k, ok := model.CallOf(d.command)
	if !ok {
		return
	}
	from := sender{id, k.Session}
	if was := b.left[from]; d.order < was.order {
		before, _ := model.CallOf(was.command)
		b.world.Break("S14", "replica %d proposes %+v, which it began before call %d of session %d, and that one it has proposed already: %+v", id, d.command, before.Seq, k.Session, was.command)
	}
	b.left[from] = d
}

func (b *Intents) onCall(id paxos.NodeID, c command.Call) {
	if c.Session == 0 {
		return
	}
	if _, was := b.rights.Opened[c.Session]; !was {
		b.world.Break("S16", "replica %d proposes %T as call %d of session %d, which is not open yet", id, c.Op, c.Seq, c.Session)
		return
	}
	b.checkNotRefused(id, model.Call{Session: c.Session, Seq: c.Seq}, c.Guard, c.Op)
	if _, f := b.requests.justified(model.Call{Session: c.Session, Seq: c.Seq}, c.Guard, func(op api.Op) bool { return op == c.Op }); f != (model.Finding{}) {
		b.world.Break(f.ID, "replica %d proposes %T as call %d of session %d, and %s", id, c.Op, c.Seq, c.Session, f.Text)
	}
}

func (b *Intents) onNodeCommand(id paxos.NodeID, c command.NodeCommand) {
	b.checkNotRefused(id, model.Call{Session: c.Session, Seq: c.Seq}, c.Guard, c.Op)
	if _, refuses := c.Op.(command.Fail); refuses {
		return
	}
	a, f := b.requests.justified(model.Call{Session: c.Session, Seq: c.Seq}, c.Guard, func(op api.Op) bool { return b.grips.matches(op, c.Op) })
	if f != (model.Finding{}) {
		b.world.Break(f.ID, "replica %d proposes %+v as call %d of session %d, and %s", id, c.Op, c.Seq, c.Session, f.Text)
		return
	}
	token, on := model.TokenIn(a.op)
	if on && b.grips.Given[token].ID.Epoch < c.Guard {
		b.Retaken++
	}
	if on && b.grips.ties[token] && model.NeedsFence(a.op) && model.FenceIn(c.Op) == (api.Sequencer{}) {
		b.world.Break("S10", "replica %d proposes %+v as call %d of session %d without a sequencer, and the handle's token says that it is tied to one", id, c.Op, c.Seq, c.Session)
	}
}

// checkNotRefused: after a call was definitely refused, no copy of its request is worked on
// in the same epoch. If requests of several kinds have this number, it is unknown which one
// was refused.
func (b *Intents) checkNotRefused(id paxos.NodeID, k model.Call, e api.Epoch, what any) {
	v, over := b.answers.denied[k]
	if !over || v.epoch != e {
		return
	}
	if _, several := b.requests.other(k, b.requests.asked[k][0].op); !several {
		b.world.Break("S5", "replica %d works on call %d of session %d, %T, and has refused it with %v in this epoch", id, k.Seq, k.Session, what, v.code)
	}
}
