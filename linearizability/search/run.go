package search

// Run searches. It ends: every step either adds a configuration that is new, or passes over an
// operation.
func (p *Problem[S]) Run(b Bounds) Result {
	r := newRun(p, b)
	r.result.Found = r.search()
	r.result.Met, r.result.Bytes = r.met, r.bytes
	if r.result.Stuck = -1; !r.result.Found && r.stuck != 0 {
		r.result.Stuck = int(r.list.op[r.stuck])
	}
	return r.result
}

// run is one search. Invariant: frames, each with the reads behind it, are an order of what is
// placed, and state is the state after it.
type run[S any] struct {
	*Problem[S]
	bounds Bounds
	result Result
	met    Bound
	bytes  int64

	list  *entries
	open  *opens
	rank  []int32 // of an operation among those with a return, or among the open ones
	done  placed
	spent placed
	memo  *memo[S]

	state   S
	barrier int32   // the first return in the list; 0: all that returned is placed
	reads   []int32 // calls of the reads that are placed
	frames  []frame[S]
	refines bool  // some read made known what was not, and so changed a state
	stuck   int32 // the latest barrier before which nothing fitted
}

// frame is one operation that is placed, and how it was before.
type frame[S any] struct {
	state   S
	barrier int32
	node    int32 // of list; of open, if that is
	open    bool
	reads   int // how many were placed
}

func newRun[S any](p *Problem[S], b Bounds) *run[S] {
	r := &run[S]{Problem: p, bounds: b, list: newEntries(p.Ops), open: newOpens(p.Ops), rank: make([]int32, len(p.Ops))}
	ranks := [2]int32{}
	for i := range p.Ops {
		kind := 0
		if p.Ops[i].Open {
			kind = 1
		}
		r.rank[i] = ranks[kind]
		ranks[kind]++
	}
	r.done, r.spent = newPlaced(int(ranks[0]), 0), newPlaced(int(ranks[1]), 1<<40)
	r.memo = newMemo(p.Same, ranks[1] > 0)
	r.state = p.Init
	return r
}

// cursor is where the search for the next operation to place goes on: at a call of the list
// or, behind those, at an open operation.
type cursor struct {
	node int32
	open bool
}

func (r *run[S]) search() (found bool) {
	r.close()
	c := cursor{node: r.list.next[0]}
	for r.barrier != 0 {
		entered := !c.open && r.tryList(&c) || r.met == None && r.tryOpen(&c)
		switch {
		case r.met != None:
			return false
		case entered:
			c = cursor{node: r.list.next[0]}
			continue
		}
		if r.stuck == 0 || r.list.at[r.barrier] > r.list.at[r.stuck] {
			r.stuck = r.barrier
		}
		if len(r.frames) == 0 {
			return false
		}
		c = r.back()
	}
	return true
}

// tryList places the next operation with a return that fits.
func (r *run[S]) tryList(c *cursor) bool {
	for c.node != r.barrier {
		node := c.node
		c.node = r.list.next[node]
		op := int(r.list.op[node])
		if r.Ops[op].Read && !r.refines {
			continue // close has tried it
		}
		ok, next := r.step(op)
		if r.met != None {
			return false
		}
		if ok && r.enter(node, false, next) {
			return true
		}
	}
	*c = cursor{node: r.open.next[0], open: true}
	return false
}

// tryOpen places the next open operation that fits and changes the state. One that would not
// change it stays: then it can still be placed later, or never. Of those that do the same the
// first is placed, which could stand wherever a later one can.
func (r *run[S]) tryOpen(c *cursor) bool {
	for c.node != 0 && r.open.at[c.node] < r.list.at[r.barrier] {
		node := c.node
		c.node = r.open.next[node]
		op := int(r.open.op[node])
		if twin := r.Ops[op].Twin; twin != 0 && !r.spent.has(int(r.rank[twin-1])) {
			continue
		}
		ok, next := r.step(op)
		if r.met != None {
			return false
		}
		if ok && !r.Same(next, r.state) && r.enter(node, true, next) {
			return true
		}
	}
	return false
}

// enter places an operation and the reads that then fit, unless that is hopeless.
func (r *run[S]) enter(node int32, open bool, next S) bool {
	r.frames = append(r.frames, frame[S]{state: r.state, barrier: r.barrier, node: node, open: open, reads: len(r.reads)})
	if open {
		r.open.lift(node)
		r.spent.add(int(r.rank[r.open.op[node]]))
	} else {
		r.list.lift(node)
		r.done.add(int(r.rank[r.list.op[node]]))
	}
	r.state = next
	r.close()
	if r.met != None || r.barrier == 0 {
		return true
	}
	hash := uint64(0)
	if r.Hash != nil {
		hash = r.Hash(next)
	}
	added, bytes := r.memo.add(&r.done, &r.spent, next, hash)
	if !added {
		r.back()
		return false
	}
	r.bytes += bytes + int64(r.Size(next))
	return true
}

// back takes the last operation and its reads away, and returns where to go on.
func (r *run[S]) back() cursor {
	last := len(r.frames) - 1
	f := &r.frames[last]
	for i := len(r.reads) - 1; i >= f.reads; i-- {
		r.list.unlift(r.reads[i])
		r.done.remove(int(r.rank[r.list.op[r.reads[i]]]))
	}
	c := cursor{open: f.open}
	if f.open {
		r.open.unlift(f.node)
		r.spent.remove(int(r.rank[r.open.op[f.node]]))
		c.node = r.open.next[f.node]
	} else {
		r.list.unlift(f.node)
		r.done.remove(int(r.rank[r.list.op[f.node]]))
		c.node = r.list.next[f.node]
	}
	r.state, r.barrier, r.reads = f.state, f.barrier, r.reads[:f.reads]
	r.frames = r.frames[:last]
	return c
}

// close places every read that fits now and leaves the state as it is. Nothing is lost: in any
// order that goes on from here, such a read can be moved to here.
func (r *run[S]) close() {
	node := r.list.next[0]
	for r.list.end[node] != 0 {
		here := node
		node = r.list.next[here]
		op := int(r.list.op[here])
		if !r.Ops[op].Read {
			continue
		}
		ok, next := r.step(op)
		switch {
		case !ok:
		case r.Same(next, r.state):
			before := r.list.prev[here]
			r.list.lift(here)
			r.done.add(int(r.rank[op]))
			r.reads = append(r.reads, here)
			node = r.list.next[before] // its own return may have been next
		default:
			r.refines = true
		}
	}
	r.barrier = node
}

// step is Step within the bounds.
func (r *run[S]) step(op int) (ok bool, next S) {
	b := &r.bounds
	switch {
	case r.met != None:
		return false, next
	case b.Steps > 0 && r.result.Steps >= b.Steps:
		r.met = Steps
	case b.Bytes > 0 && r.bytes >= b.Bytes:
		r.met = Memory
	case b.Stop != nil && r.result.Steps%Asked == Asked-1 && b.Stop():
		r.met = Time
	}
	if r.met != None {
		return false, next
	}
	r.result.Steps++
	return r.Step(r.state, op)
}
