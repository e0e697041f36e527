package event

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// CallEnded says that a client program's call has returned. The built-in programs publish it
// for calls on rows and nodes. For workloads of other modules Program.Done publishes it, with
// Call as the workload gave it and a nil Trail.
type CallEnded struct {
	Client  sim.Addr
	Program ProgramID // the process in histories
	Role    string    // of the machine, if the workload gives it one (scenario.Cast)
	Call    string    // the operation and what it is about, for people
	Trail   *client.CallID
	// Took is how long the call took in true time. It is negative if that was not measured:
	// for calls that wait for a lock, and for workloads of other modules.
	Took time.Duration
	Err  error // as the program sees it
	// Asked and Got say more than Call and Err, for people: what was asked for, and what was answered, such as what a
	// read found. "": nothing more.
	Asked, Got string
}

// Noted is a statement of a program about itself, by a workload of another module
// (scenario.Program.Note).
type Noted struct {
	Client  sim.Addr
	Program ProgramID
	Role    string // as in CallEnded
	Text    string
}

// ProgramID identifies one program of one session on a client machine; it is also the process
// in histories.
type ProgramID int64

// MakeProgramID returns the ID of a program. The life counts from 1; the client machine, the
// session and the program are indexes from 0.
func MakeProgramID(machine, life, session, program int) ProgramID {
	return ProgramID(int64(machine)<<32 | int64(life)<<20 | int64(session)<<8 | int64(program))
}

// Client returns the machine that the program runs on.
func (p ProgramID) Client() sim.Addr { return sim.FirstClient + sim.Addr(p>>32) }

// Short names the program among those of its machine. "program 2" is the second one of the
// machine's first session, "program 2 of session 5" that of its fifth. After a crash of the
// machine, the name includes the life.
func (p ProgramID) Short() string {
	life, session, program := p>>20&0xfff, p>>8&0xfff, p&0xff
	s := fmt.Sprintf("program %d", program+1)
	if session > 0 || life > 1 {
		s += fmt.Sprintf(" of session %d", session+1)
	}
	if life > 1 {
		s += fmt.Sprintf(" of life %d", life)
	}
	return s
}

// As returns Short and the role of the machine; "": it has none.
func (p ProgramID) As(role string) string {
	if role == "" {
		return p.Short()
	}
	return p.Short() + ", " + role
}

// String names the program and its machine.
func (p ProgramID) String() string { return fmt.Sprintf("%s of %v", p.Short(), p.Client()) }

// SessionDialed says that a client machine has opened another client, with a session of its
// own. Status returns what that client reports of its session. It may be called whenever the
// machine is up, and after the run.
type SessionDialed struct {
	Client sim.Addr
	Status func() client.Status
	Dead   func() bool // the life of the machine is over
}

// SessionTold says that a client has told its program that its session is in jeopardy
// (client.EventJeopardy), safe again (EventSafe) or over (EventExpired). It is published when
// the program can take the client's event, at the instant at which the client finds out or
// shortly after it. Only clients that the cell's checkers watch have it.
type SessionTold struct {
	Client  sim.Addr
	Session api.SessionID // 0: the client has begun to open another one
	Kind    client.EventKind
	// Renewable: of an EventExpired that lost nothing; the next call opens another session.
	Renewable bool
}

// LockBelieved says that a program has been told that it holds a lock. Only the built-in
// workloads publish it.
type LockBelieved struct {
	Client sim.Addr
	Node   api.Ref
	Mode   client.Mode
	// Sequencer is the lock's, opaque to all but the cell.
	Sequencer string
}

// LockGivenUp says that a program no longer counts on a lock: it has released it, or closed
// its handle or its session.
type LockGivenUp struct {
	Client sim.Addr
	Node   api.Ref
}

func (CallEnded) event()     {}
func (Noted) event()         {}
func (SessionDialed) event() {}
func (SessionTold) event()   {}
func (LockBelieved) event()  {}
func (LockGivenUp) event()   {}
