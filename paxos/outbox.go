package paxos

import "github.com/chubbycell/chubby/internal/invariant"

// outbox holds what leaves a node (PMS §2.5: the disk first, then the message). It numbers records,
// and holds back each message until the record for which the message waits is durable. No driver
// can send too early: it never sees such a message. Messages to the node itself wait in the same
// outbox. A leader therefore counts its own vote only when its own disk has it (P2.06), without a
// special case.
//
//	message                                       waits for
//	any, the first of a process life              Booted of this life
//	Prepare                                       nothing else
//	Promise                                       own Promised and every vote reported
//	Accept, Heartbeat, Released                   own Promised of its ballot
//	Accepted                                      own Voted of its slot
//	Nack, LeaseRejection, Chosen, HeartbeatReply,
//	Fetch(Reply)                                  nothing else
type outbox struct {
	self       NodeID
	first      LSN      // number of records[0]
	records    []Record // appended since the last TakeOutput
	promise    Ballot   // of the latest Promised record, of any life
	durable    LSN
	syncTo     LSN // highest number that a message waits for
	bootRecord LSN // of this life's Booted record
	waiting    []waitingMessage
	send       []Envelope
	local      []Message // emitted, addressed to this node
	spare      []Message // empty: memory for the next ones
}

type waitingMessage struct {
	after LSN
	Envelope
}

// next is the number the next record will have.
func (o *outbox) next() LSN { return o.first + LSN(len(o.records)) }

// record appends r and returns its number.
func (o *outbox) record(r Record) LSN {
	if p, ok := r.(Promised); ok {
		if !o.promise.Less(p.Ballot) {
			invariant.Failf("I-A1", "node %d: would record a promise of %v after one of %v", o.self, p.Ballot, o.promise)
		}
		o.promise = p.Ballot
	}
	lsn := o.next()
	o.records = append(o.records, r)
	return lsn
}

// post sends m to a node as soon as the record with the number after is durable.
func (o *outbox) post(after LSN, to NodeID, m Message) {
	after = max(after, o.bootRecord)
	if after <= o.durable {
		o.emit(Envelope{To: to, Message: m})
		return
	}
	o.syncTo = max(o.syncTo, after)
	o.waiting = append(o.waiting, waitingMessage{after: after, Envelope: Envelope{To: to, Message: m}})
}

func (o *outbox) emit(e Envelope) {
	if invariant.Deep {
		if why := Invalid(e.Message); why != "" {
			invariant.Failf("I-A4", "node %d would send %v to %d: %s", o.self, e.Message, e.To, why)
		}
	}
	if e.To == o.self {
		o.local = append(o.local, e.Message)
	} else {
		if o.send == nil {
			o.send = make([]Envelope, 0, 4) // most messages go to all members
		}
		o.send = append(o.send, e)
	}
}

// onDurable records that all records up to upto are durable, and emits the messages that waited for
// them, in the order in which they were posted.
func (o *outbox) onDurable(upto LSN) {
	if upto >= o.first {
		invariant.Failf("I-A4", "node %d: disk reports record %d durable, %d was not given out yet", o.self, upto, o.first)
	}
	if upto <= o.durable {
		return
	}
	o.durable = upto
	kept := o.waiting[:0]
	for _, h := range o.waiting {
		if h.after <= upto {
			o.emit(h.Envelope)
		} else {
			kept = append(kept, h)
		}
	}
	clear(o.waiting[len(kept):])
	o.waiting = kept
}

// cancel drops waiting messages that match: a deposed leader's Accepts would only be
// refused.
func (o *outbox) cancel(match func(Message) bool) {
	kept := o.waiting[:0]
	for _, h := range o.waiting {
		if !match(h.Message) {
			kept = append(kept, h)
		}
	}
	clear(o.waiting[len(kept):])
	o.waiting = kept
}

// take moves records and messages into out.
func (o *outbox) take(out *Output) {
	if len(o.records) > 0 {
		out.Append, out.First = o.records, o.first
		o.first += LSN(len(o.records))
		o.records = nil
	}
	if o.syncTo > o.durable {
		out.SyncTo = o.syncTo
	}
	out.Send, o.send = o.send, nil
}
