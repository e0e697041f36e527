package linearizability

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// plain is a bruteState with a plain list of strings as its state. It is slow and simple.
type plain[I, O any] struct {
	rows    []string // the state; each model has its own form
	after   func(rows []string, in I) ([]string, O)
	matches func(in I, want, got O) bool
}

func (s plain[I, O]) follow(in I, out *O) []bruteState[I, O] {
	rows, want := s.after(slices.Clone(s.rows), in)
	if out != nil && !s.matches(in, want, *out) {
		return nil
	}
	return []bruteState[I, O]{plain[I, O]{rows, s.after, s.matches}}
}

func (s plain[I, O]) key() string { return fmt.Sprintf("|%q", s.rows) }

func setAfter(rows []string, in SetInput) ([]string, SetOutput) {
	at := slices.Index(rows, in.Value)
	switch {
	case in.Op == SetRead:
		slices.Sort(rows)
		return rows, SetOutput{Values: slices.Clone(rows)}
	case in.Op == SetAdd && at < 0:
		rows = append(rows, in.Value)
	case in.Op == SetRemove && at >= 0:
		rows = slices.Delete(rows, at, at+1)
	}
	slices.Sort(rows)
	return rows, SetOutput{Found: at >= 0}
}

func queueAfter(rows []string, in QueueInput) ([]string, QueueOutput) {
	switch {
	case in.Op == QueueEnqueue:
		return append(rows, in.Value), QueueOutput{}
	case len(rows) == 0:
		return rows, QueueOutput{}
	}
	return rows[1:], QueueOutput{Found: true, Value: rows[0]}
}

// textAfter executes an operation on one key: read, write, append or compare-and-set. If there are no rows, the key
// does not exist.
func textAfter(rows []string, in KVInput) ([]string, KVOutput) {
	value, found := strings.Join(rows, ""), len(rows) > 0
	out := KVOutput{Found: found, Value: value}
	switch {
	case in.Op == OpPut:
		return []string{in.Value}, out
	case in.Op == OpAppend:
		return []string{value + in.Value}, out
	case in.Op == OpDelete:
		return nil, out
	case in.Op == OpCAS && found && value == in.Expect:
		return []string{in.Value}, KVOutput{OK: true}
	}
	return rows, out
}

// overlapping makes a history of overlapping calls. after answers them in the order of their calls; some answers are
// changed, some lost.
func overlapping[I, O any](p pick, n int, call func() I, after func([]string, I) ([]string, O), change func(in I, out *O)) *History[I, O] {
	var rows []string
	rec := NewRecorder[I, O](n)
	type open struct {
		id  int
		in  I
		out *O
	}
	var clients [3]*open
	for rec.Len() < n || slices.ContainsFunc(clients[:], func(o *open) bool { return o != nil }) {
		c := p(len(clients))
		switch o := clients[c]; {
		case o == nil && rec.Len() < n:
			in := call()
			clients[c] = &open{id: rec.Call(int64(c), 0, in), in: in}
		case o == nil:
		case o.out == nil:
			var out O
			rows, out = after(rows, o.in)
			if p(4) == 0 {
				change(o.in, &out)
			}
			o.out = &out
		case p(4) == 0:
			rec.Unknown(o.id, 0)
			clients[c] = nil
		default:
			rec.OK(o.id, 0, *o.out)
			clients[c] = nil
		}
	}
	return rec.History()
}

// agreeWithForce compares a model with brute force over plain states, and checks that histories survive writing and
// reading.
func agreeWithForce[S, I, O any](t *testing.T, m *Model[S, I, O], start plain[I, O], call func(p pick) I, change func(p pick, in I, out *O)) {
	t.Helper()
	a := agreement[S, I, O]{model: m, start: start}
	legal := 0
	for seed := range uint64(1500) {
		p := splitMix(seed)
		h := overlapping(p, 4+p(7), func() I { return call(p) }, start.after, func(in I, out *O) { change(p, in, out) })
		if a.agree(t, seed, h, false) {
			legal++
		}
		if seed < 300 {
			requireRoundTrip(t, m, h)
		}
	}
	require.InDelta(t, 750, legal, 720)
}

func TestSetsAgreeWithForce(t *testing.T) {
	start := plain[SetInput, SetOutput]{after: setAfter, matches: func(in SetInput, want, got SetOutput) bool {
		return in.Op == SetAdd || (got.Untold || want.Found == got.Found || in.Op == SetRead) && slices.Equal(want.Values, got.Values)
	}}
	for _, ops := range [][]SetOp{{SetAdd, SetAdd, SetRead}, {SetAdd, SetRemove, SetHas}, {SetAdd, SetAdd, SetRemove, SetHas, SetRead}} {
		agreeWithForce(t, Set(), start, func(p pick) SetInput {
			in := SetInput{Op: ops[p(len(ops))]}
			if in.Op != SetRead {
				in.Value = fmt.Sprint(p(3))
			}
			return in
		}, func(p pick, in SetInput, out *SetOutput) {
			switch {
			case in.Op == SetRemove && p(2) == 0:
				out.Found, out.Untold = false, true
			case in.Op == SetRead && len(out.Values) > 0:
				out.Values = out.Values[1:]
			case in.Op != SetRead:
				out.Found = !out.Found
			}
		})
	}
}

func TestQueuesAgreeWithForce(t *testing.T) {
	start := plain[QueueInput, QueueOutput]{after: queueAfter, matches: func(in QueueInput, want, got QueueOutput) bool {
		return in.Op == QueueEnqueue || want == got
	}}
	agreeWithForce(t, Queue(), start, func(p pick) QueueInput {
		if p(2) == 0 {
			return QueueInput{Op: QueueDequeue}
		}
		return QueueInput{Op: QueueEnqueue, Value: fmt.Sprint(p(4))}
	}, func(p pick, in QueueInput, out *QueueOutput) {
		if in.Op == QueueDequeue {
			*out = QueueOutput{Found: true, Value: fmt.Sprint(p(4))}
		}
	})
}

// The model agrees with brute force for appends, for compare-and-sets with Unseen, and for gets with OrNone.
func TestRowsThatDoNotTellAllAgreeWithForce(t *testing.T) {
	start := plain[KVInput, KVOutput]{after: textAfter, matches: func(in KVInput, want, got KVOutput) bool {
		switch in.Op {
		case OpPut, OpAppend:
			return true
		case OpDelete:
			return want.Found == got.Found
		case OpCAS:
			return want.OK == got.OK && (got.OK || got.Unseen || want.Value == got.Value && want.Found == got.Found)
		}
		return want.Value == got.Value && (want.Found == got.Found || got.OrNone)
	}}
	for _, ops := range [][]KVOp{{OpGet, OpPut, OpCAS}, {OpGet, OpPut, OpAppend}, {OpGet, OpPut, OpAppend, OpDelete, OpCAS}} {
		agreeWithForce(t, KV(), start, func(p pick) KVInput {
			in := KVInput{Op: ops[p(len(ops))], Key: "x"}
			if in.Op != OpGet && in.Op != OpDelete {
				in.Value = fmt.Sprint(p(3))
			}
			if in.Op == OpCAS {
				in.Expect = fmt.Sprint(p(3))
			}
			return in
		}, func(p pick, in KVInput, out *KVOutput) {
			switch {
			case in.Op == OpCAS && !out.OK && p(3) > 0:
				*out = KVOutput{Unseen: true}
			case in.Op == OpGet && out.Value == "":
				*out = KVOutput{Found: true, OrNone: true}
			case in.Op == OpGet:
				out.Value, out.Found = fmt.Sprint(p(3)), true
			}
		})
	}
}

// The model of mutexes gives the answer of brute force.
func TestMutexesAgreeWithBruteForce(t *testing.T) {
	after := func(rows []string, in MutexInput) ([]string, bool) {
		switch {
		case in.Op == MutexAcquire && len(rows) == 0:
			return []string{"held"}, true
		case in.Op == MutexRelease && len(rows) == 1:
			return nil, true
		}
		return rows, false
	}
	verdicts := map[Verdict]int{}
	for seed := range uint64(2000) {
		p := splitMix(seed)
		held, n := []string(nil), 4+p(6)
		rec := NewRecorder[MutexInput, MutexOutput](n)
		var open []int
		for i := range n {
			in := MutexInput{Op: MutexOp(1 + (i+p(5)/4)%2)}
			next, ok := after(held, in)
			if open = append(open, rec.Call(int64(i), 0, in)); ok {
				held = next
			}
			for len(open) > p(3) {
				if last := open[len(open)-1]; p(8) == 0 {
					rec.Unknown(last, 0)
				} else {
					rec.OK(last, 0, MutexOutput{})
				}
				open = open[:len(open)-1]
			}
		}
		h := rec.History()
		r, err := Check(Mutex(), h, Budget{})
		require.NoError(t, err)
		want := Illegal
		if anyOrder(h.Operations(), 0, func(held bool, op *Operation[MutexInput, MutexOutput]) (bool, bool) {
			return held == (op.Input.Op == MutexRelease), op.Input.Op == MutexAcquire
		}, false) {
			want = Legal
		}
		require.Equal(t, want, r.Verdict, "seed %d", seed)
		verdicts[want]++
		requireRoundTrip(t, Mutex(), h)
	}
	require.Greater(t, verdicts[Legal], 100)
	require.Greater(t, verdicts[Illegal], 100)
}

// anyOrder tries all orders of the unplaced operations, by recursion.
func anyOrder[S, I, O any](ops []Operation[I, O], placed uint, step func(S, *Operation[I, O]) (bool, S), s S) bool {
	first, left := Never, false
	for i := range ops {
		if placed&(1<<i) == 0 && ops[i].Outcome == OutcomeOK {
			first, left = min(first, ops[i].Return), true
		}
	}
	if !left {
		return true
	}
	for i := range ops {
		if op := &ops[i]; placed&(1<<i) == 0 && op.Call < first {
			if ok, next := step(s, op); ok && anyOrder(ops, placed|1<<i, step, next) {
				return true
			}
		}
	}
	return false
}
