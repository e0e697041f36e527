package model

import (
	"cmp"
	"fmt"
	"slices"
)

// queueRefute is the Refute of the model of queues. Four rules, each a reason why an operation fits into no order; the
// last three are about values that one operation enqueues. If no value is enqueued twice and no dequeue has an unknown
// outcome, every history without an order breaks one of them (Henzinger, Sezgin, Vafeiadis 2013).
//
//  1. A value is dequeued more often than it is enqueued.
//  2. A value entered after another one, and left before it.
//  3. A value left, and more values that had entered before it are never seen again than there are dequeues of
//     unknown outcome which may have taken them.
//  4. A dequeue finds the queue empty, and at each instant of that call a value has entered and not left.
func queueRefute(ops []*queueOp) (at int, why string) {
	until := make([]int64, len(ops))
	for i, op := range ops {
		until[i] = op.Return
	}
	r := queueRefutation{queuePasses: newQueuePasses(ops, until), at: -1}
	r.countValues()
	r.left = slices.DeleteFunc(r.left, func(p queuePass) bool { return p.shared })
	r.stay = slices.DeleteFunc(r.stay, func(p queuePass) bool { return p.shared })
	r.overtaken()
	r.forgotten()
	r.neverEmpty()
	return r.at, r.why
}

type queueRefutation struct {
	*queuePasses
	at  int
	why string
}

// found records a dequeue that fits into no order, if it returned before the one that is recorded.
func (r *queueRefutation) found(i int, format string, args ...any) {
	if r.at < 0 || r.ops[i].Return < r.ops[r.at].Return {
		r.at, r.why = i, fmt.Sprintf(format, args...)
	}
}

func (r *queueRefutation) value(p queuePass) string { return shown(r.ops[p.in].Input.Value) }

// countValues applies rule 1.
func (r *queueRefutation) countValues() {
	calls := map[string][]int64{} // of enqueues
	var dequeues []int
	for i, op := range r.ops {
		if op.Input.Op == QueueEnqueue {
			calls[op.Input.Value] = append(calls[op.Input.Value], op.Call)
		} else if op.Seen().Found {
			dequeues = append(dequeues, i)
		}
	}
	slices.SortFunc(dequeues, func(a, b int) int { return cmp.Compare(r.ops[a].Return, r.ops[b].Return) })
	taken := map[string]int{}
	for _, i := range dequeues {
		value := r.ops[i].Output.Value
		enqueued, _ := slices.BinarySearch(calls[value], r.ops[i].Return)
		if taken[value]++; taken[value] <= enqueued {
			continue
		}
		if taken[value] == 1 {
			r.found(i, "Nothing had enqueued %s when it returned.", shown(value))
		} else {
			r.found(i, "When it returned, %s had been dequeued %d times, and enqueued at most %d times.", shown(value), taken[value], enqueued)
		}
	}
}

// overtaken applies rule 2.
func (r *queueRefutation) overtaken() {
	entered := slices.Clone(r.left)
	slices.SortFunc(entered, func(a, b queuePass) int { return cmp.Compare(a.inTo, b.inTo) })
	next, last := 0, -1 // of those that entered, the one that left last
	for _, b := range r.byEntry() {
		for ; next < len(entered) && entered[next].inTo < b.inFrom; next++ {
			if last < 0 || entered[next].outFrom > entered[last].outFrom {
				last = next
			}
		}
		if last >= 0 && entered[last].outFrom > b.outTo {
			r.found(b.out, "%s entered the queue before %s, and left after it.", r.value(entered[last]), r.value(b))
		}
	}
}

// byEntry returns the values that left, in order of the calls that enqueued them.
func (r *queueRefutation) byEntry() []queuePass {
	all := slices.Clone(r.left)
	slices.SortFunc(all, func(a, b queuePass) int { return cmp.Compare(a.inFrom, b.inFrom) })
	return all
}

// forgotten applies rule 3.
func (r *queueRefutation) forgotten() {
	slices.SortFunc(r.stay, func(a, b queuePass) int { return cmp.Compare(a.inTo, b.inTo) })
	before := 0
	for _, b := range r.byEntry() {
		for before < len(r.stay) && r.stay[before].inTo < b.inFrom {
			before++
		}
		if may := r.takersBefore(b.outTo); before > may {
			r.found(b.out, "%s entered the queue before %s, and nothing dequeued it.", r.value(r.stay[may]), r.value(b))
		}
	}
}

// neverEmpty applies rule 4.
func (r *queueRefutation) neverEmpty() {
	without, with := filled(r.left), filled(r.left, r.stay)
	for _, i := range r.empty {
		op, spans := r.ops[i], with
		if r.takersBefore(op.Return) > 0 {
			spans = without
		}
		if s, ok := spanAt(spans, op.Call); ok && s.to > op.Return {
			r.found(i, "At each instant of this call the queue held a value: one that had been enqueued, and not dequeued yet.")
		}
	}
}
