package workload

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/resource"
)

// Line is the runtime of a machine that sends messages to the cell and to machines outside of it.
// Package client receives only the messages of replicas.
type Line struct {
	*sim.Runtime
	cell    func(from client.Replica, msg []byte)
	outside func(from sim.Addr, msg []byte)
	waiting map[uint64]*fenceWait // requests to the resource
}

type fenceWait struct {
	end  client.Signal
	tell resource.Tell
}

// NewLine returns the line of a client, which takes messages from outside of the cell for answers
// of the resource.
func NewLine(rt *sim.Runtime) *Line {
	l := &Line{Runtime: rt, waiting: map[uint64]*fenceWait{}}
	l.outside = func(_ sim.Addr, msg []byte) {
		t := resource.DecodeTell(msg)
		if w := l.waiting[t.ID]; w != nil {
			w.tell = t
			w.end.Fire()
		}
	}
	rt.Receive(l.receive)
	return l
}

// Receive registers the client's handler, which gets the messages of replicas.
func (l *Line) Receive(f func(from client.Replica, msg []byte)) { l.cell = f }

func (l *Line) receive(from client.Replica, msg []byte) {
	switch a := sim.Addr(from.ID); {
	case a.IsClient():
		l.outside(a, msg)
	case l.cell != nil:
		l.cell(from, msg)
	}
}

// fenceResend is the interval at which a request without an answer is sent again.
const fenceResend = 250 * time.Millisecond

// Ask sends a request repeatedly, until it is answered or ctx ends, and reports whether it was
// answered. It blocks. The first copy leaves after late, by the machine's own clock.
func (l *Line) Ask(ctx context.Context, to sim.Addr, q resource.Ask, late time.Duration) (resource.Tell, bool) {
	w := &fenceWait{end: l.NewSignal()}
	l.waiting[q.ID] = w
	defer delete(l.waiting, q.ID)
	msg := q.Encode()
	send := func() { l.Env().Send(to, msg) }
	if late > 0 {
		l.AfterFunc(late, send)
	} else {
		send()
	}
	for {
		wait, cancel := l.WithTimeout(ctx, fenceResend)
		_, err := l.Wait(wait, w.end)
		cancel()
		switch {
		case err == nil:
			return w.tell, true
		case ctx.Err() != nil || l.Env().Dead():
			return resource.Tell{}, false
		case late == 0:
			send()
		}
	}
}
