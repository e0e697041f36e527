package driver

import "github.com/chubbycell/chubby/replica/core"

// turns holds messages of clients that wait. Clients take turns, in the order in which they began to wait;
// the messages of one client keep their order.
type turns[T any] struct {
	most  int // messages that may wait
	count int // messages that wait
	next  fifo[*backlog[T]]
	of    map[core.Addr]*backlog[T] // of the clients with a turn
	spare []*backlog[T]             // without a client, to be used again
}

// backlog is what waits of one client.
type backlog[T any] struct {
	from  core.Addr
	items fifo[T]
}

// mostSpare bounds the backlogs that are kept for later clients, and roomSpare the messages for which one
// that is kept has memory.
const mostSpare, roomSpare = 16, 64

func newTurns[T any](most int) turns[T] { return turns[T]{most: most, of: map[core.Addr]*backlog[T]{}} }

func (t *turns[T]) len() int { return t.count }

// add appends a message of a client. It returns false if there is no room, or as many messages of this
// client wait as there is room left.
func (t *turns[T]) add(from core.Addr, m T) bool {
	room, b := t.most-t.count, t.of[from]
	if room < 1 || b != nil && b.items.len() >= room {
		return false
	}
	if b == nil {
		b = t.begin(from)
	}
	b.items.add(m)
	t.count++
	return true
}

// begin gives a client a turn, behind the others.
func (t *turns[T]) begin(from core.Addr) *backlog[T] {
	b := &backlog[T]{}
	if n := len(t.spare); n > 0 {
		b, t.spare = t.spare[n-1], t.spare[:n-1]
	}
	b.from = from
	t.of[from] = b
	t.next.add(b)
	return b
}

// take takes the oldest message of the client whose turn it is.
func (t *turns[T]) take() T {
	b := t.next.take()
	m := b.items.take()
	t.count--
	if b.items.len() > 0 {
		t.next.add(b)
		return m
	}
	delete(t.of, b.from)
	if len(t.spare) < mostSpare && b.items.room() <= roomSpare {
		t.spare = append(t.spare, b)
	}
	return m
}
