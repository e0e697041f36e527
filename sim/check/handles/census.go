package handles

import (
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim"
)

// Census counts the sessions that are alive, by the log. There are never more than the limit
// (L2), and no session is refused for lack of room while there is room (S14).
type Census struct {
	World *sim.World
	Most  int    // the limit, once the cell has it as a constant; 0: more than any run opens
	bound bool   // the cell has it
	set   bool   // a command has set Most, so the constant no longer counts
	by    string // says which command has set it, and when
	alive int    // sessions alive now
	Full  uint64 // sessions that were refused
}

// OnCommand reports the next command of the log.
func (c *Census) OnCommand(a *command.Applied) {
	call, _ := a.Command.(command.Call)
	if _, opens := call.Op.(api.OpenSession); opens {
		c.onOpen(a)
	}
	if k, sets := a.Command.(command.Constant); sets && k.Name == rows.ConstantSessions && a.Verdict == command.Executed && !c.set {
		c.bound = c.Most > 0
	}
	if k, sets := a.Command.(command.SetLimits); sets && a.Verdict == command.Executed && k.Sessions > 0 {
		c.bound, c.set, c.Most = true, true, int(k.Sessions)
		c.by = fmt.Sprintf(", as set by command %d, executed at %.6fs", a.Number, c.World.Now().Seconds())
	}
	for _, e := range a.Effects {
		switch e.(type) {
		case command.SessionOpened:
			c.alive++
		case command.SessionEnded:
			c.alive--
		}
	}
}

func (c *Census) onOpen(a *command.Applied) {
	room := !c.bound || c.alive < c.Most
	switch {
	case a.Verdict == command.Executed && !room:
		c.World.Break("L2", "session %d begins, and %d are alive, of at most %d%s", a.Result.Session, c.alive, c.Most, c.by)
	case a.Result.Code == api.Busy && room:
		c.World.Break("S14", "a session is refused for want of room, and %d are alive, of at most %d%s", c.alive, c.Most, c.by)
	case a.Result.Code == api.Busy:
		c.Full++
	}
}
