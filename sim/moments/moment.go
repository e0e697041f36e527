package moments

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
)

// Moment is one thing that happened on a machine.
type Moment struct {
	At      time.Duration // true time
	Step    uint64        // the event of the world; 0: the run does not say which
	Local   string        // seconds by the clock of its machine; "": it has none
	Who     sim.Addr      // 0: the world
	Kind    string        // as in the trace; or one of those below
	Text    string
	Peer    sim.Addr        // of a message
	Prev    int             // the one before on the same machine; None: none
	Cause   int             // the sending of what is received; None: none
	Arrived bool            // what is sent was received by a process
	Program event.ProgramID // of Told
	Call    string          // of Told, as the program names it
	Note    bool            // of Told: what the program said by itself, and no end of a call
	Cut     bool            // of Told: the call ended without an answer, and was not withdrawn
	Lost    bool            // the network lost what is sent by itself; what a fault cut off is not marked
}

// Kinds of moments that come from events.
const (
	Believes = "believes" // a machine has another opinion
	Durable  = "durable"  // a disk has a record
	Executes = "executes" // a command is applied for the first time
	Told     = "told"     // a program's call has come back
	Acts     = "acts"     // a fault goes on, which has struck
)

// None is the number of no moment.
const None = -1
