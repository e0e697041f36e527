package peer

import "sync"

// queue holds the datagrams that wait for one peer. When it is full it drops the oldest.
type queue struct {
	maxItems, maxBytes int
	wake               chan struct{} // has an element when there may be something to take

	mu      sync.Mutex
	items   [][]byte
	bytes   int
	dropped uint64
}

func newQueue(maxItems, maxBytes int) *queue {
	return &queue{maxItems: maxItems, maxBytes: maxBytes, wake: make(chan struct{}, 1)}
}

// add appends a datagram. One that is larger than all room is kept alone.
func (q *queue) add(wire []byte) {
	q.mu.Lock()
	q.items = append(q.items, wire)
	q.bytes += len(wire)
	for len(q.items) > 1 && (len(q.items) > q.maxItems || q.bytes > q.maxBytes) {
		q.bytes -= len(q.items[0])
		q.items[0] = nil
		q.items = q.items[1:]
		q.dropped++
	}
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take returns all that waits, the oldest first.
func (q *queue) take() [][]byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.items
	q.items, q.bytes = nil, 0
	return all
}

// drop forgets all that waits.
func (q *queue) drop() {
	n := len(q.take())
	q.mu.Lock()
	q.dropped += uint64(n)
	q.mu.Unlock()
}

func (q *queue) countDropped() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}
