package linearizability

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type kvOperation = Operation[KVInput, KVOutput]

func done[I, O any](client, call, ret int64, in I, out O) Operation[I, O] {
	return Operation[I, O]{Client: client, Call: call, Return: ret, Outcome: OutcomeOK, Input: in, Output: out}
}

func failed(client, call, ret int64, in KVInput) kvOperation {
	return kvOperation{Client: client, Call: call, Return: ret, Outcome: OutcomeFailed, Input: in}
}

func unknown(client, call int64, in KVInput) kvOperation {
	return kvOperation{Client: client, Call: call, Return: Never, Outcome: OutcomeUnknown, Input: in}
}

func value(v string) KVOutput { return KVOutput{Found: true, Value: v} }

func rows(keysAndValues ...string) KVOutput {
	var out KVOutput
	for i := 0; i < len(keysAndValues); i += 2 {
		out.Pairs = append(out.Pairs, KVPair{Key: keysAndValues[i], Value: keysAndValues[i+1]})
	}
	return out
}

var (
	nothing  = KVOutput{}
	success  = KVOutput{OK: true}
	wasFound = KVOutput{Found: true}
)

// badHistory is a history that no correct system can produce, and the change of one operation
// that makes it legal.
type badHistory[I, O any] struct {
	name string
	ops  []Operation[I, O]
	fix  func(ops []Operation[I, O])
}

func badHistories() []badHistory[KVInput, KVOutput] {
	const x, y = "g/x", "g/y"
	return []badHistory[KVInput, KVOutput]{
		{"stale read",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), done(1, 3, 5, Put(x, "2"), nothing), done(2, 6, 7, Get(x), value("1"))},
			func(ops []kvOperation) { ops[2].Call = 4 }},
		{"lost update",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), done(2, 3, 4, Get(x), nothing)},
			func(ops []kvOperation) { ops[1].Output = value("1") }},
		{"read of a value never written",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), done(2, 3, 4, Get(x), value("7"))},
			func(ops []kvOperation) { ops[0].Input.Value = "7" }},
		{"retry takes effect twice",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), done(2, 3, 4, Put(x, "2"), nothing), done(3, 5, 6, Get(x), value("2")), done(3, 7, 8, Get(x), value("1"))},
			func(ops []kvOperation) { ops[0].Return = 9 }},
		{"effect before the call",
			[]kvOperation{done(1, 1, 3, Get(x), value("1")), done(2, 4, 5, Put(x, "1"), nothing)},
			func(ops []kvOperation) { ops[1].Call = 2 }},
		{"new value seen, then the old one",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), done(1, 3, 9, Put(x, "2"), nothing), done(2, 4, 5, Get(x), value("2")), done(3, 6, 7, Get(x), value("1"))},
			func(ops []kvOperation) { ops[2].Return = 8 }},
		{"unknown write visible, then gone",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), unknown(1, 3, Put(x, "2")), done(2, 4, 5, Get(x), value("2")), done(2, 6, 7, Get(x), value("1"))},
			func(ops []kvOperation) { ops[2].Output = value("1") }},
		{"unknown write takes effect twice",
			[]kvOperation{unknown(1, 1, Put(x, "1")), done(2, 2, 3, Get(x), value("1")), done(2, 4, 5, Put(x, "2"), nothing), done(2, 6, 7, Get(x), value("1"))},
			func(ops []kvOperation) { ops[1].Output = nothing }},
		{"unknown delete takes effect, then not",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), unknown(1, 3, Delete(x)), done(2, 4, 5, Get(x), nothing), done(2, 6, 7, Get(x), value("1"))},
			func(ops []kvOperation) { ops[2].Output = value("1") }},
		{"unknown cas cannot have succeeded",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), unknown(1, 3, CompareAndSet(x, "5", "9")), done(2, 4, 5, Get(x), value("9"))},
			func(ops []kvOperation) { ops[1].Input.Expect = "1" }},
		{"failed write visible",
			[]kvOperation{failed(1, 1, 2, Put(x, "1")), done(2, 3, 4, Get(x), value("1"))},
			func(ops []kvOperation) { ops[0].Outcome = OutcomeOK }},
		{"list misses an acknowledged put",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), done(1, 3, 4, Put(y, "2"), nothing), done(2, 5, 6, List("g/"), rows(y, "2"))},
			func(ops []kvOperation) { ops[2].Output = rows(x, "1", y, "2") }},
		{"list out of order",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), done(1, 3, 4, Put(y, "2"), nothing), done(2, 5, 6, List("g/"), rows(y, "2", x, "1"))},
			func(ops []kvOperation) { ops[2].Output = rows(x, "1", y, "2") }},
		{"list shows a deleted key",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), done(1, 3, 4, Delete(x), wasFound), done(2, 5, 6, List("g/"), rows(x, "1"))},
			func(ops []kvOperation) { ops[1].Return = 7 }},
		{"two lists disagree on the order of two puts",
			[]kvOperation{done(1, 1, 9, Put(x, "1"), nothing), done(2, 2, 10, Put(y, "2"), nothing), done(3, 3, 4, List("g/"), rows(x, "1")), done(3, 5, 6, List("g/"), rows(y, "2"))},
			func(ops []kvOperation) { ops[3].Output = rows(x, "1", y, "2") }},
		{"cas succeeds on the wrong value",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), done(2, 3, 4, CompareAndSet(x, "2", "3"), success)},
			func(ops []kvOperation) { ops[1].Input.Expect = "1" }},
		{"cas succeeds twice on one value",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), done(2, 3, 5, CompareAndSet(x, "1", "2"), success), done(3, 4, 6, CompareAndSet(x, "1", "3"), success)},
			func(ops []kvOperation) { ops[2].Output = value("2") }},
		{"cas refused on the right value",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), done(2, 3, 4, CompareAndSet(x, "1", "2"), value("1"))},
			func(ops []kvOperation) { ops[1].Output = success }},
		{"conflict with a value that was not there",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), done(2, 3, 4, CompareAndSet(x, "5", "2"), value("4"))},
			func(ops []kvOperation) { ops[1].Output = value("1") }},
		{"put-if-absent wins twice",
			[]kvOperation{done(1, 1, 3, PutIfAbsent(x, "1"), success), done(2, 2, 4, PutIfAbsent(x, "2"), success)},
			func(ops []kvOperation) { ops[1].Output = value("1") }},
		{"one key deleted twice",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), done(1, 3, 5, Delete(x), wasFound), done(2, 4, 6, Delete(x), wasFound)},
			func(ops []kvOperation) { ops[2].Output = nothing }},
		{"delete misses an acknowledged put",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing), done(2, 3, 4, Delete(x), nothing)},
			func(ops []kvOperation) { ops[0].Return = 5 }},
	}
}

func historyOf[I, O any](t require.TestingT, ops []Operation[I, O]) *History[I, O] {
	ops = append([]Operation[I, O](nil), ops...)
	for i := range ops {
		ops[i].ID = int64(i + 1)
	}
	h, err := NewHistory(ops)
	require.NoError(t, err)
	return h
}

func TestBadHistoriesAreRejectedByBothChecks(t *testing.T) {
	requireRejected(t, KV(), toyStore{}, badHistories())
}

// requireRejected requires that both checks reject each history, for any proposed order, and that its fix makes it legal.
func requireRejected[S, I, O any](t *testing.T, m *Model[S, I, O], start bruteState[I, O], bads []badHistory[I, O]) {
	for _, bad := range bads {
		t.Run(bad.name, func(t *testing.T) {
			h := historyOf(t, bad.ops)
			_, legal := bruteForce(h, start)
			require.False(t, legal)
			r, err := Check(m, h, enough)
			require.NoError(t, err)
			require.Equal(t, Illegal, r.Verdict)
			require.Zero(t, acceptedWitnesses(t, m, h), "a witness was accepted")

			bad.fix(bad.ops)
			h = historyOf(t, bad.ops)
			r, err = Check(m, h, enough)
			require.NoError(t, err)
			require.Equal(t, Legal, r.Verdict, "the fixed history")
			require.NotZero(t, acceptedWitnesses(t, m, h), "no witness for the fixed history")
		})
	}
}

// acceptedWitnesses tries every order of every subset of the operations as a witness, and counts the ones that the
// witness check accepts.
func acceptedWitnesses[S, I, O any](t require.TestingT, m *Model[S, I, O], h *History[I, O]) (accepted int) {
	n := h.Len()
	var try func(order []int, used int)
	try = func(order []int, used int) {
		w := CheckWitness(m, placeAll(h, order))
		if w.Verdict == Legal {
			accepted++
		} else {
			require.NotNil(t, w.Violation)
			require.NotEmpty(t, w.Violation.Text)
		}
		for i := range n {
			if used&(1<<i) == 0 {
				try(append(order[:len(order):len(order)], i), used|1<<i)
			}
		}
	}
	try(nil, 0)
	return accepted
}

func TestViolationsSayWhatIsWrong(t *testing.T) {
	const x = "g/x"
	at := func(slot int64, op kvOperation) kvOperation {
		op.At = Position{Slot: slot}
		return op
	}
	for _, c := range []struct {
		name     string
		ops      []kvOperation
		kind     ViolationKind
		op       int
		other    int
		expected []string
		says     string
	}{
		{"order against real time",
			[]kvOperation{at(9, done(1, 1, 2, Put(x, "1"), nothing)), at(4, done(2, 3, 4, Put(x, "2"), nothing))},
			RealTime, 1, 0, nil, "stands at position 9, after 4 of\n#2"},
		{"logged read",
			[]kvOperation{at(1, done(1, 1, 2, Put(x, "1"), nothing)), at(2, done(2, 3, 4, Get(x), value("2")))},
			WrongResult, 1, -1, []string{`"1"`}, `not give this result at its position 2; it gives "1"`},
		{"local read",
			[]kvOperation{at(1, done(1, 1, 6, Put(x, "1"), nothing)), at(5, done(2, 2, 3, Put(x, "2"), nothing)), done(3, 4, 5, Get(x), nothing), at(7, done(2, 7, 8, Put(x, "3"), nothing))},
			WrongResult, 2, 3, []string{`"2"`}, `between its call and its return; it gives "2"`},
		{"acknowledged but nowhere",
			[]kvOperation{done(1, 1, 2, Put(x, "1"), nothing)},
			WrongResult, 0, -1, []string{"ok"}, "its effect stands at no position"},
		{"two at one position",
			[]kvOperation{at(3, done(1, 1, 3, Put(x, "1"), nothing)), at(3, done(2, 2, 4, Put(x, "2"), nothing))},
			SharedPosition, 1, 0, nil, "has the position 3 of\n#1"},
		{"failed but there",
			[]kvOperation{at(3, failed(1, 1, 3, Put(x, "1")))},
			FailedButPlaced, 0, -1, nil, "must never take effect"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := CheckWitness(KV(), historyOf(t, c.ops))
			require.Equal(t, Illegal, w.Verdict)
			require.Equal(t, c.kind, w.Violation.Kind)
			require.Equal(t, c.op, w.Violation.Op)
			require.Equal(t, c.other, w.Violation.Other)
			require.Equal(t, c.expected, w.Violation.Expected)
			require.Contains(t, w.Violation.Text, c.says)
		})
	}
}
