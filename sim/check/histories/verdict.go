package histories

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
)

// Verdict is the result of checking histories, apart from what broke.
type Verdict struct {
	// WitnessOnly, set before the judgement, leaves the search out: the witness check alone decides,
	// in a small part of the time.
	WitnessOnly bool

	Undecided bool // some history is undecided
	Partition int  // partitions that the search was given
	Decided   int  // those that the search decided
	Steps     int64
	Unknown   int // calls whose outcome is unknown to their client
}

// decide has the witness check, and independently the search, decide about a history (S4).
func decide[S, I, O any](w *sim.World, v *Verdict, model *linearizability.Model[S, I, O], h *linearizability.History[I, O], steps int64) {
	found := linearizability.CheckWitness(model, h)
	v.Undecided = v.Undecided || found.Verdict == linearizability.Undecided
	if found.Verdict == linearizability.Illegal && w.Failure() == nil {
		w.Break("S4", "%s%s%s", found.Violation.Text, around(model, h, &found), after(model, h, &found))
	}
	if !v.WitnessOnly {
		crossCheck(w, v, model, h, steps)
	}
}

// mostAround is how many calls before a wrong one are reported with it.
const mostAround = 2

// around returns, a line each, the last calls before a wrong one in the witness that may have
// changed what it is about: when each began and ended, its answer, and its place in the log. Calls about the
// same path, or one below it, come before others.
func around[S, I, O any](m *linearizability.Model[S, I, O], h *linearizability.History[I, O], r *linearizability.WitnessResult) string {
	v, ops := r.Violation, h.Operations()
	wrong := &ops[v.Op]
	about, concerns := m.PartitionOf(wrong.Input), concerning(m, wrong)
	var same, others []string
	for _, i := range slices.Backward(r.Order) {
		op := &ops[i]
		if len(same) == mostAround {
			break
		}
		if int(i) == v.Op || int(i) == v.Other || m.IsReadOnly(op.Input) || m.PartitionOf(op.Input) != about || op.Call > wrong.Return {
			continue
		}
		line := "\nbefore it: " + text(m, op)
		if concerns(op) {
			same = append(same, line)
		} else if len(others) < mostAround {
			others = append(others, line)
		}
	}
	if len(same) == 0 {
		same = others
	}
	slices.Reverse(same)
	return strings.Join(same, "")
}

// concerning returns a function that reports whether a call is about the path or key of another one, or about a path below it. It
// is true of all calls if the other one names none.
func concerning[S, I, O any](m *linearizability.Model[S, I, O], other *linearizability.Operation[I, O]) func(*linearizability.Operation[I, O]) bool {
	path := pathIn(m.InputText(other.Input))
	return func(op *linearizability.Operation[I, O]) bool {
		at := pathIn(m.InputText(op.Input))
		return path == "" || at == path || strings.HasPrefix(at, strings.TrimSuffix(path, "/")+"/")
	}
}

// mostAfter is how many calls after a wrong one are reported with it.
const mostAfter = 2

// after returns, a line each, the first answered calls that began when a wrong one had ended and are about the same, up
// to one that reads: their answers show whether the wrong call took effect, or only its answer is wrong.
func after[S, I, O any](m *linearizability.Model[S, I, O], h *linearizability.History[I, O], r *linearizability.WitnessResult) string {
	ops := h.Operations()
	wrong := &ops[r.Violation.Op]
	about, concerns := m.PartitionOf(wrong.Input), concerning(m, wrong)
	var lines strings.Builder
	for i, told := r.Violation.Op+1, 0; i < len(ops) && told < mostAfter; i++ {
		op := &ops[i]
		if op.Call < wrong.Return || op.Outcome != linearizability.OutcomeOK || m.PartitionOf(op.Input) != about || !concerns(op) {
			continue
		}
		told++
		lines.WriteString("\nafter it: " + text(m, op))
		if m.IsReadOnly(op.Input) {
			break
		}
	}
	return lines.String()
}

// pathIn returns the first path, or key with a "/", in the text of a call, without the instance; "" if there is none. Values are in quotes.
func pathIn(text string) string {
	for _, w := range strings.Fields(text) {
		if path, _, _ := strings.Cut(w, "#"); strings.Contains(path, "/") && path[0] != '"' {
			return path
		}
	}
	return ""
}

// text describes one call: its client, what it asks for and was told, when, and its place in
// the log.
func text[S, I, O any](m *linearizability.Model[S, I, O], op *linearizability.Operation[I, O]) string {
	told := "outcome unknown"
	if op.Outcome == linearizability.OutcomeOK {
		told = m.OutputText(op.Input, op.Output)
	}
	whose := fmt.Sprintf("client %d", op.Client)
	if op.Client == system {
		whose = "the log itself"
	}
	line := fmt.Sprintf("%s: %s -> %s, %s", whose, clip(m.InputText(op.Input)), clip(told), span(op))
	if !op.At.IsZero() {
		line += fmt.Sprintf(", in slot %d", op.At.Slot)
	}
	return line
}

// span describes from when to when a call was under way, in true time.
func span[I, O any](op *linearizability.Operation[I, O]) string {
	from := fmt.Sprintf("from %.6f s", time.Duration(op.CallTime).Seconds())
	if op.Return == linearizability.Never {
		return from + " on"
	}
	return fmt.Sprintf("%s to %.6f s", from, time.Duration(op.ReturnTime).Seconds())
}

// clip shortens a text so that it fits a line.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// crossCheck has Porcupine decide, within its budget.
func crossCheck[S, I, O any](w *sim.World, v *Verdict, model *linearizability.Model[S, I, O], h *linearizability.History[I, O], steps int64) {
	search, err := linearizability.Check(model, h, linearizability.Budget{Steps: steps, Bytes: 64 << 20, All: true, Porcupine: true})
	if err != nil {
		w.Break("S4", "the history is malformed: %v", err)
		return
	}
	for _, p := range search.Partitions {
		v.Partition++
		if p.Verdict != linearizability.Undecided {
			v.Decided++
		}
	}
	v.Steps += search.Steps
	if search.Verdict == linearizability.Illegal && w.Failure() == nil {
		w.Break("S4", "Porcupine finds no order that explains the history, and the witness check did")
	}
}

// Bounds of the cross-check of one partition. For a lock with many waiters the search decides
// little more in ten times the steps, and these would take a fifth of a seed's time.
const (
	porcupineSteps     = 200_000
	porcupineLockSteps = 20_000
)
