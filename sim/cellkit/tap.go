package cellkit

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// tap is the Runtime of a Client. It reports what the Client sends and receives to the checkers of the
// cells, and changes nothing.
type tap struct {
	clientRuntime
	of    []*Cell            // the Client's
	cells map[string]*checks // by the name by which the Client addresses a cell; nil: it is not checked
	rho   int64              // of the Client, parts per million
}

// calls reports whether the Client is one of a cell.
func (t *tap) calls(c *Cell) bool { return slices.Contains(t.of, c) }

// clientRuntime is what Runtime.ForClient returns.
type clientRuntime interface {
	client.Runtime
	Env() *sim.Env
}

// Send reports a request, and sends it.
func (t *tap) Send(to client.Replica, msg []byte) {
	if k := t.cells[to.Cell]; k != nil && !t.Env().Dead() {
		if q, err := api.DecodeRequest(msg); err == nil {
			k.calls.OnSend(q)
			k.beliefs.OnSend(q)
		}
	}
	t.clientRuntime.Send(to, msg)
}

// Receive registers the Client's handler. It gets each reply after the checkers.
func (t *tap) Receive(f func(from client.Replica, msg []byte)) {
	t.clientRuntime.Receive(func(from client.Replica, msg []byte) {
		if k := t.cells[from.Cell]; k != nil {
			if p, err := api.DecodeReply(msg); err == nil {
				k.calls.OnAnswer(p)
			}
		}
		f(from, msg)
	})
}

// believer is a Client as the checker of beliefs asks it: about its session with its first cell, the
// only one of which it reports the lease. It believes nothing once its clock has erred by more than
// its Config allows for.
type believer struct {
	t   *tap
	c   *client.Client
	rho int64 // parts per million
}

func (b believer) Status() client.Status { return b.c.Status() }
func (b believer) Self() sim.Addr        { return b.t.Env().Self() }
func (b believer) Now() time.Time        { return b.clock().Mono() }
func (b believer) Dead() bool            { return b.t.Env().Dead() || b.clock().WorstPPB() > ppb(b.rho) }

// clock is read without an event in the trace.
func (b believer) clock() *sim.Clock { return b.t.Env().World().Machine(b.Self()).Clock() }
