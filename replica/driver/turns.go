package driver

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
)

// turns holds messages of clients that wait. Principals take turns, in the order in which they began to wait, and within
// a principal its clients do: a client is cheap to make, and a principal is not. The messages of one client keep their
// order.
type turns[T any] struct {
	most   int // messages that may wait
	count  int // messages that wait
	next   fifo[*share[T]]
	shares map[api.Principal]*share[T] // of the principals with a turn
	of     map[core.Addr]*backlog[T]   // of the clients with a turn
	// spare and spareShares are without a client or principal, to be used again.
	spare       []*backlog[T]
	spareShares []*share[T]
}

// share is what waits of one principal.
type share[T any] struct {
	who   api.Principal
	count int
	next  fifo[*backlog[T]]
}

// backlog is what waits of one client.
type backlog[T any] struct {
	from  core.Addr
	of    *share[T]
	items fifo[T]
}

// mostSpare bounds the backlogs that are kept for later clients, and roomSpare the messages for which one
// that is kept has memory. Likewise for shares.
const mostSpare, roomSpare = 16, 64

// mostOfRoom is how many times the room that is left one principal may take: all clients of a cell may have the same one,
// so it may have nearly all, and leaves some for others.
const mostOfRoom = 8

func newTurns[T any](most int) turns[T] {
	return turns[T]{most: most, of: map[core.Addr]*backlog[T]{}, shares: map[api.Principal]*share[T]{}}
}

func (t *turns[T]) len() int { return t.count }

// add appends a message of a client. It returns false if there is no room, or as many messages of this
// client wait as there is room left, or mostOfRoom times as many of its principal.
func (t *turns[T]) add(from core.Addr, who api.Principal, m T) bool {
	room, b, s := t.most-t.count, t.of[from], t.shares[who]
	if room < 1 || b != nil && b.items.len() >= room || s != nil && s.count >= mostOfRoom*room {
		return false
	}
	if b == nil {
		b = t.begin(from, who)
	}
	b.items.add(m)
	b.of.count++
	t.count++
	return true
}

// begin gives a client a turn, behind the others of its principal.
func (t *turns[T]) begin(from core.Addr, who api.Principal) *backlog[T] {
	s := t.shares[who]
	if s == nil {
		s = takeSpare(&t.spareShares)
		s.who = who
		t.shares[who] = s
		t.next.add(s)
	}
	b := takeSpare(&t.spare)
	b.from, b.of = from, s
	t.of[from] = b
	s.next.add(b)
	return b
}

// takeSpare returns the last of some that are kept, or else a new one.
func takeSpare[X any](kept *[]*X) *X {
	n := len(*kept)
	if n == 0 {
		return new(X)
	}
	x := (*kept)[n-1]
	*kept = (*kept)[:n-1]
	return x
}

// take takes the oldest message of the client whose turn it is.
func (t *turns[T]) take() T {
	s := t.next.take()
	b := s.next.take()
	m := b.items.take()
	t.count--
	if b.items.len() > 0 {
		s.next.add(b)
	} else {
		delete(t.of, b.from)
		if len(t.spare) < mostSpare && b.items.room() <= roomSpare {
			t.spare = append(t.spare, b)
		}
	}
	if s.count--; s.count > 0 {
		t.next.add(s)
		return m
	}
	delete(t.shares, s.who)
	if len(t.spareShares) < mostSpare && s.next.room() <= roomSpare {
		t.spareShares = append(t.spareShares, s)
	}
	return m
}
