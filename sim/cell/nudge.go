package cell

import (
	"fmt"
	"strings"
	"time"

	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/describe"
	"github.com/chubbycell/chubby/sim/model"
)

// A replica is nudged before one in nudgeEvery of its inputs.
const nudgeEvery = 8

// nudge advances a replica's time just before an input, earlier than the wake that the replica
// asked for: nothing may be due then (I-W3). Without this, work that falls due without a requested
// wake would be done at the next input. In a busy cell that is soon, so no other checker would
// notice; in a quiet cell it is late.
func nudge(r *replica, now time.Time) {
	if r.nudges++; r.nudges%nudgeEvery != 0 || r.Host.Core() == nil {
		return
	}
	if !r.Due.IsZero() && !now.Before(r.Due) {
		return
	}
	r.Host.Advance(now)
	out := r.TakeOutcome()
	if what := describeOutcome(r, &out); what != "" {
		wake := "at no time"
		if !r.Due.IsZero() {
			wake = fmt.Sprintf("%v from now", r.Due.Sub(now))
		}
		r.cell.world.Break("I-W3", "replica %d is told that time has passed, and %s; nothing falls due by its own word: it asked for a wake %s", r.Id, what, wake)
	}
}

// describeOutcome describes what the host wants done, or returns "" if it only asks for a wake.
func describeOutcome(r *replica, out *model.Outcome) string {
	var all []string
	note := func(wants bool, what string, args ...any) {
		if wants {
			all = append(all, fmt.Sprintf(what, args...))
		}
	}
	note(out.Stop != nil, "stops: %v", out.Stop)
	for _, m := range out.Peers {
		note(true, "sends %d: %s", m.To, describe.Message(sim.Addr(r.Id), sim.Addr(m.To), m.Wire))
	}
	for _, m := range out.Clients {
		note(true, "answers %v: %s", sim.Addr(m.To), describe.Message(sim.Addr(r.Id), sim.Addr(m.To), m.Wire))
	}
	note(out.Log != nil, "has a job for its log: %+v", out.Log)
	note(out.Bulk != nil, "has a bulk job: %T", out.Bulk)
	note(out.Backup != nil, "has a backup to make")
	note(out.Tenure != nil, "%v", out.Tenure)
	note(out.Installed != nil, "has other rows")
	note(len(out.Applied) > 0, "applies %d slots", len(out.Applied))
	noteCommands := func(verb string, raws [][]byte) {
		for _, raw := range raws {
			c, err := command.Decode(string(raw))
			note(err == nil, "%s %T %+v", verb, c, c)
			note(err != nil, "%s %q", verb, raw)
		}
	}
	noteCommands("proposes", out.Proposed)
	note(len(out.Reads) > 0, "answers %d reads", len(out.Reads))
	noteCommands("hands to the log:", out.Begun)
	return strings.Join(all, ", ")
}
