package paxos

import "encoding/binary"

// queue holds the commands that wait for a slot, encoded as in a Value, so that a batch
// costs one copy.
type queue struct {
	buf  []byte
	ends []int // end of each command in buf
}

func (q *queue) len() int { return len(q.ends) }

func (q *queue) push(command []byte) {
	q.buf = binary.AppendUvarint(q.buf, uint64(len(command)))
	q.buf = append(q.buf, command...)
	q.ends = append(q.ends, len(q.buf))
}

// batch returns the next commands, as many as one slot may hold.
func (q *queue) batch(limits pageLimits) Value {
	n := 0
	for n < len(q.ends) && !limits.isFull(n, q.ends[n]) {
		n++
	}
	cut := q.ends[n-1]
	v := Value(q.buf[:cut])
	q.buf = q.buf[:copy(q.buf, q.buf[cut:])]
	q.ends = q.ends[:copy(q.ends, q.ends[n:])]
	for i := range q.ends {
		q.ends[i] -= cut
	}
	return v
}

func (q *queue) clear() { q.buf, q.ends = q.buf[:0], q.ends[:0] }
