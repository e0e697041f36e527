package model

import (
	"strings"

	"github.com/chubbycell/chubby/linearizability/history"
)

// kvSettle is the Settle of the key/value model. Three rules, each with its proof. A value is
// observed if the output of a completed operation shows it, directly (a get, a list, a
// conflict) or because a compare-and-set succeeded on it.
//
//  1. An unknown write of a value that no other operation writes to that key, and that was
//     observed: every observation came after the write, so the write took effect before the
//     first of them returned.
//  2. An unknown write of a value that was not observed, on a key that no delete found, with
//     no unknown compare-and-set that expects that value: until the next write no operation
//     observed the key, so the write can be left out. (Without the write, other operations of
//     unknown outcome may take effect that had none with it; they can be left out, too.)
//  3. An unknown delete on a key that was not observed to be absent afterwards, with no
//     unknown put-if-absent: as rule 2.
//
// A failed compare-and-set whose output does not have the value has observed some other value, so rules 2 and 3 do not
// hold for its key. No rule holds for a key with appends, or with a get whose result may mean that the key does not
// exist.
func kvSettle(ops []*history.Operation[KVInput, KVOutput], until []int64) {
	if !anyUnknown(ops) {
		return
	}
	w := observe(ops)
	for i, op := range ops {
		if op.Outcome == history.OutcomeUnknown {
			until[i] = w.settle(op)
		}
	}
}

func anyUnknown[I, O any](ops []*history.Operation[I, O]) bool {
	for _, op := range ops {
		if op.Outcome == history.OutcomeUnknown {
			return true
		}
	}
	return false
}

// kvObservations records what the operations of a partition write and observe.
type kvObservations struct {
	writers map[KVPair]int   // operations that may write this value
	seen    map[KVPair]int64 // first return of an operation that observed it
	awaited map[KVPair]bool  // an unknown compare-and-set expects it
	waiting map[string]bool  // there is an unknown put-if-absent on the key
	removed map[string]int64 // last return of a delete that found the key
	absent  map[string]int64 // last return of an operation that observed that the key does not exist
	unseen  map[string]bool  // there is a failed compare-and-set without the value that it saw
	loose   map[string]bool  // there is an append, or a get with OrNone
	lists   []*history.Operation[KVInput, KVOutput]
}

func observe(ops []*history.Operation[KVInput, KVOutput]) *kvObservations {
	w := &kvObservations{
		writers: map[KVPair]int{}, seen: map[KVPair]int64{}, awaited: map[KVPair]bool{},
		waiting: map[string]bool{}, removed: map[string]int64{}, absent: map[string]int64{},
		unseen: map[string]bool{}, loose: map[string]bool{},
	}
	for _, op := range ops {
		if op.Outcome == history.OutcomeUnknown {
			w.noteUnknown(&op.Input)
		} else {
			w.note(op)
		}
	}
	return w
}

func (w *kvObservations) noteUnknown(in *KVInput) {
	switch in.Op {
	case OpAppend:
		w.loose[in.Key] = true
	case OpPut:
		w.writers[KVPair{in.Key, in.Value}]++
	case OpCAS:
		w.writers[KVPair{in.Key, in.Value}]++
		if in.Absent {
			w.waiting[in.Key] = true
		} else {
			w.awaited[KVPair{in.Key, in.Expect}] = true
		}
	}
}

func (w *kvObservations) note(op *history.Operation[KVInput, KVOutput]) {
	in, out := &op.Input, &op.Output
	switch in.Op {
	case OpAppend:
		w.loose[in.Key] = true
	case OpGet:
		w.loose[in.Key] = w.loose[in.Key] || out.OrNone
		w.noteSeen(op, out.Value, out.Found)
	case OpPut:
		w.writers[KVPair{in.Key, in.Value}]++
	case OpDelete:
		if out.Found {
			w.removed[in.Key] = max(w.removed[in.Key], op.Return)
		} else {
			w.noteSeen(op, "", false)
		}
	case OpCAS:
		switch {
		case out.OK:
			w.writers[KVPair{in.Key, in.Value}]++
			w.noteSeen(op, in.Expect, !in.Absent)
		case out.Unseen:
			w.unseen[in.Key] = true
		default:
			w.noteSeen(op, out.Value, out.Found)
		}
	case OpList:
		w.lists = append(w.lists, op)
		for _, p := range out.Pairs {
			w.recordSeen(p, op.Return)
		}
	}
}

// noteSeen records that op observed this value of its key, or that the key does not exist.
func (w *kvObservations) noteSeen(op *history.Operation[KVInput, KVOutput], value string, found bool) {
	if found {
		w.recordSeen(KVPair{op.Input.Key, value}, op.Return)
	} else {
		w.absent[op.Input.Key] = max(w.absent[op.Input.Key], op.Return)
	}
}

func (w *kvObservations) recordSeen(p KVPair, at int64) {
	if first, ok := w.seen[p]; !ok || at < first {
		w.seen[p] = at
	}
}

// settle returns by when an operation of unknown outcome took effect.
func (w *kvObservations) settle(op *history.Operation[KVInput, KVOutput]) int64 {
	in := &op.Input
	if w.loose[in.Key] {
		return history.Never
	}
	if in.Op == OpDelete {
		if w.unseen[in.Key] || w.waiting[in.Key] || w.absent[in.Key] > op.Call || w.missedByList(op) {
			return history.Never
		}
		return NoEffect
	}
	p := KVPair{in.Key, in.Value}
	first, seen := w.seen[p]
	switch {
	case seen && w.writers[p] == 1 && first > op.Call:
		return first
	case !seen && !w.unseen[in.Key] && w.removed[in.Key] < op.Call && !w.awaited[p]:
		return NoEffect
	}
	return history.Never
}

// missedByList reports whether a list that returned after the call of op should
// show its key and does not.
func (w *kvObservations) missedByList(op *history.Operation[KVInput, KVOutput]) bool {
	for _, l := range w.lists {
		if l.Return < op.Call || !strings.HasPrefix(op.Input.Key, l.Input.Key) {
			continue
		}
		shown := false
		for _, p := range l.Output.Pairs {
			shown = shown || p.Key == op.Input.Key
		}
		if !shown {
			return true
		}
	}
	return false
}
