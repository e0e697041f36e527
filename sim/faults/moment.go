package faults

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/sim"
)

// Most of what a cell does is of few kinds: a strike at any instant, or at any proposal, hits puts
// and reads. But each kind of command must survive a fail-over, both just after it was proposed and
// just after it was executed. Strikes therefore wait for a kind that is drawn from all kinds, rare
// kinds as likely as frequent ones.

// act reports whether a command is an operation on nodes of type T.
func act[T command.NodeOp](c command.Command) bool {
	a, _ := c.(command.NodeCommand)
	_, ok := a.Op.(T)
	return ok
}

// order reports whether a command is of type T.
func order[T command.Command](c command.Command) bool {
	_, ok := c.(T)
	return ok
}

// op reports whether a command is a client's call with an op of type T.
func op[T api.Op](c command.Command) bool {
	call, _ := c.(command.Call)
	_, ok := call.Op.(T)
	return ok
}

// kinds are the kinds of commands that a strike may wait for.
var kinds = []func(command.Command) bool{
	act[command.OpenNode], act[command.SetContents], act[command.SetACL], act[command.DeleteNode],
	act[command.Acquire], act[command.Acquire], act[command.Release], act[command.CancelAcquire],
	act[command.CloseHandle], act[command.GetSequencer], act[command.Fail], act[command.GetContents],
	order[command.Constant], order[command.Checksum], order[command.Expire], order[command.FailHandle],
	order[command.DelayOver], order[command.Sweep], order[command.LongestLease], order[command.ConfirmLeadership], order[command.Backup],
	op[api.OpenSession], op[api.EndSession], op[api.Put], op[api.CompareAndSet],
}

// moment is a strike that waits until a leader proposes, or applies, a command of a kind. Without a
// kind, it waits for a second delay of one lock.
type moment struct {
	kind    func(command.Command) bool
	applied bool
	strike  func()
}

// mostMoments bounds the strikes that wait; the oldest are dropped.
const mostMoments = 4

// awaitMoment makes a strike wait for a drawn moment.
func awaitMoment(c *Faults, d *sim.Draw, strike func()) {
	m := moment{applied: d.Chance(1, 2), strike: strike}
	if i := d.Int(len(kinds) + 2); i < len(kinds) {
		m.kind = kinds[i]
	}
	if len(c.moments) == mostMoments {
		c.moments = slices.Delete(c.moments, 0, 1)
	}
	c.moments = append(c.moments, m)
}

// OnStep is called with what a leader has proposed and applied in one step. It runs the strikes
// that wait for that.
func (c *Faults) OnStep(proposed []command.Command, applied []core.Applied) {
	c.moments = slices.DeleteFunc(c.moments, func(m moment) bool {
		if !m.hasCome(c, proposed, applied) {
			return false
		}
		c.Moments++
		m.strike()
		return true
	})
}

func (m *moment) hasCome(c *Faults, proposed []command.Command, applied []core.Applied) bool {
	if m.kind != nil && !m.applied {
		return slices.ContainsFunc(proposed, m.kind)
	}
	return slices.ContainsFunc(applied, func(a core.Applied) bool {
		return slices.ContainsFunc(a.Commands, func(x command.Applied) bool {
			if m.kind == nil {
				return delaysAgain(c, &x)
			}
			return m.kind(x.Command)
		})
	})
}

// delaysAgain reports whether a command began a delay of a lock while another one ran.
func delaysAgain(c *Faults, a *command.Applied) bool {
	return slices.ContainsFunc(a.Effects, func(e command.Effect) bool {
		l, _ := e.(command.LockChanged)
		began, ok := l.Effect.(lock.DelayBegan)
		return ok && c.facts.DelaysOf(began.Lock) > 1
	})
}
