package sim

import "time"

type inputKind uint8

const (
	inNone inputKind = iota
	inStart
	inMessage
	inWake
	inResume // a coroutine goes on
	inPost   // Env.Post
	inTimer  // AfterFunc
	inStop
	inHint // Connected.OnUnreachable
)

// input is an input of a process. While the process is paused, its inputs wait in the order in
// which they came.
type input struct {
	kind inputKind
	from Addr
	p    *packet
	co   *coroutine
	t    *alarm
	fn   func(now time.Time)
	arg  uint64
}

// inbox is a queue of inputs in a ring.
type inbox struct {
	ring []input
	head int
	n    int
}

func (q *inbox) len() int { return q.n }

func (q *inbox) push(in input) {
	if q.n == len(q.ring) {
		ring := make([]input, max(8, 2*q.n))
		for i := range q.n {
			ring[i] = q.ring[(q.head+i)%len(q.ring)]
		}
		q.ring, q.head = ring, 0
	}
	q.ring[(q.head+q.n)%len(q.ring)] = in
	q.n++
}

func (q *inbox) pop() input {
	in := q.ring[q.head]
	q.ring[q.head] = input{}
	q.head = (q.head + 1) % len(q.ring)
	q.n--
	return in
}
