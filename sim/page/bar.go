package page

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// Kinds of bars.
const (
	down     = "down"     // the machine has no process
	paused   = "paused"   // it stands still
	leads    = "leads"    // a replica takes itself for the leader
	follows  = "follows"  // or another one
	serves   = "serves"   // it is the master, and serves clients
	authored = "lease"    // it has read authority, by its own clock
	opening  = "opening"  // a client has no session yet, or no lease
	safe     = "safe"     // its lease runs, as it knows
	jeopardy = "jeopardy" // its lease may be over
	expired  = "expired"  // its session is over, and it did not end it
	closed   = "closed"   // it has ended its session
	locked   = "lock"     // it believes to hold a lock
)

// bar is something that was so for a while, on one machine.
type bar struct {
	who      sim.Addr
	kind     string
	from, to time.Duration // true time
	text     string
	by       sim.Addr // the leader that is meant

	// By the clock of the machine; 0: true time alone decides.
	since, until time.Duration
	before       int // the bar that since cuts off; -1: none
}

// isOpen is the end of a bar that goes on.
const isOpen = time.Duration(-1)

// bars are all that there are, in the order of their beginnings.
type bars struct{ all []bar }

// begin starts a bar and returns its number.
func (b *bars) begin(x bar) int {
	x.to, x.before = isOpen, -1
	b.all = append(b.all, x)
	return len(b.all) - 1
}

// current is the open bar of one of the kinds on a machine; -1: there is none.
func (b *bars) current(who sim.Addr, is func(*bar) bool) int {
	for i := len(b.all) - 1; i >= 0; i-- {
		if x := &b.all[i]; x.who == who && x.to == isOpen && is(x) {
			return i
		}
	}
	return -1
}

// end ends all open bars on a machine that are meant.
func (b *bars) end(now time.Duration, who sim.Addr, is func(*bar) bool) {
	for i := range b.all {
		if x := &b.all[i]; x.who == who && x.to == isOpen && is(x) {
			x.to = now
		}
	}
}

// isKind says whether a bar is of one of the kinds.
func isKind(kinds ...string) func(*bar) bool {
	return func(x *bar) bool { return slices.Contains(kinds, x.kind) }
}

// settle ends what goes on at the end of a run, and puts what a machine's clock decides into
// true time.
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
