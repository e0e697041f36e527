package story

import (
	"time"

	"github.com/chubbycell/chubby/sim"
)

// moment is one thing that happened on a machine.
type moment struct {
	at    time.Duration // true time
	local string        // by the clock of its machine; "": it has none
	who   sim.Addr      // 0: the world
	kind  string        // as in the trace; or one of those below
	text  string
	peer  sim.Addr // of a message
	prev  int      // the one before on the same machine; -1: none
	cause int      // the sending of what is received; -1: none
}

// Kinds of moments that come from events.
const (
	believes = "believes" // a machine has another opinion
	durable  = "durable"  // a disk has a record
	executes = "executes" // a command is applied for the first time
	acts     = "acts"     // a fault goes on, which has struck
)

// none is the number of no moment.
const none = -1
