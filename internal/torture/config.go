package torture

import (
	"errors"
	"fmt"
	"time"
)

// Config is what a run is built from.
type Config struct {
	Server   string        // the program whose serve runs the replicas
	Dir      string        // an empty directory of its own: files of the replicas, logs, and evidence
	Replicas int           // of the cell
	Clients  int           // sessions, each with several threads of control
	For      time.Duration // how long faults are injected
	Seed     uint64        // of the schedule of faults
	Kinds    []Kind        // of faults; none: the cell runs undisturbed
	Lease    time.Duration // of sessions
	Volatile bool          // what a replica has not synced is lost when it is killed

	// Progress is told a line now and then; nil: it is not.
	Progress func(line string)
}

// Bounds of a Config.
const (
	MaxReplicas = 9
	MaxClients  = 64
)

// Validate returns all faults at once, joined, or nil. Faults name the flag of chubby torture.
func (c *Config) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(c.Replicas < 3 || c.Replicas > MaxReplicas || c.Replicas%2 == 0, "--replicas %d: must be 3, 5, 7 or 9", c.Replicas)
	fault(c.Clients < 2 || c.Clients > MaxClients, "--clients %d: must be 2 to %d", c.Clients, MaxClients)
	fault(c.For <= 0, "--for %v: must be above 0", c.For)
	fault(c.Lease < time.Second || c.Lease > time.Minute, "--session-lease %v: must be 1s to 1m", c.Lease)
	return errors.Join(faults...)
}
