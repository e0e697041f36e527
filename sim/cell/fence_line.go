package cell

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
)

// fenceAsk is a request to the resource.
type fenceAsk struct {
	ID        uint64
	Write     bool
	Base      uint64 // of a write: the version that was read
	Version   uint64 // of a write: names what it makes, new each time
	Value     uint64
	Sequencer string // of the lock under which the client acts
}

// fenceTell is its answer.
type fenceTell struct {
	ID       uint64
	Accepted bool
	Version  uint64 // of the value, after the request
	Value    uint64
}

// kindAsk and kindTell are the first bytes of messages.
const (
	kindAsk  = 'A'
	kindTell = 'T'
)

func (q fenceAsk) encode() []byte {
	dst := binary.AppendUvarint([]byte{kindAsk}, q.ID)
	for _, n := range []uint64{flag(q.Write), q.Base, q.Version, q.Value} {
		dst = binary.AppendUvarint(dst, n)
	}
	return append(dst, q.Sequencer...)
}

func (t fenceTell) encode() []byte {
	dst := binary.AppendUvarint([]byte{kindTell}, t.ID)
	for _, n := range []uint64{flag(t.Accepted), t.Version, t.Value} {
		dst = binary.AppendUvarint(dst, n)
	}
	return dst
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// decodeAsk and decodeTell are the inverses. Links keep bytes whole, and no other machine
// sends any: what is no message is a bug of the simulator.
func decodeAsk(msg []byte) (q fenceAsk) {
	n, rest := uvarints(kindAsk, msg, 5)
	return fenceAsk{ID: n[0], Write: n[1] == 1, Base: n[2], Version: n[3], Value: n[4], Sequencer: string(rest)}
}

func decodeTell(msg []byte) fenceTell {
	n, _ := uvarints(kindTell, msg, 4)
	return fenceTell{ID: n[0], Accepted: n[1] == 1, Version: n[2], Value: n[3]}
}

func uvarints(kind byte, msg []byte, count int) (all []uint64, rest []byte) {
	whole := len(msg)
	if whole == 0 || msg[0] != kind {
		panic(fmt.Sprintf("%d bytes that are no message of kind %c", whole, kind))
	}
	msg = msg[1:]
	for range count {
		n, size := binary.Uvarint(msg)
		if size <= 0 {
			panic(fmt.Sprintf("%d bytes that are no message of kind %c", whole, kind))
		}
		all, msg = append(all, n), msg[size:]
	}
	return all, msg
}

// describeFence is the text of a message between a client and the resource.
func describeFence(msg []byte) string {
	if len(msg) > 0 && msg[0] == kindTell {
		t := decodeTell(msg)
		return fmt.Sprintf("resource answers #%d: accepted %v, version %d, value %d", t.ID, t.Accepted, t.Version, t.Value)
	}
	q := decodeAsk(msg)
	if !q.Write {
		return fmt.Sprintf("resource #%d: read, %v", q.ID, q.sequencer())
	}
	return fmt.Sprintf("resource #%d: write version %d, made from %d, value %d, %v", q.ID, q.Version, q.Base, q.Value, q.sequencer())
}

// line is the runtime of a machine that speaks with the cell and with machines
// outside of it: package client hears of the cell's replicas alone.
type line struct {
	*sim.Runtime
	cell    func(from uint32, msg []byte)
	outside func(from sim.Addr, msg []byte)
	waiting map[uint64]*fenceWait // requests to the resource
}

type fenceWait struct {
	end  client.Signal
	tell fenceTell
}

// newLine is the line of a client: what comes from outside are answers.
func newLine(rt *sim.Runtime) *line {
	l := &line{Runtime: rt, waiting: map[uint64]*fenceWait{}}
	l.outside = func(_ sim.Addr, msg []byte) {
		t := decodeTell(msg)
		if w := l.waiting[t.ID]; w != nil {
			w.tell = t
			w.end.Fire()
		}
	}
	rt.Receive(l.receive)
	return l
}

// Receive registers the client's handler, which gets what replicas send.
func (l *line) Receive(f func(from uint32, msg []byte)) { l.cell = f }

func (l *line) receive(from uint32, msg []byte) {
	switch {
	case sim.Addr(from).IsClient():
		l.outside(sim.Addr(from), msg)
	case l.cell != nil:
		l.cell(from, msg)
	}
}

// fenceResend is when a request is sent again.
const fenceResend = 250 * time.Millisecond

// ask sends a request until it is answered or ctx ends. The first copy leaves after
// late, by the machine's own clock.
func (l *line) ask(ctx context.Context, to sim.Addr, q fenceAsk, late time.Duration) (fenceTell, bool) {
	w := &fenceWait{end: l.NewSignal()}
	l.waiting[q.ID] = w
	defer delete(l.waiting, q.ID)
	msg := q.encode()
	send := func() { l.Send(uint32(to), msg) }
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
			return fenceTell{}, false
		case late == 0:
			send()
		}
	}
}
