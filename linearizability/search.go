package linearizability

import (
	"fmt"
	"html"
	"slices"

	"github.com/anishathalye/porcupine"
)

// Budget bounds a search. It counts steps of the model and bytes of memory, never time, so that
// a verdict is the same on every machine.
type Budget struct {
	// Steps is the most calls of Model.Step or Effect per partition; 0 means
	// DefaultSteps.
	Steps int64
	// Bytes is about the most memory one partition's search may hold; 0 means
	// DefaultBytes. Partitions are searched one after the other.
	Bytes int64
}

const (
	// DefaultSteps takes some seconds of search.
	DefaultSteps = 5_000_000
	// DefaultBytes is the memory bound when none is given.
	DefaultBytes = 512 << 20
)

func (b Budget) orDefault() Budget {
	if b.Steps <= 0 {
		b.Steps = DefaultSteps
	}
	if b.Bytes <= 0 {
		b.Bytes = DefaultBytes
	}
	return b
}

// Result is the answer of Check.
type Result struct {
	// Verdict is Illegal if a partition is, else Undecided if one is, else Legal.
	Verdict Verdict
	// Partitions are in order of name.
	Partitions []PartitionResult
	// Steps is the sum over the partitions.
	Steps int64
}

// PartitionResult is the answer for one partition.
type PartitionResult struct {
	Name string `json:"name"`
	// Operations took part in the search, Unknown of them with unknown outcome. Dropped ones
	// are not relevant: failed, unknown reads, or removed by Settle.
	Operations int     `json:"operations"`
	Unknown    int     `json:"unknown"`
	Dropped    int     `json:"dropped"`
	Verdict    Verdict `json:"verdict"`
	Steps      int64   `json:"steps"`
}

// Check decides by search whether the history is linearizable, without a witness: it runs
// Porcupine on one partition after the other. It returns an error only for inputs that the
// model rejects. It ignores positions.
//
// An operation of unknown outcome may take effect at any time after its call, with any result,
// or not at all; an unknown read is not relevant. The cost is exponential in the worst case;
// when the budget is exhausted the verdict is Undecided.
//
// Porcupine starts a goroutine for each search; Check waits for it, one at a time, so the
// verdict does not depend on scheduling. A panic of the model becomes a panic of Check.
func Check[S, I, O any](m *Model[S, I, O], h *History[I, O], b Budget) (Result, error) {
	parts, err := partitions(m, h)
	if err != nil {
		return Result{}, err
	}
	r := Result{Verdict: Legal}
	for _, p := range parts {
		pr := checkPartition(m, p, b)
		r.Partitions = append(r.Partitions, pr)
		r.Verdict = worse(r.Verdict, pr.Verdict)
		r.Steps += pr.Steps
	}
	return r, nil
}

func checkPartition[S, I, O any](m *Model[S, I, O], p partition[I, O], b Budget) PartitionResult {
	s := newSearch(m, p.ops, b)
	pr := PartitionResult{Name: p.name, Operations: len(s.ops), Dropped: len(p.ops) - len(s.ops)}
	for _, op := range s.ops {
		if op.Outcome == OutcomeUnknown {
			pr.Unknown++
		}
	}
	pr.Verdict = s.run()
	pr.Steps = s.steps
	return pr
}

// search is one run of Porcupine over the operations of one partition.
type search[S, I, O any] struct {
	model *Model[S, I, O]
	ops   []*Operation[I, O] // what takes part, in order of call
	until []int64            // their returns, settled where unknown

	budget    Budget
	steps     int64
	bytes     int64
	perState  int64 // what Porcupine keeps for a state beside the state
	exhausted bool
	panicked  any

	probe   *Operation[I, O] // if set: never steps, and its results are collected
	results func(s S)        // called with each state in which probe could step
}

func newSearch[S, I, O any](m *Model[S, I, O], ops []*Operation[I, O], b Budget) *search[S, I, O] {
	s := &search[S, I, O]{model: m, budget: b.orDefault()}
	for _, op := range ops {
		if m.IsRelevant(op) {
			s.ops = append(s.ops, op)
			s.until = append(s.until, op.Return)
		}
	}
	if m.Settle != nil {
		m.Settle(s.ops, s.until)
		s.dropIrrelevant()
	}
	s.perState = int64(len(s.ops)/8 + 64)
	return s
}

// dropIrrelevant removes the operations that Settle found to be without effect.
func (s *search[S, I, O]) dropIrrelevant() {
	kept := 0
	for i := range s.ops {
		if s.until[i] != NoEffect {
			s.ops[kept], s.until[kept] = s.ops[i], s.until[i]
			kept++
		}
	}
	s.ops, s.until = s.ops[:kept], s.until[:kept]
}

func (s *search[S, I, O]) run() Verdict {
	result := porcupine.CheckOperationsTimeout(s.porcupineModel(), s.porcupineHistory(), 0)
	return s.verdict(result)
}

func (s *search[S, I, O]) verdict(r porcupine.CheckResult) Verdict {
	if s.panicked != nil {
		panic(s.panicked)
	}
	switch {
	case r == porcupine.Ok:
		return Legal // an order was found, even if the budget is exhausted
	case s.exhausted:
		return Undecided
	}
	return Illegal
}

func (s *search[S, I, O]) porcupineHistory() []porcupine.Operation {
	out := make([]porcupine.Operation, len(s.ops))
	lanes := clientLanes(s.ops)
	for i, op := range s.ops {
		out[i] = porcupine.Operation{
			ClientId: lanes[op.Client], Input: op, Call: op.Call, Return: s.until[i], Metadata: op,
		}
	}
	return out
}

// clientLanes numbers the clients densely, in order, for Porcupine's page.
func clientLanes[I, O any](ops []*Operation[I, O]) map[int64]int {
	clients := make([]int64, 0, len(ops))
	for _, op := range ops {
		clients = append(clients, op.Client)
	}
	slices.Sort(clients)
	lanes := make(map[int64]int)
	for _, c := range slices.Compact(clients) {
		lanes[c] = len(lanes)
	}
	return lanes
}

func (s *search[S, I, O]) porcupineModel() porcupine.Model {
	pm := porcupine.Model{
		Init:  func() any { return s.model.Init() },
		Step:  func(state, input, _ any) (bool, any) { return s.step(state.(S), input.(*Operation[I, O])) },
		Equal: func(a, b any) bool { return s.model.IsSame(a.(S), b.(S)) },
		DescribeOperation: func(input, _ any) string {
			op := input.(*Operation[I, O])
			if op.Outcome == OutcomeUnknown {
				return s.model.InputText(op.Input) + " -> unknown"
			}
			return s.model.InputText(op.Input) + " -> " + s.model.OutputText(op.Input, op.Output)
		},
		// The page puts these two into its markup as they are, keys and values of
		// an untrusted history included.
		DescribeState: func(state any) string { return html.EscapeString(s.model.StateText(state.(S))) },
		DescribeOperationMetadata: func(info any) string {
			return html.EscapeString(describe(s.model, info.(*Operation[I, O])))
		},
	}
	if s.model.Hash != nil {
		pm.Hash = func(state any) uint64 { return s.model.Hash(state.(S)) }
	}
	return pm
}

// step is the model within the budget. When the budget is exhausted every step is refused,
// which makes Porcupine return. A panic is kept for the caller, since it would end the process
// in Porcupine's goroutine.
func (s *search[S, I, O]) step(state S, op *Operation[I, O]) (ok bool, next any) {
	if s.exhausted || s.panicked != nil {
		return false, state
	}
	if s.steps >= s.budget.Steps || s.bytes >= s.budget.Bytes {
		s.exhausted = true
		return false, state
	}
	s.steps++
	defer func() {
		if p := recover(); p != nil {
			s.panicked = fmt.Errorf("linearizability: model %s panicked: %v", s.model.Name, p)
			ok, next = false, state
		}
	}()
	if op == s.probe {
		s.results(state)
		return false, state
	}
	ok, after := s.model.After(state, op)
	if ok {
		s.bytes += s.perState + int64(s.model.SizeOf(after))
	}
	return ok, after
}
