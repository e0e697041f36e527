package sim

// target is what an event happens to. The hot kinds (a message at the end of its link, a timer, a
// disk call) are types of their own, so that no event needs a closure.
type target interface {
	// fire makes the event happen. arg and p are the values with which it was scheduled.
	fire(w *World, arg uint64, p *packet)
}

// event is what waits in the queue; its slot is used again after it fired.
type event struct {
	to  target // nil: canceled, or a free slot
	p   *packet
	arg uint64
	gen uint32 // number of uses of the slot: distinguishes old tickets from new ones
}

// entry is the part of an event that determines the order.
type entry struct {
	at  int64  // true time in nanoseconds
	tie uint64 // seeded: decides between two events of one instant
	seq uint64 // last resort: the order of scheduling
	id  int32  // slot of the event
}

func (a *entry) before(b *entry) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	if a.tie != b.tie {
		return a.tie < b.tie
	}
	return a.seq < b.seq
}

// ticket names a scheduled event, for cancel. The zero ticket names none.
type ticket struct {
	id  int32 // slot + 1
	gen uint32
}

// queue is a 4-ary heap of entries over a slab of events.
type queue struct {
	heap []entry
	slab []event
	free []int32
	dead int // canceled events still in the heap
	seq  uint64
}

func (q *queue) push(at int64, tie uint64, to target, arg uint64, p *packet) ticket {
	var id int32
	if n := len(q.free); n > 0 {
		id = q.free[n-1]
		q.free = q.free[:n-1]
	} else {
		id = int32(len(q.slab))
		q.slab = append(q.slab, event{})
	}
	e := &q.slab[id]
	e.to, e.arg, e.p = to, arg, p
	e.gen++
	q.seq++
	q.heap = append(q.heap, entry{})
	q.up(len(q.heap)-1, entry{at: at, tie: tie, seq: q.seq, id: id})
	return ticket{id: id + 1, gen: e.gen}
}

// cancel prevents the event. It is cheap: the entry stays in the heap until its time, or until most
// of the heap is dead. It ignores a ticket whose event has fired.
func (q *queue) cancel(t ticket) {
	if t.id == 0 {
		return
	}
	e := &q.slab[t.id-1]
	if e.gen != t.gen || e.to == nil {
		return
	}
	e.to, e.p = nil, nil
	q.dead++
	if q.dead > 64 && q.dead > len(q.heap)/2 {
		q.compact()
	}
}

// peek returns when the next event is due; ok is false when there is none.
func (q *queue) peek() (at int64, ok bool) {
	for len(q.heap) > 0 {
		top := &q.heap[0]
		if q.slab[top.id].to != nil {
			return top.at, true
		}
		q.free = append(q.free, top.id)
		q.dead--
		q.dropTop()
	}
	return 0, false
}

// pop takes the event that peek announced.
func (q *queue) pop() (entry, event) {
	top := q.heap[0]
	e := &q.slab[top.id]
	ev := *e
	e.to, e.p = nil, nil
	q.free = append(q.free, top.id)
	q.dropTop()
	return top, ev
}

func (q *queue) dropTop() {
	n := len(q.heap) - 1
	last := q.heap[n]
	q.heap = q.heap[:n]
	if n > 0 {
		q.down(0, last)
	}
}

// up moves the hole at i towards the root until x fits.
func (q *queue) up(i int, x entry) {
	h := q.heap
	for i > 0 {
		parent := (i - 1) >> 2
		if !x.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = x
}

// down moves the hole at i towards the leaves until x fits.
func (q *queue) down(i int, x entry) {
	h := q.heap
	for {
		first := i<<2 + 1
		if first >= len(h) {
			break
		}
		least, end := first, min(first+4, len(h))
		for c := first + 1; c < end; c++ {
			if h[c].before(&h[least]) {
				least = c
			}
		}
		if !h[least].before(&x) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = x
}

// compact removes the dead entries and restores the heap. The order of the remaining entries is
// total, so events fire in the same order however the heap is rebuilt.
func (q *queue) compact() {
	live := q.heap[:0]
	for _, x := range q.heap {
		if q.slab[x.id].to == nil {
			q.free = append(q.free, x.id)
			continue
		}
		live = append(live, x)
	}
	q.heap, q.dead = live, 0
	for i := (len(live) - 2) >> 2; i >= 0; i-- {
		q.down(i, live[i])
	}
}
