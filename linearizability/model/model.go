package model

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/chubbycell/chubby/linearizability/history"
)

// Model is a sequential specification: what a process that executes one operation after the
// other would answer. S is a state, I an input, O an output. Init, Step and Effect are
// required; the rest has defaults. All functions are pure and change none of their arguments.
// The zero S need not be a valid state.
//
// For a model whose answer follows from state and input, use Deterministic.
type Model[S, I, O any] struct {
	// Name is the model's name in reports, on the command line and in history files.
	Name string
	// Init is the state before the first operation (of one partition).
	Init func() S
	// Step reports whether in can give out in state s, and the state after it.
	Step func(s S, in I, out O) (ok bool, next S)
	// Effect is Step for an operation whose output is unknown. ok is false if the operation
	// cannot take effect (for example, an Acquire while the lock is held).
	Effect func(s S, in I) (ok bool, next S)

	// Result is what the model answers in state s. Only explanations use it. Nil: explanations
	// do not list possible results.
	Result func(s S, in I) O
	// ReadOnly reports whether in never changes the state, whatever its output is. Nil: no operation is read-only.
	ReadOnly func(in I) bool
	// Partition names the part of the state that in touches: two inputs with
	// different names commute and share nothing. Nil: one partition.
	Partition func(in I) string
	// Narrow names a part within the partition, or reports that the operation spans all of it.
	// If no operation of a partition spans it, the parts are checked separately. out is the
	// zero O if the output is unknown. Nil: no parts.
	Narrow func(in I, out O) (part string, ok bool)
	// Settle may narrow what operations of unknown outcome can have done. Nil: nothing is narrowed.
	Settle Settle[I, O]
	// Refute may find an operation that no order explains, in about linear time. Nil: only the search decides.
	Refute Refute[I, O]
	// Propose may find a legal order in about linear time. Nil: only the search finds one.
	Propose Propose[I, O]
	// Equal reports whether two states are the same. Nil: reflect.DeepEqual.
	Equal func(a, b S) bool
	// Hash is equal for equal states. Nil: no hash, which is only slower.
	Hash func(s S) uint64
	// Size is the approximate number of bytes that a state holds and does not share with others; it counts against the
	// budget. Nil: 64.
	Size func(s S) int
	// Validate returns an error for an input that no partition can contain. Nil: all inputs are
	// valid.
	Validate func(in I) error
	// Replayer makes the fast version of the model for the witness check. Nil: the model itself
	// is replayed.
	Replayer func() Replayer[I, O]

	// The functions below describe inputs, outputs and states in explanations and pages. Nil: fmt's %v.
	DescribeInput  func(in I) string
	DescribeOutput func(in I, out O) string
	DescribeState  func(s S) string

	// Codec reads and writes inputs and outputs in history files. Its nil
	// functions stand for encoding/json.
	Codec Codec[I, O]

	// step is the common implementation of Step and Effect, if there is one. A search calls it
	// without copying operations.
	step stepper[S, I, O]
}

// NoEffect is the entry in Settle for an operation that can be left out.
const NoEffect = int64(-1)

// Settle narrows what the operations of unknown outcome in one partition can have done. That keeps the search short.
// ops are in order of call; until[i] is the return of ops[i]. For an operation of unknown outcome Settle may lower
// until[i] from Never in two ways: to a stamp after the call, if in every legal order the operation has taken effect by
// then; or to NoEffect, if there is a legal order without the operation whenever there is one with it. It must not
// change other entries.
type Settle[I, O any] func(ops []*history.Operation[I, O], until []int64)

// Refute finds an operation that no order explains, whatever the others do, such as a read of a value that no operation
// wrote. ops are the relevant operations, in order of call. at is the index in ops of such an operation, the one that
// returned first if there are several; -1: none was found. why is the reason, as a sentence. Refute must find none in a
// linearizable history, and may find none in others.
type Refute[I, O any] func(ops []*history.Operation[I, O]) (at int, why string)

// Propose returns an order of operations, by index, that may be legal; nil: it has none. ops are in order of call, and
// until[i] is the return of ops[i], as Settle has narrowed it. The order has every operation whose until is not Never.
// A wrong order does no harm: each is verified, and if it is not legal, the search decides.
type Propose[I, O any] func(ops []*history.Operation[I, O], until []int64) []int

// Replayer is the mutable version of a model: one state, changed in place. It starts in the
// state that Init of the model returns.
type Replayer[I, O any] interface {
	// Step is Model.Step on the present state. After it returned false, the Replayer must not be used any more.
	Step(in *I, out *O) bool
	// Effect is Model.Effect on the present state; on false nothing changed.
	Effect(in *I) bool
	// Peek reports whether in gives out now without changing the state. Numbers that were unknown in the state may become
	// known from out.
	Peek(in *I, out *O) bool
}

// Deterministic makes a model from a function that computes the answer: apply returns the next state and the output.
// same compares the output of the model with the observed one; nil: reflect.DeepEqual. The caller may set further
// fields of the result.
func Deterministic[S, I, O any](init func() S, apply func(s S, in I) (S, O), same func(in I, want, got O) bool) Model[S, I, O] {
	if same == nil {
		same = func(_ I, want, got O) bool { return reflect.DeepEqual(want, got) }
	}
	return Model[S, I, O]{
		Init: init,
		Step: func(s S, in I, out O) (bool, S) {
			next, want := apply(s, in)
			return same(in, want, out), next
		},
		Effect: func(s S, in I) (bool, S) {
			next, _ := apply(s, in)
			return true, next
		},
		Result: func(s S, in I) O {
			_, out := apply(s, in)
			return out
		},
	}
}

// ErrIncomplete is wrapped by the error about a model that lacks a function which has no default.
var ErrIncomplete = errors.New("the model is not complete")

// Check returns an error that wraps ErrIncomplete, and names the missing functions, if Init, Step or Effect is missing.
func (m *Model[S, I, O]) Check() error {
	var missing []string
	for _, f := range []struct {
		name string
		is   bool
	}{{"Init", m.Init != nil}, {"Step", m.Step != nil}, {"Effect", m.Effect != nil}} {
		if !f.is {
			missing = append(missing, f.name)
		}
	}
	if missing == nil {
		return nil
	}
	return fmt.Errorf("linearizability: model %s: %w: it has no %s", m.Title(), ErrIncomplete, strings.Join(missing, ", no "))
}

// The methods below call the functions of the model, or their defaults.

// Title returns Name, or words that say that the model has none.
func (m *Model[S, I, O]) Title() string { return cmp.Or(m.Name, "without a name") }

// IsSame calls Equal.
func (m *Model[S, I, O]) IsSame(a, b S) bool {
	if m.Equal == nil {
		return reflect.DeepEqual(a, b)
	}
	return m.Equal(a, b)
}

// SizeOf calls Size.
func (m *Model[S, I, O]) SizeOf(s S) int {
	if m.Size == nil {
		return 64
	}
	return m.Size(s)
}

// IsReadOnly calls ReadOnly.
func (m *Model[S, I, O]) IsReadOnly(in I) bool { return m.ReadOnly != nil && m.ReadOnly(in) }

// IsRelevant reports whether an operation can make a history illegal or explain another one:
// not if it failed, and not if it is a read of unknown output.
func (m *Model[S, I, O]) IsRelevant(op *history.Operation[I, O]) bool {
	return op.Outcome != history.OutcomeFailed && !(op.Outcome == history.OutcomeUnknown && m.IsReadOnly(op.Input))
}

// PartitionOf calls Partition.
func (m *Model[S, I, O]) PartitionOf(in I) string {
	if m.Partition == nil {
		return ""
	}
	return m.Partition(in)
}

// InputText calls DescribeInput.
func (m *Model[S, I, O]) InputText(in I) string {
	if m.DescribeInput == nil {
		return fmt.Sprintf("%v", in)
	}
	return m.DescribeInput(in)
}

// OutputText calls DescribeOutput.
func (m *Model[S, I, O]) OutputText(in I, out O) string {
	if m.DescribeOutput == nil {
		return fmt.Sprintf("%v", out)
	}
	return m.DescribeOutput(in, out)
}

// StateText calls DescribeState.
func (m *Model[S, I, O]) StateText(s S) string {
	if m.DescribeState == nil {
		return fmt.Sprintf("%v", s)
	}
	return m.DescribeState(s)
}

// After returns the state after an operation, for a search. ok is false if the operation cannot give its output in
// state s. An operation of unknown outcome is always possible (see EffectOf).
func (m *Model[S, I, O]) After(s S, op *history.Operation[I, O]) (ok bool, next S) {
	unknown := op.Outcome == history.OutcomeUnknown
	switch {
	case m.step == nil && unknown:
		return true, m.EffectOf(s, op.Input)
	case m.step == nil:
		return m.Step(s, op.Input, op.Output)
	case unknown:
		if next, did := m.step(s, &op.Input, nil); did != notPossible {
			return true, next
		}
		return true, s
	}
	next, did := m.step(s, &op.Input, &op.Output)
	return did != notPossible, next
}

// EffectOf returns the state after an operation of unknown outcome, for a search. If the operation cannot take effect,
// that is s. No order is lost: an operation of unknown outcome may also take no effect.
func (m *Model[S, I, O]) EffectOf(s S, in I) S {
	if ok, next := m.Effect(s, in); ok {
		return next
	}
	return s
}

// NewReplayer calls Replayer.
func (m *Model[S, I, O]) NewReplayer() Replayer[I, O] {
	if m.Replayer != nil {
		return m.Replayer()
	}
	return newPlainReplayer(m)
}

// plainReplayer replays the model itself, one state per partition.
type plainReplayer[S, I, O any] struct {
	model  *Model[S, I, O]
	states map[string]S
}

func newPlainReplayer[S, I, O any](m *Model[S, I, O]) *plainReplayer[S, I, O] {
	return &plainReplayer[S, I, O]{model: m, states: make(map[string]S)}
}

func (r *plainReplayer[S, I, O]) state(in I) (string, S) {
	name := r.model.PartitionOf(in)
	s, ok := r.states[name]
	if !ok {
		s = r.model.Init()
	}
	return name, s
}

func (r *plainReplayer[S, I, O]) Step(in *I, out *O) bool {
	name, s := r.state(*in)
	ok, next := r.model.Step(s, *in, *out)
	if ok {
		r.states[name] = next
	}
	return ok
}

func (r *plainReplayer[S, I, O]) Effect(in *I) bool {
	name, s := r.state(*in)
	ok, next := r.model.Effect(s, *in)
	if ok {
		r.states[name] = next
	}
	return ok
}

func (r *plainReplayer[S, I, O]) Peek(in *I, out *O) bool {
	_, s := r.state(*in)
	ok, next := r.model.Step(s, *in, *out)
	return ok && r.model.IsSame(s, next)
}
