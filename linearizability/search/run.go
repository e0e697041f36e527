package search

// Run searches for an order within the bounds. It ends even without bounds: there are finitely many configurations, and
// it enters each at most once.
func (p *Problem[S]) Run(b Bounds) Result {
	r := newRun(p, b)
	r.result.Found = r.search()
	r.result.Met, r.result.Bytes = r.met, r.bytes
	if r.result.Stuck = -1; !r.result.Found && r.stuck != 0 {
		r.result.Stuck = int(r.list.op[r.stuck])
	}
	return r.result
}

// run is one search. Invariant: the operations of frames, each followed by the reads that were placed with it, are an
// order of the placed operations, and state is the state after them.
type run[S any] struct {
	*Problem[S]
	bounds Bounds
	result Result
	met    Bound
	bytes  int64

	list  *entries
	open  *opens
	rank  []int32 // of an operation: its number among those with a return, or among the open ones
	done  placed  // placed operations with a return, by rank
	spent placed  // placed open operations, by rank
	memo  *memo[S]

	state   S
	barrier int32   // node of the first return in the list; 0: all operations with a return are placed
	reads   []int32 // nodes of the calls of placed reads
	frames  []frame[S]
	refines bool  // some read returned a state that was not Same
	stuck   int32 // the latest barrier at which nothing fitted
}

// frame is one placed operation, and the state of the search before it.
type frame[S any] struct {
	state   S
	barrier int32
	node    int32 // in run.open if open, else in run.list
	open    bool
	reads   int // number of placed reads
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

// cursor is the next candidate for placing: a call in the list or, after all of these, an open operation.
type cursor struct {
	node int32
	open bool
}

func (r *run[S]) search() (found bool) {
	r.placeReads()
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

// tryList places the next operation with a return that fits, and reports whether there is one.
func (r *run[S]) tryList(c *cursor) bool {
	for c.node != r.barrier {
		node := c.node
		c.node = r.list.next[node]
		op := int(r.list.op[node])
		if r.Ops[op].Read && !r.refines {
			continue // placeReads has tried it
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

// tryOpen places the next open operation that fits and changes the state, and reports whether there is one. An open
// operation that would not change the state is not placed: it can still be placed later, or never. Of open operations
// with the same effect, the first is placed first: it was called earlier, so it can take the place of a later one in
// any order.
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

// enter places an operation and the reads that then fit. It undoes that and returns false if the configuration is
// redundant (see memo).
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
	r.placeReads()
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

// back removes the last placed operation and its reads, and returns the next candidate after that operation.
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

// placeReads places every read that fits now and leaves the state the same. No order is lost: in any order that continues
// from here, such a read can be moved to here. It also sets barrier.
func (r *run[S]) placeReads() {
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
			node = r.list.next[before] // not the old node: it may have been the return of this read
		default:
			r.refines = true
		}
	}
	r.barrier = node
}

// step calls Step, unless a bound is met. It then sets met and returns false.
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
