package paxos

import "github.com/chubbycell/chubby/internal/invariant"

// outbox holds what leaves a node (PMS §2.5: the disk first, then the message). It
// numbers records, and keeps back each message until the record that the message waits
// for is durable. So no driver can send too early: it never sees such a message. Messages
// to the node itself wait in the same outbox; so a leader counts its own vote only when
// its own disk has it (P2.06), with no special case.
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
func (g *outbox) next() LSN { return g.first + LSN(len(g.records)) }

// record appends r and returns its number.
func (g *outbox) record(r Record) LSN {
	if p, ok := r.(Promised); ok {
		if !g.promise.Less(p.Ballot) {
			invariant.Failf("I-A1", "node %d: would record a promise of %v after one of %v", g.self, p.Ballot, g.promise)
		}
		g.promise = p.Ballot
	}
	lsn := g.next()
	g.records = append(g.records, r)
	return lsn
}

// post sends m to a node as soon as record number after is durable.
func (g *outbox) post(after LSN, to NodeID, m Message) {
	after = max(after, g.bootRecord)
	if after <= g.durable {
		g.emit(Envelope{To: to, Message: m})
		return
	}
	g.syncTo = max(g.syncTo, after)
	g.waiting = append(g.waiting, waitingMessage{after: after, Envelope: Envelope{To: to, Message: m}})
}

func (g *outbox) emit(e Envelope) {
	if invariant.Deep {
		if why := Invalid(e.Message); why != "" {
			invariant.Failf("I-A4", "node %d would send %v to %d: %s", g.self, e.Message, e.To, why)
		}
	}
	if e.To == g.self {
		g.local = append(g.local, e.Message)
	} else {
		if g.send == nil {
			g.send = make([]Envelope, 0, 4) // most messages go to all members
		}
		g.send = append(g.send, e)
	}
}

// onDurable learns that all records up to upto are durable, and emits the messages that
// waited for them, in the order in which they were posted.
func (g *outbox) onDurable(upto LSN) {
	if upto >= g.first {
		invariant.Failf("I-A4", "node %d: disk reports record %d durable, %d was not given out yet", g.self, upto, g.first)
	}
	if upto <= g.durable {
		return
	}
	g.durable = upto
	kept := g.waiting[:0]
	for _, h := range g.waiting {
		if h.after <= upto {
			g.emit(h.Envelope)
		} else {
			kept = append(kept, h)
		}
	}
	clear(g.waiting[len(kept):])
	g.waiting = kept
}

// cancel drops waiting messages that match: a deposed leader's Accepts would only be
// refused.
func (g *outbox) cancel(match func(Message) bool) {
	kept := g.waiting[:0]
	for _, h := range g.waiting {
		if !match(h.Message) {
			kept = append(kept, h)
		}
	}
	clear(g.waiting[len(kept):])
	g.waiting = kept
}

// take moves records and messages into out.
func (g *outbox) take(out *Output) {
	if len(g.records) > 0 {
		out.Append, out.First = g.records, g.first
		g.first += LSN(len(g.records))
		g.records = nil
	}
	if g.syncTo > g.durable {
		out.SyncTo = g.syncTo
	}
	out.Send, g.send = g.send, nil
}
