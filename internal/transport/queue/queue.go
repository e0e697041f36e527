// Package queue is concurrent: datagrams that wait to be sent, bounded in number and bytes.
package queue

import (
	"sync"
	"sync/atomic"
)

// Datagram is one that waits. Tag is the caller's, and means nothing to the Queue.
type Datagram struct {
	Tag  uint32
	Wire []byte
}

// Queue holds datagrams that wait for one connection. When it is full it drops the oldest,
// because later ones say more. All methods are safe for concurrent use.
type Queue struct {
	maxItems, maxBytes int
	wake               chan struct{}
	all                *Total

	mu      sync.Mutex
	items   []Datagram
	bytes   int
	dropped uint64
	closed  bool
}

// Total counts the bytes that wait in several Queues. While they are more than most, each of them keeps no more
// than share bytes, and one datagram in any case. It is safe for concurrent use.
type Total struct {
	most, share int
	bytes       atomic.Int64
}

// NewTotal returns a Total of no Queues.
func NewTotal(most, share int) *Total { return &Total{most: most, share: share} }

// Bytes is how many bytes wait.
func (t *Total) Bytes() int { return int(t.bytes.Load()) }

// New returns a Queue of so many datagrams, and bytes of datagrams, at most.
func New(maxItems, maxBytes int) *Queue { return new(Total).New(maxItems, maxBytes) }

// New returns a Queue as New does, whose bytes count in the Total until it is closed.
func (t *Total) New(maxItems, maxBytes int) *Queue {
	return &Queue{maxItems: maxItems, maxBytes: maxBytes, wake: make(chan struct{}, 1), all: t}
}

// Wake has an element when there may be something to take.
func (q *Queue) Wake() <-chan struct{} { return q.wake }

// Add appends a datagram, and does not block. A datagram that is larger than all room is
// kept alone. A closed Queue drops it.
func (q *Queue) Add(d Datagram) {
	q.mu.Lock()
	if q.closed {
		q.dropped++
		q.mu.Unlock()
		return
	}
	q.items = append(q.items, d)
	q.count(len(d.Wire))
	for len(q.items) > 1 && q.isFull() {
		q.first()
		q.dropped++
	}
	q.mu.Unlock()
	q.signal()
}

func (q *Queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *Queue) isFull() bool {
	return len(q.items) > q.maxItems || q.bytes > q.maxBytes ||
		q.all.most > 0 && q.bytes > q.all.share && q.all.Bytes() > q.all.most
}

// count notes that more bytes wait, or fewer.
func (q *Queue) count(bytes int) {
	q.bytes += bytes
	q.all.bytes.Add(int64(bytes))
}

// first takes the oldest, of which there must be one.
func (q *Queue) first() (d Datagram) {
	d, q.items[0] = q.items[0], Datagram{}
	if q.items = q.items[1:]; len(q.items) == 0 {
		q.items = nil
	}
	q.count(-len(d.Wire))
	return d
}

// Next returns the oldest of those that wait; ok is false if none does. Wake has an element again if others wait.
func (q *Queue) Next() (d Datagram, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return d, false
	}
	d = q.first()
	if len(q.items) > 0 {
		q.signal()
	}
	return d, true
}

// Take returns all that waits, the oldest first.
func (q *Queue) Take() []Datagram {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.items
	q.items = nil
	q.count(-q.bytes)
	return all
}

// Drop forgets all that waits.
func (q *Queue) Drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.drop()
}

func (q *Queue) drop() {
	q.dropped += uint64(len(q.items))
	q.items = nil
	q.count(-q.bytes)
}

// Close forgets all that waits, and what is added later.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.drop()
}

// Dropped is how many datagrams were dropped.
func (q *Queue) Dropped() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}
