package linearizability

import (
	"fmt"
	"html"
	"slices"

	"github.com/anishathalye/porcupine"

	"github.com/chubbycell/chubby/linearizability/history"
	"github.com/chubbycell/chubby/linearizability/search"
)

// porcupineRun is a search by Porcupine within the budget of s.
type porcupineRun[S, I, O any] struct {
	search   *finder[S, I, O]
	bytes    int64
	perState int64         // what Porcupine keeps for each state in addition to the state
	clients  history.Names // for the page
	panicked any
}

func newPorcupineRun[S, I, O any](s *finder[S, I, O]) *porcupineRun[S, I, O] {
	return &porcupineRun[S, I, O]{search: s, perState: int64(len(s.ops)/8 + 64)}
}

// secondOpinion runs the search with Porcupine. Porcupine starts a goroutine; secondOpinion waits
// for it, so the verdict does not depend on scheduling.
func (s *finder[S, I, O]) secondOpinion() Verdict {
	p := newPorcupineRun(s)
	r := porcupine.CheckOperationsTimeout(p.model(), p.history(), 0)
	if p.panicked != nil {
		panic(p.panicked)
	}
	switch {
	case r == porcupine.Ok:
		return Legal // an order was found, even if the budget is exhausted
	case s.met != search.None:
		return Undecided
	}
	return Illegal
}

func (p *porcupineRun[S, I, O]) history() []porcupine.Operation {
	out := make([]porcupine.Operation, len(p.search.ops))
	lanes := clientLanes(p.search.ops)
	for i, op := range p.search.ops {
		out[i] = porcupine.Operation{
			ClientId: lanes[op.Client], Input: op, Call: op.Call, Return: p.search.until[i], Metadata: op,
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

func (p *porcupineRun[S, I, O]) model() porcupine.Model {
	m := p.search.model
	pm := porcupine.Model{
		Init:  func() any { return m.Init() },
		Step:  func(state, input, _ any) (bool, any) { return p.step(state.(S), input.(*Operation[I, O])) },
		Equal: func(a, b any) bool { return m.IsSame(a.(S), b.(S)) },
		DescribeOperation: func(input, _ any) string {
			op, who := input.(*Operation[I, O]), ""
			if p.clients.Has(op.Client) { // the page numbers its lanes
				who = p.clients.Of(op.Client) + ": "
			}
			if op.Outcome == OutcomeUnknown {
				return who + m.InputText(op.Input) + " -> unknown"
			}
			return who + m.InputText(op.Input) + " -> " + m.OutputText(op.Input, op.Output)
		},
		// The page puts these two into its markup as they are, keys and values of
		// an untrusted history included.
		DescribeState: func(state any) string { return html.EscapeString(m.StateText(state.(S))) },
		DescribeOperationMetadata: func(info any) string {
			return html.EscapeString(describe(m, p.clients, info.(*Operation[I, O])))
		},
	}
	if m.Hash != nil {
		pm.Hash = func(state any) uint64 { return m.Hash(state.(S)) }
	}
	return pm
}

// step is the model within the budget. When the budget is exhausted every step is refused,
// which makes Porcupine return. A panic is kept for the caller, since it would end the process
// in Porcupine's goroutine.
func (p *porcupineRun[S, I, O]) step(state S, op *Operation[I, O]) (ok bool, next any) {
	s := p.search
	switch {
	case s.met != search.None || p.panicked != nil:
		return false, state
	case s.steps >= s.budget.Steps:
		s.met = search.Steps
	case p.bytes >= s.budget.Bytes:
		s.met = search.Memory
	case s.budget.Stop != nil && s.steps%1024 == 1023 && s.budget.Stop():
		s.met = search.Time
	}
	if s.met != search.None {
		return false, state
	}
	s.steps++
	defer func() {
		if panicked := recover(); panicked != nil {
			p.panicked = fmt.Errorf("linearizability: model %s panicked: %v", s.model.Title(), panicked)
			ok, next = false, state
		}
	}()
	ok, after := s.model.After(state, op)
	if ok {
		p.bytes += p.perState + int64(s.model.SizeOf(after))
	}
	return ok, after
}
