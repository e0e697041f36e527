package driver

import (
	"errors"
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
)

// InboxConfig bounds what waits for a replica, and says how it is taken in.
type InboxConfig struct {
	Peers      int // messages of other replicas that may wait
	KeepAlives int // of clients
	Calls      int // all other messages of clients
	// Bytes bounds the messages of clients that wait, of both kinds together, in bytes: at the largest size of a
	// message, their number alone would allow far more than a machine has.
	Bytes int64
	Burst int // messages of clients taken in, at most, before what follows from them is carried out
}

func defaultInbox() InboxConfig {
	return InboxConfig{Peers: 4096, KeepAlives: 1 << 16, Calls: 4096, Bytes: 256 << 20, Burst: 64}
}

func (c InboxConfig) validate() error {
	var faults []error
	for _, n := range []struct {
		name  string
		value int
	}{{"Peers", c.Peers}, {"KeepAlives", c.KeepAlives}, {"Calls", c.Calls}, {"Burst", c.Burst}} {
		if n.value < 1 {
			faults = append(faults, fmt.Errorf("driver config: Inbox.%s is %d; at least 1", n.name, n.value))
		}
	}
	if c.Bytes < api.MaxMessage {
		faults = append(faults, fmt.Errorf("driver config: Inbox.Bytes is %d; at least %d, the largest message", c.Bytes, api.MaxMessage))
	}
	return errors.Join(faults...)
}

// Inbox holds what has come for a replica whose goroutine is busy, in three queues of bounded length. Those of
// clients are bounded in bytes, too.
// Messages of peers are taken first, then those of clients, of which KeepAlives come before
// calls: so calls, however many there are, cost no replica its lease and no client its session.
// Within a kind principals take turns, and the clients of one principal do: many calls of one client
// delay a call of another by one call, and many clients of one principal a call of another one by one call.
// The zero Inbox is of no use: make one with NewInbox.
//
// Who takes a message asks Acts, when the driver has it, whether to carry out what the driver
// wants before it takes the next one.
type Inbox[T any] struct {
	burst      int
	peers      fifo[T]
	mostPeers  int
	keepAlives turns[waiting[T]]
	calls      turns[waiting[T]]
	bytes      byteBound
	passed     int  // KeepAlives taken in a row while a call waited
	taken      int  // messages of clients since Acts last said yes
	isPeers    bool // the message taken last
}

// waiting is a message of a client that waits, and what it counts for in the bound of bytes.
type waiting[T any] struct {
	m    T
	from core.Addr
	who  api.Principal
	size int64
}

// mostPassed is how many KeepAlives are taken in a row, at most, while a call waits: clients that
// send nothing else keep no call away for good.
const mostPassed = 8

// NewInbox returns an empty Inbox. It panics on a config that Config.Validate refuses.
func NewInbox[T any](c InboxConfig) *Inbox[T] {
	if err := c.validate(); err != nil {
		panic(err)
	}
	return &Inbox[T]{
		burst: c.Burst, mostPeers: c.Peers, bytes: newByteBound(c.Bytes),
		keepAlives: newTurns[waiting[T]](c.KeepAlives), calls: newTurns[waiting[T]](c.Calls),
	}
}

// AddPeer puts m, which another replica sent, behind those that wait, if there is room.
func (b *Inbox[T]) AddPeer(m T) bool {
	if b.peers.len() >= b.mostPeers {
		return false
	}
	b.peers.add(m)
	return true
}

// AddClient puts m, which came as wire from a client of a principal, behind those of its kind and client that
// wait. It returns false where there is no room, or the client has as many messages of this kind waiting
// as there is room left, or its principal mostOfRoom times as many; likewise for the bytes of both kinds. So one
// client alone takes no more than half, and one principal leaves some for others. The client is to be told (Refusal).
func (b *Inbox[T]) AddClient(from core.Addr, who api.Principal, wire []byte, m T) bool {
	kind, w := &b.calls, waiting[T]{m: m, from: from, who: who, size: int64(len(wire))}
	if api.IsKeepAlive(wire) {
		kind = &b.keepAlives
	}
	if !b.bytes.hasRoom(from, who, w.size) || !kind.add(from, who, w) {
		return false
	}
	b.bytes.count(from, who, w.size)
	return true
}

// Refusal is the answer to what a client sent as wire, and for which an Inbox has no room: api.Busy,
// which says that it was not executed and is to be sent again. ok is false for what is no request.
func Refusal(wire []byte) (answer []byte, ok bool) {
	q, err := api.DecodeRequest(wire)
	if err != nil {
		return nil, false
	}
	return api.AppendReply(nil, q.Answer(0, api.Result{Code: api.Busy})), true
}

// Queues tells how many messages wait in an Inbox.
type Queues struct{ Peers, KeepAlives, Calls int }

// Queues returns how many messages wait.
func (b *Inbox[T]) Queues() Queues {
	return Queues{Peers: b.peers.len(), KeepAlives: b.keepAlives.len(), Calls: b.calls.len()}
}

// Next takes the next message; ok is false if none waits.
func (b *Inbox[T]) Next() (m T, ok bool) {
	b.isPeers = false
	switch {
	case b.peers.len() > 0:
		b.isPeers = true
		return b.peers.take(), true
	case b.calls.len() > 0 && (b.keepAlives.len() == 0 || b.passed >= mostPassed):
		b.passed = 0
		return b.takeClient(&b.calls), true
	case b.keepAlives.len() > 0:
		b.passed++
		return b.takeClient(&b.keepAlives), true
	}
	return m, false
}

func (b *Inbox[T]) takeClient(kind *turns[waiting[T]]) T {
	b.taken++
	w := kind.take()
	b.bytes.count(w.from, w.who, -w.size)
	return w.m
}

// Acts reports whether what follows from the messages taken is to be carried out before the next
// one is taken: behind each of a peer, and behind those of clients that had come one behind the
// other, whose commands so leave together, in few slots of the log.
func (b *Inbox[T]) Acts() bool {
	waits := b.keepAlives.len()+b.calls.len() > 0
	if b.isPeers || b.taken >= b.burst || b.peers.len() > 0 || !waits {
		b.taken = 0
		return true
	}
	return false
}

// Len is how many messages wait.
func (b *Inbox[T]) Len() int { return b.peers.len() + b.keepAlives.len() + b.calls.len() }
