package event

import (
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
	Err     error // as the program sees it
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

func (CallEnded) event()    {}
func (LockBelieved) event() {}
func (LockGivenUp) event()  {}
