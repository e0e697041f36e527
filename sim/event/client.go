package event

import (
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
	Program int64  // the process in histories
	Call    string // the operation and what it is about, for people
	Trail   *client.CallID
	// Took is the true time since the program made the call; below 0: it was not taken down, as of
	// calls that wait for a lock, and of workloads of other modules.
	Took time.Duration
	Err  error // as the program sees it
}

// SessionDialed says that a client machine has a client with a session of its own from now
// on. Status is what that client says of its session, and may be asked whenever its machine
// is up, also when the run is over.
type SessionDialed struct {
	Client sim.Addr
	Status func() client.Status
	Dead   func() bool // the life of the machine is over
}

// LockBelieved says that a program has been told that it holds a lock.
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
func (SessionDialed) event() {}
func (LockBelieved) event()  {}
func (LockGivenUp) event()   {}
