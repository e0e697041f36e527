package sim

import (
	"errors"
	"time"
)

// Outbox is the part of a Node that is the same in every protocol: it numbers records, and holds
// back messages until the records on which they depend are durable. Embedded in a Node, it supplies
// Durable and TakeOutput, and a Propose that refuses, for protocols that take no proposals.
type Outbox struct {
	next    uint64 // number of the next record
	durable uint64
	held    []heldMsg // in the order of their records
	out     Output
}

type heldMsg struct {
	after uint64
	Envelope
}

// NewOutbox returns the outbox of a life that begins with c.Records.
func NewOutbox(c NodeConfig) Outbox {
	n := uint64(len(c.Records))
	return Outbox{next: n + 1, durable: n}
}

// Send sends msg at once. msg must promise nothing that a crash would take back.
func (o *Outbox) Send(msg []byte, to ...Addr) {
	for _, a := range to {
		o.out.Send = append(o.out.Send, Envelope{a, msg})
	}
}

// Record writes a record, and sends msg when that record and all before it are durable.
func (o *Outbox) Record(record, msg []byte, to Addr) {
	if len(o.out.Append) == 0 {
		o.out.First = o.next
	}
	o.out.Append = append(o.out.Append, record)
	o.out.SyncTo = o.next
	o.held = append(o.held, heldMsg{o.next, Envelope{to, msg}})
	o.next++
}

// SendDurable sends msg when all records that were written so far are durable: at once if they are.
func (o *Outbox) SendDurable(msg []byte, to ...Addr) {
	for _, a := range to {
		o.held = append(o.held, heldMsg{o.next - 1, Envelope{a, msg}})
	}
	o.release()
}

// Choose outputs a decided slot.
func (o *Outbox) Choose(slot uint64, value string) {
	o.out.Chosen = append(o.out.Chosen, Chosen{Slot: slot, Value: value})
}

// ChooseNoop outputs a decided slot whose value has no command: no state machine is asked to apply it. value is what
// nodes must agree on in that slot; "" is as good as any other that they all take for a no-op.
func (o *Outbox) ChooseNoop(slot uint64, value string) {
	o.out.Chosen = append(o.out.Chosen, Chosen{Slot: slot, Value: value, Commands: []string{}})
}

// WakeAt requests a call of Advance at t, replacing an earlier request; the zero Time requests
// none.
func (o *Outbox) WakeAt(t time.Time) { o.out.Wake = t }

// Durable releases the messages that wait for records up to upto.
func (o *Outbox) Durable(_ time.Time, upto uint64) {
	o.durable = max(o.durable, upto)
	o.release()
}

// release hands over the messages whose records are durable.
func (o *Outbox) release() {
	n := 0
	for n < len(o.held) && o.held[n].after <= o.durable {
		o.out.Send = append(o.out.Send, o.held[n].Envelope)
		n++
	}
	o.held = o.held[n:]
}

// TakeOutput returns and empties the output; the request of WakeAt stays.
func (o *Outbox) TakeOutput() Output {
	out := o.out
	o.out = Output{Wake: out.Wake}
	return out
}

// Propose returns an error.
func (o *Outbox) Propose(time.Time, string) error {
	return errors.New("this protocol takes no proposals")
}
