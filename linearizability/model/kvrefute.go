package model

import (
	"fmt"
	"slices"

	"github.com/chubbycell/chubby/linearizability/history"
)

// kvRefute is the Refute of the key/value model. It finds an operation that observed a value, although no operation
// that was called before the observer returned can have written it. A write that failed cannot have written; a write of
// unknown outcome can.
func kvRefute(ops []*history.Operation[KVInput, KVOutput]) (at int, why string) {
	w := newKVWritten(ops)
	at = -1
	for i, op := range ops {
		if op.Outcome != history.OutcomeOK || at >= 0 && op.Return > ops[at].Return {
			continue
		}
		if found := w.missing(op); found != "" {
			at, why = i, found
		}
	}
	return at, why
}

// kvWritten records what operations may have written. The int64 is the stamp of the first call that may have written it.
type kvWritten struct {
	keys    map[string]int64 // by key: any value
	values  map[KVPair]int64 // by key and value: a put or a compare-and-set
	ends    map[KVPair]int64 // by key and appended text: an append
	lengths map[string][]int // by key: the lengths of appended texts
}

func newKVWritten(ops []*history.Operation[KVInput, KVOutput]) *kvWritten {
	w := &kvWritten{keys: map[string]int64{}, values: map[KVPair]int64{}, ends: map[KVPair]int64{}, lengths: map[string][]int{}}
	for _, op := range ops { // in order of call
		in := &op.Input
		to, p := w.values, KVPair{in.Key, in.Value}
		switch {
		case in.Op == OpAppend:
			to = w.ends
			if n := len(in.Value); !slices.Contains(w.lengths[in.Key], n) {
				w.lengths[in.Key] = append(w.lengths[in.Key], n)
			}
		case in.Op == OpPut:
		case in.Op == OpCAS && (op.Outcome == history.OutcomeUnknown || op.Output.OK):
		default:
			continue
		}
		if _, known := to[p]; !known {
			to[p] = op.Call
		}
		if _, known := w.keys[in.Key]; !known {
			w.keys[in.Key] = op.Call
		}
	}
	return w
}

// missing says which value a completed operation observed although no operation wrote it; "" if there is none.
func (w *kvWritten) missing(op *history.Operation[KVInput, KVOutput]) string {
	in, out := &op.Input, &op.Output
	switch {
	case in.Op == OpGet && out.Found && !(out.OrNone && out.Value == ""),
		in.Op == OpCAS && !out.OK && !out.Unseen && out.Found:
		return w.unwritten(KVPair{in.Key, out.Value}, op.Return, shown(out.Value))
	case in.Op == OpCAS && out.OK && !in.Absent:
		return w.unwritten(KVPair{in.Key, in.Expect}, op.Return, shown(in.Expect))
	case in.Op == OpDelete && out.Found:
		first, ok := w.keys[in.Key]
		return untimely(first, ok, op.Return, "that key")
	case in.Op == OpList:
		for _, p := range out.Pairs {
			if why := w.unwritten(p, op.Return, p.Key+" = "+shown(p.Value)); why != "" {
				return why
			}
		}
	}
	return ""
}

// unwritten says that no operation that was called by stamp by wrote a value; "" if one may have. A value may also be
// the result of an append: then it ends with the appended text.
func (w *kvWritten) unwritten(p KVPair, by int64, text string) string {
	first, ok := w.values[p]
	for _, n := range w.lengths[p.Key] {
		if n > len(p.Value) {
			continue
		}
		if call, is := w.ends[KVPair{p.Key, p.Value[len(p.Value)-n:]}]; is && (!ok || call < first) {
			first, ok = call, true
		}
	}
	return untimely(first, ok, by, text)
}

// untimely says that the first call that wrote a value, at stamp first, came after stamp by, or that there was none
// (not ok); "" otherwise.
func untimely(first int64, ok bool, by int64, text string) string {
	switch {
	case !ok:
		return "Nothing wrote " + text + "."
	case first > by:
		return fmt.Sprintf("Nothing wrote %s before it returned: the first call that does is at %d.", text, first)
	}
	return ""
}
