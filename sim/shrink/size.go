package shrink

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/plan"
)

// Size is the size of a failing run.
type Size struct {
	Faults   int           `json:"faults"`   // strikes, turns of the hostile client, and standing faults
	Clients  int           `json:"clients"`  // clients that are not idle
	Programs int           `json:"programs"` // programs of each client
	Replicas int           `json:"replicas"`
	Time     time.Duration `json:"time_ns"` // true time of the break
}

// sizeOf returns the size of a plan with a script, whose run breaks at that time.
func sizeOf(p *plan.Plan, at time.Duration) Size {
	return Size{
		Faults:  len(p.Script.Strikes) + len(p.Script.Tricks) + len(p.Standing()),
		Clients: p.Clients - len(p.Script.Idle), Programs: p.Calls.Threads, Replicas: p.Replicas, Time: at,
	}
}

// String returns the size in words.
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

// count returns a number with its noun.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
