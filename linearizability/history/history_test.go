package history

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type operation = Operation[string, string]

func TestHistoriesThatCannotHaveHappenedAreRefused(t *testing.T) {
	good := func() []operation {
		return []operation{
			{ID: 1, Client: 1, Call: 1, Return: 3, Outcome: OutcomeOK, Input: "put x"},
			{ID: 2, Client: 2, Call: 2, Return: 4, Outcome: OutcomeOK, Input: "get x", Output: "1"},
			{ID: 3, Client: 1, Call: 5, Return: Never, Outcome: OutcomeUnknown, Input: "delete x"},
			{ID: 4, Client: 1, Call: 6, Return: 7, Outcome: OutcomeFailed, Input: "get x"},
		}
	}
	_, err := New(good())
	require.NoError(t, err)
	for _, c := range []struct {
		spoil func(ops []operation)
		says  string
	}{
		{func(ops []operation) { ops[0].Outcome = 0 }, "operation 1: no outcome"},
		{func(ops []operation) { ops[0].Outcome = 9 }, "operation 1: no outcome"},
		{func(ops []operation) { ops[0].Call = -1 }, "operation 1: call stamp -1 is negative"},
		{func(ops []operation) { ops[0].Return = 1 }, "operation 1: return 1 is not after call 1"},
		{func(ops []operation) { ops[0].Return = Never }, "operation 1: outcome ok needs a return"},
		{func(ops []operation) { ops[2].Return = 9 }, "operation 3: an unknown outcome has no return, not 9"},
		{func(ops []operation) { ops[1].Return = 3 }, "operations 1 and 2 share the stamp 3"},
		{func(ops []operation) { ops[1].Return = 5 }, "operations 2 and 3 share the stamp 5"},
		{func(ops []operation) { ops[1].Call = 1 }, "operations 1 and 2 share the stamp 1"},
		{func(ops []operation) { ops[3].ID = 2 }, "two operations have the id 2"},
		{func(ops []operation) { ops[1].Client = 1 }, "client 1 calls operation 2 at 2 before its operation 1 returned at 3"},
		{func(ops []operation) { ops[1].At = Position{Slot: -1} }, "operation 2: position -1.0"},
		{func(ops []operation) { ops[1].At = Position{Index: 1} }, "operation 2: position 0.1"},
		{func(ops []operation) { ops[2].WitnessOutput = true }, "operation 3: only an operation of unknown outcome with a position"},
		{func(ops []operation) { ops[0].WitnessOutput, ops[0].At = true, Position{Slot: 1} }, "operation 1: only an operation of unknown"},
	} {
		ops := good()
		c.spoil(ops)
		_, err := New(ops)
		require.ErrorIs(t, err, ErrMalformed)
		require.ErrorContains(t, err, c.says)
	}
}

func TestAConcurrentClientMayOverlapItself(t *testing.T) {
	ops := []operation{
		{Client: 1, Call: 1, Return: 3, Outcome: OutcomeOK, Input: "put x"},
		{Client: 1, Call: 2, Return: 4, Outcome: OutcomeOK, Input: "get x", Output: "1"},
	}
	_, err := New(append([]operation(nil), ops...))
	require.ErrorIs(t, err, ErrMalformed)
	ops[0].ID, ops[1].Concurrent = 1, true
	_, err = New(ops)
	require.NoError(t, err)
}

func TestARecorderMakesTheHistoryItWasTold(t *testing.T) {
	r := NewRecorder[string, string](8)
	r.Concurrent(3)
	a := r.Call(1, 10, "put x")
	b := r.Call(2, 20, "get x")
	r.OK(b, 30, "1")
	r.Unknown(a, 40)
	c := r.Call(1, 50, "delete x")
	r.Failed(c, 60)
	d, e := r.Call(3, 70, "get x"), r.Call(3, 80, "get x")
	r.OK(e, 90, "1")
	r.At(a, Position{Slot: 5})
	r.WitnessOutput(a, "done")
	r.At(e, Position{Slot: 6})
	r.WitnessOutput(e, "") // has no effect: the client received an answer
	require.Equal(t, 5, r.Len())
	h := r.History()
	want := []operation{
		{ID: 0, Client: 1, Call: 1, Return: Never, CallTime: 10, ReturnTime: 40, At: Position{Slot: 5}, Outcome: OutcomeUnknown, Input: "put x", WitnessOutput: true, Output: "done"},
		{ID: 1, Client: 2, Call: 2, Return: 3, CallTime: 20, ReturnTime: 30, Outcome: OutcomeOK, Input: "get x", Output: "1"},
		{ID: 2, Client: 1, Call: 4, Return: 5, CallTime: 50, ReturnTime: 60, Outcome: OutcomeFailed, Input: "delete x"},
		{ID: 3, Client: 3, Call: 6, Return: Never, CallTime: 70, Outcome: OutcomeUnknown, Concurrent: true, Input: "get x"},
		{ID: 4, Client: 3, Call: 7, Return: 8, CallTime: 80, ReturnTime: 90, At: Position{Slot: 6}, Outcome: OutcomeOK, Concurrent: true, Input: "get x", Output: "1"},
	}
	require.Equal(t, want, h.Operations())
	checked, err := New(append([]operation(nil), h.Operations()...))
	require.NoError(t, err)
	require.Equal(t, checked, h, "recorder and New disagree")
	require.Equal(t, 3, d)
}

func TestARecorderRefusesWrongBooks(t *testing.T) {
	for name, wrong := range map[string]func(r *Recorder[string, string]){
		"client 1 calls while operation 0 is outstanding": func(r *Recorder[string, string]) { r.Call(1, 0, "get y") },
		"operation 0 ends twice: failed, then ok": func(r *Recorder[string, string]) {
			r.Failed(0, 0)
			r.OK(0, 0, "")
		},
		"no operation 7": func(r *Recorder[string, string]) { r.Unknown(7, 0) },
		"operation 0 is placed twice": func(r *Recorder[string, string]) {
			r.At(0, Position{Slot: 1})
			r.At(0, Position{Slot: 2})
		},
		"operation 0: position 0.0": func(r *Recorder[string, string]) { r.At(0, Position{}) },
		"operation 0 is told twice": func(r *Recorder[string, string]) {
			r.WitnessOutput(0, "")
			r.WitnessOutput(0, "")
		},
		"operation 0 is told and has no position": func(r *Recorder[string, string]) {
			r.WitnessOutput(0, "")
			r.History()
		},
		"call after the end of the history": func(r *Recorder[string, string]) {
			r.History()
			r.Call(2, 0, "get y")
		},
	} {
		r := NewRecorder[string, string](1)
		r.Call(1, 0, "get x")
		require.PanicsWithValue(t, "linearizability: recorder: "+name, func() { wrong(r) })
	}
}
