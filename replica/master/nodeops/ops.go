package nodeops

import (
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/cache"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/event"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/master/lockwait"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Config is the configuration of Ops.
type Config struct {
	Handles    handle.Limits
	Queues     lockwait.Limits
	Events     event.Limits
	Caches     cache.Limits
	SweepAfter time.Duration // from Serving until nodes older than the epoch are swept
	Retry      time.Duration // until Ops proposes again a command of its own that the log refused
	Silent     bool          // the cell gives no leases: clients get no events and cache nothing
}

// DefaultConfig returns the configuration unless a cell is configured otherwise. Clients have a minute
// to come back to their ephemeral nodes (CHU §2.9).
func DefaultConfig() Config {
	return Config{
		Handles: handle.DefaultLimits, Queues: lockwait.DefaultLimits, Events: event.DefaultLimits, Caches: cache.DefaultLimits,
		SweepAfter: time.Minute, Retry: 100 * time.Millisecond,
	}
}

// Validate returns all faults at once, joined, or nil.
func (c Config) Validate() error {
	var faults []error
	for _, f := range []struct {
		wrong bool
		what  string
	}{
		{min(c.Handles.PerSession, c.Handles.Total, c.Handles.Closed) < 1, "a limit of handles below 1"},
		{c.Queues.PerLock < 1 || c.Queues.Total < 1, "a limit of waiters below 1"},
		{c.SweepAfter < 0, "a negative SweepAfter"},
		{c.Retry <= 0, "a Retry that is not above 0"},
	} {
		if f.wrong {
			faults = append(faults, errors.New("nodeops config: "+f.what))
		}
	}
	for _, err := range []error{c.Events.Validate(), c.Caches.Validate()} {
		if err != nil {
			faults = append(faults, fmt.Errorf("nodeops config: %w", err))
		}
	}
	return errors.Join(faults...)
}

// At is the instant at which a method is called, with the lease and the rows at that instant.
type At = calls.At

// Reply is an answer to the newest duplicate of a call. After Parked the call is still under way and
// gets another Reply; any other Reply is the last one to the duplicates that have arrived so far.
type Reply struct {
	To      calls.Destination
	Session api.SessionID
	Seq     api.Seq
	Result  api.Result
	// Cacheable says that the client may keep the answer in its cache. For both fields see api.Reply.
	Cacheable bool
	Drops     api.DropNumber
}

// Output is all that Ops wants from the outside. Its slices belong to the
// caller.
type Output struct {
	Replies []Reply           // in any order
	Propose []command.Command // in this order, which the log must keep
	Told    []api.SessionID   // sessions with new events; one may stand here more than once
}

// Ops is what the master of one epoch remembers of nodes in use. One goroutine
// owns it. Make it with New.
type Ops struct {
	cfg     Config
	epoch   api.Epoch
	began   api.Number // nodes with larger instance numbers were made in this epoch
	applied api.Number // the last command that Applied reported
	over    bool       // another epoch has begun
	handles *handle.Table
	queues  *lockwait.Queues
	events  *event.Queues
	calls   *calls.Table // shared with the master; Ops changes the calls on nodes in it
	barrier barrier      // where changes wait for the caches of clients
	fresh   *calls.Call  // the call that Ask is serving, if its client may keep the answer; else nil

	turnDue []api.Ref                // locks for which a waiter's turn may have come
	delays  delays                   // those that run
	sweeps  map[api.Path]*sweep      // those that are proposed
	doubted doubts                   // paths whose ephemeral nodes may have no open handle
	failing map[lock.Owner]proposing // owners of locks that were not presented
	// presented counts the events about tokens that a session has presented and that were not taken,
	// until it has acknowledged the epoch
	presented map[api.SessionID]int
	owed      proposals // commands that the log has refused

	sweepAt time.Time // when all ephemeral nodes are doubted; zero: the master does not serve yet
	swept   bool      // that has happened

	count Counters
	out   Output
}

// Counters count since the epoch began; for reports only.
type Counters struct {
	Asked     uint64 // duplicates of calls received
	Merged    uint64 // duplicates of calls that were under way
	Repeated  uint64 // duplicates of calls that had an answer
	Read      uint64 // calls answered from the rows, without the log
	Refused   uint64 // calls refused from memory
	Proposed  uint64 // calls proposed
	Parked    uint64 // Acquires that began to wait
	Attempted uint64 // Acquires proposed because their turn had come
	Recreated uint64 // handles of older epochs that were recreated
	Failed    uint64 // owners of locks that were not presented
	Swept     uint64 // sweeps proposed
	Barred    uint64 // calls that began to wait at the barrier
	GivenUp   uint64 // Opens that were executed after their client had given them up
	Events    event.Counters
}

// Status describes Ops, for reports and bounds.
type Status struct {
	UnderWay int // calls that are proposed
	Handles  int // that are open
	Waiting  int // Acquires in lock wait queues, attempted or not
	Delays   int // that run
	Sweeps   int // that are proposed
	Held     int // Opens that wait for a sweep, and the Barred calls
	Barred   int // calls that wait at the barrier
	Doubted  int // paths whose ephemeral nodes are to be looked at
	Events   int // that are not acknowledged
	Caches   CacheStatus
	Counters Counters
}

// CacheStatus describes what Ops knows of the caches of clients.
type CacheStatus struct {
	cache.Status
	Barred  int           // calls that wait at the barrier
	Longest time.Duration // for which a change that has passed the barrier in this epoch had waited
}

// New returns the memory of an epoch. Call it when the command that began the epoch has been applied.
// The lock-delays in the rows begin again, in full: only the former master knew how much of each had
// passed. In a restored cell they begin when the leases of the cell before are over, since until then a
// holder may count on its lock. A bad Config panics: call Validate first.
func New(cfg Config, epoch api.Epoch, s handle.Sealer, table *calls.Table, at At) *Ops {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	o := &Ops{
		cfg: cfg, epoch: epoch, began: rows.GetTotals(at.Rows).Commands,
		handles: handle.New(epoch, s, cfg.Handles), queues: lockwait.New(cfg.Queues), events: event.New(cfg.Events), calls: table, barrier: newBarrier(cfg.Caches),
		sweeps: map[api.Path]*sweep{}, doubted: newDoubts(), failing: map[lock.Owner]proposing{}, presented: map[api.SessionID]int{},
	}
	o.applied = o.began
	if running := lock.Delays(at.Rows); len(running) > 0 {
		failed := at.Now.Add(command.OldLeases(at.Rows))
		for _, r := range running {
			o.delays.begin(delay{r.Lock, r.Freed}, failed.Add(r.Length.Duration()))
		}
	}
	return o
}

// TakeOutput returns what Ops wants done, and forgets it. Call it after each
// other method.
func (o *Ops) TakeOutput() Output {
	out := o.out
	o.out = Output{}
	return out
}

// Status returns the present numbers.
func (o *Ops) Status() Status {
	o.count.Events = o.events.Counters()
	s := Status{
		UnderWay: o.calls.Proposed(), Handles: o.handles.Len(), Waiting: o.queues.Len(), Delays: len(o.delays.all),
		Sweeps: len(o.sweeps), Doubted: len(o.doubted.order), Events: o.events.Len(),
		Barred: o.calls.Barred(), Caches: o.Caches(), Counters: o.count,
	}
	s.Held = s.Barred
	for _, x := range o.sweeps { // order-free: a sum
		s.Held += len(x.held)
	}
	return s
}

// Caches returns what is known of the caches of clients, in constant time.
func (o *Ops) Caches() CacheStatus {
	return CacheStatus{Status: o.barrier.caches.Status(), Barred: o.calls.Barred(), Longest: o.barrier.longest}
}

// HasHandles reports whether a session has a handle that was opened or presented in this epoch and is
// open.
func (o *Ops) HasHandles(s api.SessionID) bool { return o.handles.HasHandles(s) }

func (o *Ops) propose(c command.Command) {
	o.verifyHeld(c)
	o.out.Propose = append(o.out.Propose, c)
}
