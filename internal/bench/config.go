package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/client"
)

// Bounds of a Config.
const (
	MaxClients = 4096
	MaxHeld    = 1 << 17 // sessions of the workload sessions
	MaxValue   = 256 << 10
)

// Config is what a run is built from.
type Config struct {
	Target    string        // the cell, as client.Dial takes it
	Workloads []string      // names of workloads, in the order in which they run; empty: all
	Clients   []int         // numbers of clients; each workload runs with each of them
	Sessions  int           // sessions that the clients share; 0: each client has a session of its own
	Conns     int           // connections to each replica that the sessions share, as those of one process do; 0: each session has its own
	For       time.Duration // how long each row is measured, after a quarter of it, and a second at most, to warm up
	Most      uint64        // operations of a row, also those that fail, after which it ends before For is over; 0: as many as there are
	Value     int           // bytes of each value that is written
	Timeout   time.Duration // how long a session may take to open, and a row beyond For until calls that have no answer count as errors
	Metrics   []string      // host:port of the pages of the replicas; empty: Counts tells slots and syncs

	// Counts asks a replica for its counts. nil: without Metrics slots and syncs stay unknown.
	Counts func(ctx context.Context, replica uint32) (Counts, error)
	// Progress is told each row before and after it is measured: row has no measured figures
	// before. nil: it is not.
	Progress func(row Row, done bool)
}

// Counts are what a replica has counted in this life.
type Counts struct {
	Serving    bool   // it is the master; else the rest is of no use
	Slots      uint64 // the newest that it has applied
	Syncs      uint64 // of its log
	KeepAlives uint64 // that it answered
}

// Validate returns all faults at once, joined, or nil. Faults name the flag of chubby bench.
func (c *Config) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	t, err := client.ParseTarget(c.Target)
	for _, name := range c.Workloads {
		w, ok := workloadOf(name)
		fault(ok && w.principals > 1 && proves(t), "--workload %s: it needs %d principals, and the cell file proves one: leave it out", name, w.principals)
		fault(!ok, "--workload %q: give some of %s", name, strings.Join(Workloads(), ", "))
		fault(ok && len(c.Clients) > 0 && w.clients == 0 && slices.Max(c.Clients) < w.principals,
			"--workload %s: it has %d principals, so --clients needs a number of at least %d", name, w.principals, w.principals)
	}
	fault(len(c.Clients) == 0, "--clients: give at least one number")
	most := MaxClients
	if len(c.Workloads) == 1 && c.Workloads[0] == Holding {
		most = MaxHeld
		fault(c.Sessions != 0, "--sessions: leave it out: the workload %s holds as many sessions as --clients says", Holding)
		fault(c.Conns != 0, "--connections: leave it out: the sessions of the workload %s have one connection to each replica", Holding)
	}
	for _, n := range c.Clients {
		fault(n < 1 || n > most, "--clients %d: must be 1 to %d", n, most)
	}
	fault(c.Sessions < 0 || c.Sessions > MaxClients, "--sessions %d: must be 0 to %d", c.Sessions, MaxClients)
	fault(c.Conns < 0 || c.Conns > MaxClients, "--connections %d: must be 0 to %d", c.Conns, MaxClients)
	fault(c.For <= 0, "--for %v: must be above 0", c.For)
	fault(c.Timeout <= 0, "--timeout %v: must be above 0", c.Timeout)
	fault(c.Value < 0 || c.Value > MaxValue, "--value %d: must be 0 to %d bytes", c.Value, MaxValue)
	return errors.Join(append(faults, err)...)
}

// warm is how long the load of a row runs before it is measured.
func (c *Config) warm() time.Duration {
	if c.Most > 0 {
		return 0
	}
	return min(c.For/4, time.Second)
}
