package event

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// CallEnded says that a call of a client program has come back to it. Programs of the
// swarm publish it for calls on rows and nodes; Program.Done publishes it for workloads of
// other modules, with Call as it was given and a nil Trail.
type CallEnded struct {
	Client  sim.Addr
	Program ProgramID // the process in histories
	Call    string    // the operation and what it is about, for people
	Trail   *client.CallID
	// Took is the true time since the program made the call; below 0: it was not taken down, as of
	// calls that wait for a lock, and of workloads of other modules.
	Took time.Duration
	Err  error // as the program sees it
}

// Noted is what a program of a workload of another module says of itself (scenario.Program.Note).
type Noted struct {
	Client  sim.Addr
	Program ProgramID
	Text    string
}

// ProgramID is one program of one session of a client machine, and the process in histories.
type ProgramID int64

// MakeProgramID is the ID of the program of this index, of a session of a life, each from 0 but for the life, on the client machine of
// this index.
func MakeProgramID(machine, life, session, program int) ProgramID {
	return ProgramID(int64(machine)<<32 | int64(life)<<20 | int64(session)<<8 | int64(program))
}

// Client is the machine of the program.
func (p ProgramID) Client() sim.Addr { return sim.FirstClient + sim.Addr(p>>32) }

// Short names the program among those of its machine: "program 2" is the second one of the machine's first session, "program
// 2 of session 5" that of its fifth, and after a crash of the machine the life is named, too.
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

// String names the program and its machine.
func (p ProgramID) String() string { return fmt.Sprintf("%s of %v", p.Short(), p.Client()) }

// SessionDialed says that a client machine has a client with a session of its own from now
// on. Status is what that client says of its session, and may be asked whenever its machine
// is up, also when the run is over.
type SessionDialed struct {
	Client sim.Addr
	Status func() client.Status
	Dead   func() bool // the life of the machine is over
}

// LockBelieved says that a program has been told that it holds a lock. The built-in workloads publish it, and none of
// another module.
type LockBelieved struct {
	Client sim.Addr
	Node   api.Ref
	Mode   client.Mode
	// Sequencer is the lock's, to be parsed by the cell alone.
	Sequencer string
}

// LockGivenUp says that a program will not count on a lock any more: it has released
// it, or closed its handle or its session.
type LockGivenUp struct {
	Client sim.Addr
	Node   api.Ref
}

func (CallEnded) event()     {}
func (Noted) event()         {}
func (SessionDialed) event() {}
func (LockBelieved) event()  {}
func (LockGivenUp) event()   {}
