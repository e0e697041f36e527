package lab

import "time"

// Queue is the requests to a machine that serves one after the other.
type Queue struct {
	node    *Node
	waiting []Request
	arrived interface{ Fire() } // nil: the machine does not wait for a request
}

// Queue has requests wait from now on, until Each takes them.
func (n *Node) Queue() *Queue {
	q := &Queue{node: n}
	n.Serve(func(r Request) {
		q.waiting = append(q.waiting, r)
		if q.arrived != nil {
			q.arrived.Fire()
		}
	})
	return q
}

// Each calls f for one request after the other, for ever. f may block: what comes meanwhile waits.
func (q *Queue) Each(f func(r Request)) {
	for {
		for len(q.waiting) == 0 {
			more := q.node.NewSignal()
			q.arrived = more
			q.node.Await(more, time.Hour)
		}
		r := q.waiting[0]
		q.waiting = q.waiting[1:]
		f(r)
	}
}
