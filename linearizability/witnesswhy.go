package linearizability

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/linearizability/history"
)

// To explain a wrong witness, explain replays the placed operations of the culprit's partition with
// the immutable model, and asks what the model would have answered.

// maxExpected bounds the number of different results in an explanation.
const maxExpected = 6

// explain sets Expected and Text.
func (w *witness[S, I, O]) explain(v *Violation) *Violation {
	op := &w.ops[v.Op]
	switch v.Kind {
	case FailedButPlaced:
		v.Text = fmt.Sprintf("%s\nfailed, so it must never take effect, yet it has position %s", w.line(v.Op), describePosition(op.At))
	case SharedPosition:
		v.Text = fmt.Sprintf("%s\nhas the position %s of\n%s", w.line(v.Op), describePosition(op.At), w.line(v.Other))
	case RealTime:
		other := &w.ops[v.Other]
		v.Text = fmt.Sprintf("%s\nreturned before the next was called, yet it stands at position %s, after %s of\n%s",
			w.line(v.Other), describePosition(other.At), describePosition(op.At), w.line(v.Op))
	case WrongResult:
		v.Expected = w.expected(v.Op)
		v.Text = w.wrongResult(v)
	}
	return v
}

func (w *witness[S, I, O]) wrongResult(v *Violation) string {
	op := &w.ops[v.Op]
	given := "the model does not give this result at its position " + describePosition(op.At)
	switch {
	case op.At.IsZero() && w.canTakeEffect(op):
		return w.line(v.Op) + "\nwas acknowledged, yet its effect stands at no position of the order"
	case op.At.IsZero():
		given = "the model gives this result at no position between its call and its return"
	}
	if len(v.Expected) > 0 {
		given += "; it gives " + printable(strings.Join(v.Expected, " or "))
	}
	return w.line(v.Op) + "\n" + given
}

// expected collects the model's answers to the input of operation i where it could be placed.
func (w *witness[S, I, O]) expected(i int) (found []string) {
	if w.model.Result == nil {
		return nil
	}
	op := &w.ops[i]
	w.visitStates(op, func(s S) {
		text := w.model.OutputText(op.Input, w.model.Result(s, op.Input))
		if !slices.Contains(found, text) && len(found) < maxExpected {
			found = append(found, text)
		}
	})
	return found
}

// canTakeEffect reports whether the model gives the result of op, with an effect, at some place
// where op could stand.
func (w *witness[S, I, O]) canTakeEffect(op *Operation[I, O]) (could bool) {
	w.visitStates(op, func(s S) {
		ok, _ := w.model.Step(s, op.Input, op.Output)
		could = could || ok
	})
	return could
}

// visitStates replays the order so far, and calls visit with the states in which op could be
// placed.
func (w *witness[S, I, O]) visitStates(op *Operation[I, O], visit func(s S)) {
	from := w.lowest(op)
	s, name := w.model.Init(), w.model.PartitionOf(op.Input)
	for k, j := range w.order {
		if k >= from && op.At.IsZero() {
			visit(s)
		}
		s = w.apply(s, name, &w.ops[j])
	}
	visit(s)
}

// lowest returns how many operations of the order must come before op: those up to the last one
// that returned before its call.
func (w *witness[S, I, O]) lowest(op *Operation[I, O]) int {
	for k := len(w.order); k > 0; k-- {
		if w.ops[w.order[k-1]].Return < op.Call {
			return k
		}
	}
	return 0
}

func (w *witness[S, I, O]) apply(s S, name string, op *Operation[I, O]) S {
	if w.model.PartitionOf(op.Input) != name {
		return s
	}
	if op.Outcome == OutcomeUnknown && !op.WitnessOutput {
		return w.model.EffectOf(s, op.Input)
	}
	_, next := w.model.Step(s, op.Input, op.Output)
	return next
}

func (w *witness[S, I, O]) line(i int) string { return describe(w.model, w.clients, &w.ops[i]) }

func describePosition(p Position) string {
	if p.Index == 0 {
		return fmt.Sprint(p.Slot)
	}
	return fmt.Sprintf("%d.%d", p.Slot, p.Index)
}

// describe returns the line by which every report names an operation.
func describe[S, I, O any](m *Model[S, I, O], clients history.Names, op *Operation[I, O]) string {
	input, output := printable(shorten(m.InputText(op.Input))), ""
	if op.Outcome == OutcomeOK || op.WitnessOutput {
		output = printable(shorten(m.OutputText(op.Input, op.Output)))
	}
	head := fmt.Sprintf("#%d %s: %s", op.ID, clients.Of(op.Client), input)
	switch op.Outcome {
	case OutcomeOK:
		if output != "" {
			head += " -> " + output
		}
	case OutcomeFailed:
		head += " -> failed"
	case OutcomeUnknown:
		if op.WitnessOutput {
			head += " -> " + output + " in the witness"
		}
		return fmt.Sprintf("%s -> outcome unknown [called %d%s]", head, op.Call, describeTime(op.CallTime))
	}
	return fmt.Sprintf("%s [called %d%s, returned %d%s]", head, op.Call, describeTime(op.CallTime), op.Return, describeTime(op.ReturnTime))
}

// describeTime formats a true time in seconds, if one is known.
func describeTime(ns int64) string {
	if ns == 0 {
		return ""
	}
	return " at " + history.Seconds(ns)
}
