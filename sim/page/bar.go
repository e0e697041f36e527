package page

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// Kinds of bars.
const (
	down     = "down"     // the machine has no process
	paused   = "paused"   // the machine's process is paused
	leads    = "leads"    // a replica believes it is the leader
	follows  = "follows"  // a replica believes another one is the leader
	serves   = "serves"   // a replica is the master, and serves clients
	readable = "lease"    // a replica has read authority, by its own clock
	opening  = "opening"  // a client has no session yet, or no lease
	safe     = "safe"     // a client knows that its session lease runs
	jeopardy = "jeopardy" // a client's session lease may be over
	expired  = "expired"  // a client's session is over, and the client did not close it
	closed   = "closed"   // a client has closed its session
	locked   = "lock"     // a client believes it holds a lock
)

// bar is a state of one machine, with its beginning and end.
type bar struct {
	who      sim.Addr
	kind     string
	from, to time.Duration // true time; to may be isOpen
	text     string
	by       sim.Addr // of leads and follows: the leader

	// Bounds by the clock of the machine, which settle turns into true time; 0: none.
	since, until time.Duration
	before       int // the bar that ends at since; -1: none
}

// isOpen is the end of a bar that has not ended.
const isOpen = time.Duration(-1)

// bars are all bars of a run, in the order of their beginnings.
type bars struct{ all []bar }

// begin starts a bar and returns its index.
func (b *bars) begin(x bar) int {
	x.to, x.before = isOpen, -1
	b.all = append(b.all, x)
	return len(b.all) - 1
}

// current returns the latest open bar of a machine for which is returns true; -1: there is none.
func (b *bars) current(who sim.Addr, is func(*bar) bool) int {
	for i := len(b.all) - 1; i >= 0; i-- {
		if x := &b.all[i]; x.who == who && x.to == isOpen && is(x) {
			return i
		}
	}
	return -1
}

// end ends all open bars of a machine for which is returns true.
func (b *bars) end(now time.Duration, who sim.Addr, is func(*bar) bool) {
	for i := range b.all {
		if x := &b.all[i]; x.who == who && x.to == isOpen && is(x) {
			x.to = now
		}
	}
}

// isKind returns a predicate: the bar is of one of the kinds.
func isKind(kinds ...string) func(*bar) bool {
	return func(x *bar) bool { return slices.Contains(kinds, x.kind) }
}

// settle ends the open bars at the end of a run, and turns the bounds by a machine's clock into true time.
func (b *bars) settle(end time.Duration, clocks map[sim.Addr]*clock) {
	for i := range b.all {
		x := &b.all[i]
		if x.to == isOpen {
			x.to = end
		}
		c := clocks[x.who]
		if c == nil {
			continue
		}
		if x.until != 0 {
			x.to = max(x.from, min(x.to, c.when(x.from, x.until)))
		}
		if x.since != 0 && x.before >= 0 {
			at := min(x.from, max(c.when(x.from, x.since), b.all[x.before].from))
			x.from, b.all[x.before].to = at, at
		}
	}
}
