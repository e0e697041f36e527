package moments

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
)

// Moment is one thing that happened on a machine. Moments are numbered by their index in Log.All.
type Moment struct {
	At      time.Duration // true time
	Step    uint64        // the event of the world; 0: unknown
	Local   string        // seconds by the clock of its machine; "": it has none
	Who     sim.Addr      // the machine; 0: the world
	Kind    string        // a kind of the trace, or one of the constants below
	Text    string
	Peer    sim.Addr        // the other machine of a message
	Prev    int             // the moment before on the same machine; None: there is none
	Cause   int             // of a receipt: the sending; None: unknown
	Arrived bool            // of a sending: a process received the message
	Program event.ProgramID // of Told
	Call    string          // of Told, as the program names it
	Session bool            // of Believes: about the client's session
	Note    bool            // of Told: a note of the program, not the end of a call
	Cut     bool            // of Told: the call ended without an answer, and was not withdrawn
	Lost    bool            // of a sending: the network lost the message by chance, not by a fault
}

// Kinds of moments that come from events.
const (
	Believes = "believes" // a machine has a new belief
	Durable  = "durable"  // a disk has a record
	Executes = "executes" // a command is applied for the first time
	Refuses  = "refuses"  // a leader's log does not take a command of its master
	Told     = "told"     // a program's call returned, or the program made a note
	Acts     = "acts"     // the delayed part of a fault that struck before
	Finds    = "finds"    // a process begins to read the disk of its machine, and this is on it
	Unsynced = "unsynced" // a power cut met a file with sectors that were written and not synced
)

// Unreachable is the kind of the trace for a hint of the transport: a machine is told that its Peer is unreachable.
const Unreachable = "unreachable"

// Filed is the kind of the trace for a call of a machine's disk. Only calls that change which files there are, or how
// long one is, and calls that fail are moments: see filing.
const Filed = "disk"

// None stands for no moment.
const None = -1
