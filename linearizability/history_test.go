package linearizability

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHistoriesThatCannotHaveHappenedAreRefused(t *testing.T) {
	good := func() []kvOperation {
		return []kvOperation{
			{ID: 1, Client: 1, Call: 1, Return: 3, Outcome: OutcomeOK, Input: Put("x", "1")},
			{ID: 2, Client: 2, Call: 2, Return: 4, Outcome: OutcomeOK, Input: Get("x"), Output: value("1")},
			{ID: 3, Client: 1, Call: 5, Return: Never, Outcome: OutcomeUnknown, Input: Delete("x")},
			{ID: 4, Client: 1, Call: 6, Return: 7, Outcome: OutcomeFailed, Input: Get("x")},
		}
	}
	_, err := NewHistory(good())
	require.NoError(t, err)
	for _, c := range []struct {
		spoil func(ops []kvOperation)
		says  string
	}{
		{func(ops []kvOperation) { ops[0].Outcome = 0 }, "operation 1: no outcome"},
		{func(ops []kvOperation) { ops[0].Outcome = 9 }, "operation 1: no outcome"},
		{func(ops []kvOperation) { ops[0].Call = -1 }, "operation 1: call stamp -1 is negative"},
		{func(ops []kvOperation) { ops[0].Return = 1 }, "operation 1: return 1 is not after call 1"},
		{func(ops []kvOperation) { ops[0].Return = Never }, "operation 1: outcome ok needs a return"},
		{func(ops []kvOperation) { ops[2].Return = 9 }, "operation 3: an unknown outcome has no return, not 9"},
		{func(ops []kvOperation) { ops[1].Return = 3 }, "operations 1 and 2 share the stamp 3"},
		{func(ops []kvOperation) { ops[1].Return = 5 }, "operations 2 and 3 share the stamp 5"},
		{func(ops []kvOperation) { ops[1].Call = 1 }, "operations 1 and 2 share the stamp 1"},
		{func(ops []kvOperation) { ops[3].ID = 2 }, "two operations have the id 2"},
		{func(ops []kvOperation) { ops[1].Client = 1 }, "client 1 calls operation 2 at 2 before its operation 1 returned at 3"},
		{func(ops []kvOperation) { ops[1].At = Position{Slot: -1} }, "operation 2: position -1.0"},
		{func(ops []kvOperation) { ops[1].At = Position{Index: 1} }, "operation 2: position 0.1"},
		{func(ops []kvOperation) { ops[2].WitnessOutput = true }, "operation 3: only an operation of unknown outcome with a position"},
		{func(ops []kvOperation) { ops[0].WitnessOutput, ops[0].At = true, Position{Slot: 1} }, "operation 1: only an operation of unknown"},
	} {
		ops := good()
		c.spoil(ops)
		_, err := NewHistory(ops)
		require.ErrorIs(t, err, ErrMalformed)
		require.ErrorContains(t, err, c.says)
	}
}

func TestAConcurrentClientMayOverlapItself(t *testing.T) {
	ops := []kvOperation{done(1, 1, 3, Put("x", "1"), nothing), done(1, 2, 4, Get("x"), value("1"))}
	_, err := NewHistory(append([]kvOperation(nil), ops...))
	require.ErrorIs(t, err, ErrMalformed)
	ops[0].ID, ops[1].Concurrent = 1, true
	_, err = NewHistory(ops)
	require.NoError(t, err)
}

func TestARecorderMakesTheHistoryItWasTold(t *testing.T) {
	r := NewRecorder[KVInput, KVOutput](8)
	r.Concurrent(3)
	a := r.Call(1, 10, Put("x", "1"))
	b := r.Call(2, 20, Get("x"))
	r.OK(b, 30, value("1"))
	r.Unknown(a, 40)
	c := r.Call(1, 50, Delete("x"))
	r.Failed(c, 60)
	d, e := r.Call(3, 70, Get("x")), r.Call(3, 80, Get("x"))
	r.OK(e, 90, value("1"))
	r.At(a, Position{Slot: 5})
	r.WitnessOutput(a, success)
	r.At(e, Position{Slot: 6})
	r.WitnessOutput(e, nothing) // its client got the answer, which counts
	require.Equal(t, 5, r.Len())
	h := r.History()
	want := []kvOperation{
		{ID: 0, Client: 1, Call: 1, Return: Never, CallTime: 10, ReturnTime: 40, At: Position{Slot: 5}, Outcome: OutcomeUnknown, Input: Put("x", "1"), WitnessOutput: true, Output: success},
		{ID: 1, Client: 2, Call: 2, Return: 3, CallTime: 20, ReturnTime: 30, Outcome: OutcomeOK, Input: Get("x"), Output: value("1")},
		{ID: 2, Client: 1, Call: 4, Return: 5, CallTime: 50, ReturnTime: 60, Outcome: OutcomeFailed, Input: Delete("x")},
		{ID: 3, Client: 3, Call: 6, Return: Never, CallTime: 70, Outcome: OutcomeUnknown, Concurrent: true, Input: Get("x")},
		{ID: 4, Client: 3, Call: 7, Return: 8, CallTime: 80, ReturnTime: 90, At: Position{Slot: 6}, Outcome: OutcomeOK, Concurrent: true, Input: Get("x"), Output: value("1")},
	}
	require.Equal(t, want, h.Operations())
	checked, err := NewHistory(append([]kvOperation(nil), h.Operations()...))
	require.NoError(t, err)
	require.Equal(t, checked, h, "recorder and NewHistory disagree")
	require.Equal(t, 3, d)
}

func TestARecorderRefusesWrongBooks(t *testing.T) {
	for name, wrong := range map[string]func(r *Recorder[KVInput, KVOutput]){
		"client 1 calls while operation 0 is outstanding": func(r *Recorder[KVInput, KVOutput]) { r.Call(1, 0, Get("y")) },
		"operation 0 ends twice: failed, then ok": func(r *Recorder[KVInput, KVOutput]) {
			r.Failed(0, 0)
			r.OK(0, 0, nothing)
		},
		"no operation 7": func(r *Recorder[KVInput, KVOutput]) { r.Unknown(7, 0) },
		"operation 0 is placed twice": func(r *Recorder[KVInput, KVOutput]) {
			r.At(0, Position{Slot: 1})
			r.At(0, Position{Slot: 2})
		},
		"operation 0: position 0.0": func(r *Recorder[KVInput, KVOutput]) { r.At(0, Position{}) },
		"operation 0 is told twice": func(r *Recorder[KVInput, KVOutput]) {
			r.WitnessOutput(0, nothing)
			r.WitnessOutput(0, nothing)
		},
		"operation 0 is told and has no position": func(r *Recorder[KVInput, KVOutput]) {
			r.WitnessOutput(0, nothing)
			r.History()
		},
		"call after the end of the history": func(r *Recorder[KVInput, KVOutput]) {
			r.History()
			r.Call(2, 0, Get("y"))
		},
	} {
		r := NewRecorder[KVInput, KVOutput](1)
		r.Call(1, 0, Get("x"))
		require.PanicsWithValue(t, "linearizability: recorder: "+name, func() { wrong(r) })
	}
}
