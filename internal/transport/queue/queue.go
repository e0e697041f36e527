// Package queue is concurrent: datagrams that wait to be sent, bounded in number and bytes.
package queue

import "sync"

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

	mu      sync.Mutex
	items   []Datagram
	bytes   int
	dropped uint64
}

// New returns a Queue of so many datagrams, and bytes of datagrams, at most.
func New(maxItems, maxBytes int) *Queue {
	return &Queue{maxItems: maxItems, maxBytes: maxBytes, wake: make(chan struct{}, 1)}
}

// Wake has an element when there may be something to take.
func (q *Queue) Wake() <-chan struct{} { return q.wake }

// Add appends a datagram, and does not block. A datagram that is larger than all room is
// kept alone.
func (q *Queue) Add(d Datagram) {
	q.mu.Lock()
	q.items = append(q.items, d)
	q.bytes += len(d.Wire)
	for len(q.items) > 1 && (len(q.items) > q.maxItems || q.bytes > q.maxBytes) {
		q.bytes -= len(q.items[0].Wire)
		q.items[0] = Datagram{}
		q.items = q.items[1:]
		q.dropped++
	}
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Take returns all that waits, the oldest first.
func (q *Queue) Take() []Datagram {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.items
	q.items, q.bytes = nil, 0
	return all
}

// Drop forgets all that waits.
func (q *Queue) Drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dropped += uint64(len(q.items))
	q.items, q.bytes = nil, 0
}

// Dropped is how many datagrams were dropped.
func (q *Queue) Dropped() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}
