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
	SweepAfter time.Duration // from Serving until nodes of before the epoch are swept
	Retry      time.Duration // after the log did not take a proposal of Ops's own
	Silent     bool          // clients hear of no events, and drop nothing: the cell gives no leases
}

// DefaultConfig is that of a cell that was not told otherwise (CHU §2.9: clients
// have about a minute to come back to their ephemeral nodes).
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

// At is the instant at which a method is called, and what holds then.
type At = calls.At

// Reply is an answer for the newest duplicate of a call that has none yet. With Parked
// the call is still under way; all other replies are the last one to the duplicates
// that came so far.
type Reply struct {
	To      calls.Destination
	Session api.SessionID
	Seq     api.Seq
	Result  api.Result
	// Cacheable: the client may keep the answer in its cache. Drops goes with it. See api.Reply.
	Cacheable bool
	Drops     api.DropNumber
}

// Output is all that Ops wants from the outside. Its slices belong to the
// caller.
type Output struct {
	Replies []Reply           // in any order
	Propose []command.Command // in this order, also into the log
	Told    []api.SessionID   // that have a new event; some perhaps more than once
}

// Ops is what the master of one epoch remembers of nodes in use. One goroutine
// owns it. Make it with New.
type Ops struct {
	cfg     Config
	epoch   api.Epoch
	began   api.Number // nodes of larger instances were made in this epoch
	applied api.Number // the last command that was told
	over    bool       // another epoch has begun
	handles *handle.Table
	queues  *lockwait.Queues
	events  *event.Queues
	calls   *calls.Table // the master's: the calls on nodes in it are moved here
	barrier barrier      // in front of what clients have in their caches
	fresh   *calls.Call  // that is judged since a request came that allows its client to keep the answer

	turnDue []api.Ref                // locks at which a waiter's turn may have come
	delays  delays                   // that run
	sweeps  map[api.Path]*sweep      // that are proposed
	doubted doubts                   // ephemeral nodes that may have no open handle
	failing map[lock.Owner]proposing // owners that were not presented
	owed    proposals                // what the log did not take

	sweepAt time.Time // from then on all ephemeral nodes are looked at; zero: not serving
	swept   bool      // they were

	count Counters
	out   Output
}

// Counters count since the epoch began; for reports only.
type Counters struct {
	Asked     uint64 // duplicates of calls that came
	Merged    uint64 // of calls that were under way
	Repeated  uint64 // of calls that had an answer
	Read      uint64 // calls answered from the rows, without the log
	Refused   uint64 // calls refused from memory
	Proposed  uint64 // calls proposed
	Parked    uint64 // Acquires that came to wait
	Attempted uint64 // Acquires proposed because their turn had come
	Recreated uint64 // handles of older epochs taken up
	Failed    uint64 // owners of locks that were not presented
	Swept     uint64 // sweeps proposed
	Barred    uint64 // calls that came to wait for caches
	GivenUp   uint64 // Opens that were executed after their client had given them up
	Events    event.Counters
}

// Status is what Ops can be asked at any time, for reports and bounds.
type Status struct {
	UnderWay int // calls that are proposed
	Handles  int
	Waiting  int // Acquires, attempted or not
	Delays   int // that run
	Sweeps   int // that are proposed
	Held     int // Opens that wait for one, and Barred
	Barred   int // calls that wait until clients have dropped what they have in their caches
	Doubted  int // ephemeral nodes to be looked at
	Events   int // that were not acknowledged
	Caches   CacheStatus
	Counters Counters
}

// CacheStatus is what Ops knows of the caches of clients.
type CacheStatus struct {
	cache.Status
	Barred  int           // calls that wait until clients have dropped what they change
	Longest time.Duration // that a change has waited in this epoch, and went on
}

// New returns the memory of an epoch, once the command that began it was applied. The
// lock-delays that the rows name begin again, in full: how much of each has passed
// the former master alone knew. A bad Config panics: Validate it where it comes
// from.
func New(cfg Config, epoch api.Epoch, s handle.Sealer, table *calls.Table, at At) *Ops {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	o := &Ops{
		cfg: cfg, epoch: epoch, began: rows.GetTotals(at.Rows).Commands,
		handles: handle.New(epoch, s, cfg.Handles), queues: lockwait.New(cfg.Queues), events: event.New(cfg.Events), calls: table, barrier: newBarrier(cfg.Caches),
		sweeps: map[api.Path]*sweep{}, doubted: newDoubts(), failing: map[lock.Owner]proposing{},
	}
	o.applied = o.began
	for _, r := range lock.Delays(at.Rows) {
		o.delays.begin(delay{r.Lock, r.Freed}, at.Now.Add(r.Length.Duration()))
	}
	return o
}

// TakeOutput returns what Ops wants done and forgets it. Call it after each
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

// HasHandles reports whether a session has an open handle, as far as it has been told of in
// this epoch.
func (o *Ops) HasHandles(s api.SessionID) bool { return o.handles.HasHandles(s) }

func (o *Ops) propose(c command.Command) {
	o.verifyHeld(c)
	o.out.Propose = append(o.out.Propose, c)
}
