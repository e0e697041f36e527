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
	Burst      int // messages of clients taken in, at most, before what follows from them is carried out
}

func defaultInbox() InboxConfig {
	return InboxConfig{Peers: 4096, KeepAlives: 1 << 16, Calls: 4096, Burst: 64}
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
	return errors.Join(faults...)
}

// Inbox holds what has come for a replica whose goroutine is busy, in three bounded queues.
// Messages of peers are taken first, then those of clients, of which KeepAlives come before
// calls: so calls, however many there are, cost no replica its lease and no client its session.
// The zero Inbox is of no use: make one with NewInbox.
//
// Who takes a message asks Acts, when the driver has it, whether to carry out what the driver
// wants before it takes the next one.
type Inbox[T any] struct {
	burst      int
	peers      line[T]
	keepAlives line[T]
	calls      line[T]
	passed     int  // KeepAlives taken in a row while a call waited
	taken      int  // messages of clients since Acts last said yes
	isPeers    bool // the message taken last
}

// mostPassed is how many KeepAlives are taken in a row, at most, while a call waits: clients that
// send nothing else keep no call away for good.
const mostPassed = 8

// NewInbox returns an empty Inbox. It panics on a config that Config.Validate refuses.
func NewInbox[T any](c InboxConfig) *Inbox[T] {
	if err := c.validate(); err != nil {
		panic(err)
	}
	return &Inbox[T]{burst: c.Burst, peers: newLine[T](c.Peers), keepAlives: newLine[T](c.KeepAlives), calls: newLine[T](c.Calls)}
}

// AddPeer puts m, which another replica sent, behind those that wait, if there is room.
func (b *Inbox[T]) AddPeer(m T) bool { return b.peers.add(0, false, m) }

// AddClient puts m, which came as wire from a client, behind those of its kind that wait. It
// returns false where there is no room, or the client has as many messages of this kind waiting
// as there is room left: one client alone takes no more than half. The client is to be told
// (Refusal).
func (b *Inbox[T]) AddClient(from core.Addr, wire []byte, m T) bool {
	if api.IsKeepAlive(wire) {
		return b.keepAlives.add(from, true, m)
	}
	return b.calls.add(from, true, m)
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

// Next takes the next message; ok is false if none waits.
func (b *Inbox[T]) Next() (m T, ok bool) {
	b.isPeers = false
	switch {
	case b.peers.len() > 0:
		b.isPeers = true
		return b.peers.take(), true
	case b.calls.len() > 0 && (b.keepAlives.len() == 0 || b.passed >= mostPassed):
		b.passed = 0
		b.taken++
		return b.calls.take(), true
	case b.keepAlives.len() > 0:
		b.passed++
		b.taken++
		return b.keepAlives.take(), true
	}
	return m, false
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

// line is messages that wait, the oldest first.
type line[T any] struct {
	most  int
	items []waiting[T]
	head  int
	of    map[core.Addr]int // how many of each client
}

type waiting[T any] struct {
	from   core.Addr
	shares bool
	m      T
}

func newLine[T any](most int) line[T] { return line[T]{most: most, of: map[core.Addr]int{}} }

func (l *line[T]) len() int { return len(l.items) - l.head }

// add appends m; shares says that from is to leave room for others.
func (l *line[T]) add(from core.Addr, shares bool, m T) bool {
	room := l.most - l.len()
	if room < 1 || shares && l.of[from] >= room {
		return false
	}
	if shares {
		l.of[from]++
	}
	if 2*l.head > len(l.items) && len(l.items) == cap(l.items) {
		n := copy(l.items, l.items[l.head:])
		clear(l.items[n:])
		l.items, l.head = l.items[:n], 0
	}
	l.items = append(l.items, waiting[T]{from, shares, m})
	return true
}

func (l *line[T]) take() T {
	w := l.items[l.head]
	l.items[l.head] = waiting[T]{}
	l.head++
	if l.head == len(l.items) {
		l.items, l.head = l.items[:0], 0
	}
	if w.shares {
		if l.of[w.from]--; l.of[w.from] == 0 {
			delete(l.of, w.from)
		}
	}
	return w.m
}
