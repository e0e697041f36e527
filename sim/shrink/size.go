package shrink

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/plan"
)

// Size is how much is in a run.
type Size struct {
	Faults   int           `json:"faults"` // that strike, turns of the hostile client, and standing faults
	Clients  int           `json:"clients"`
	Programs int           `json:"programs"` // of each client
	Replicas int           `json:"replicas"`
	Time     time.Duration `json:"time_ns"` // true time when it breaks
}

// sizeOf is the size of a plan with a script, which breaks something at that time.
func sizeOf(p *plan.Plan, at time.Duration) Size {
	return Size{
		Faults:  len(p.Script.Strikes) + len(p.Script.Tricks) + len(p.Standing()),
		Clients: p.Clients - len(p.Script.Idle), Programs: p.Calls.Threads, Replicas: p.Replicas, Time: at,
	}
}

// String is the size in words.
func (s Size) String() string {
	programs := ""
	if s.Clients > 0 {
		programs = fmt.Sprintf(" with %s", count(s.Programs, "program"))
		if s.Clients > 1 {
			programs += " each"
		}
	}
	return fmt.Sprintf("%s, %s, %s%s, %v", count(s.Faults, "fault"), count(s.Replicas, "replica"), count(s.Clients, "client"), programs, s.Time.Round(time.Millisecond))
}

// count is a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
