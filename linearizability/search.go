package linearizability

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/chubbycell/chubby/linearizability/search"
)

// Budget bounds a search. Steps and Bytes are counted, not measured, so a verdict is the same on
// every machine.
type Budget struct {
	// Steps is the most calls of Model.Step or Effect per partition; 0 means
	// DefaultSteps, Unbounded no bound.
	Steps int64
	// Bytes is the approximate maximum of memory for the search of one partition; 0 means
	// DefaultBytes, Unbounded no bound. Partitions are searched one after the other.
	Bytes int64
	// Stop, if not nil, is called now and then and says whether to give up. It makes a verdict
	// depend on the machine: Undecided where another machine decides, never a different decision.
	Stop func() bool
	// Told, if not nil, is called now and then with the progress of a search, on the goroutine that
	// searches.
	Told func(Progress)
	// All makes Check search every partition, even after one was found illegal.
	All bool
	// Porcupine makes Porcupine search, as a second opinion: it is slower, and not our code.
	Porcupine bool
}

// Progress is the progress of Check or CheckHistory.
type Progress struct {
	Partitions, Decided int
	// Partition is the partition that is being searched; it has this many operations.
	Partition  string
	Operations int
	// Steps are those of all searches so far.
	Steps int64
	// Explaining reports that the searches ended and their result is being explained. No other
	// field is set then.
	Explaining bool
}

const (
	// DefaultSteps takes a few seconds of search.
	DefaultSteps = 5_000_000
	// DefaultBytes is the memory bound when none is given.
	DefaultBytes = 512 << 20
	// Unbounded means no bound. A search ends without one, too.
	Unbounded = math.MaxInt64
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

// ours returns the budget for a search on which an explanation is based.
func (b Budget) ours() Budget {
	b.Porcupine = false
	return b
}

// finder is one search for an order of the operations of one partition.
type finder[S, I, O any] struct {
	model *Model[S, I, O]
	ops   []*Operation[I, O] // the operations that take part, in order of call
	until []int64            // their returns; for unknown outcomes as Settle narrowed them

	budget Budget
	steps  int64
	met    search.Bound
	stuck  int64 // if there is no order: everything that returned before this stamp has one
	// refuted: Refute found an operation that no order explains, so there was no search, and stuck is unset.
	refuted bool

	probe   *Operation[I, O] // if set: never steps, and its results are collected
	results func(s S)        // called with each state in which probe could step
}

func newSearch[S, I, O any](m *Model[S, I, O], ops []*Operation[I, O], b Budget) *finder[S, I, O] {
	s := &finder[S, I, O]{model: m, budget: b.orDefault()}
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
	return s
}

// dropIrrelevant removes the operations that have no effect according to Settle.
func (s *finder[S, I, O]) dropIrrelevant() {
	kept := 0
	for i := range s.ops {
		if s.until[i] != NoEffect {
			s.ops[kept], s.until[kept] = s.ops[i], s.until[i]
			kept++
		}
	}
	s.ops, s.until = s.ops[:kept], s.until[:kept]
}

// run searches within the budget. A panic of the model becomes a panic of run that names it.
func (s *finder[S, I, O]) run() Verdict {
	if s.budget.Porcupine {
		return s.secondOpinion()
	}
	defer func() {
		if p := recover(); p != nil {
			panic(fmt.Errorf("linearizability: model %s panicked: %v", s.model.Title(), p))
		}
	}()
	if s.model.Refute != nil && s.probe == nil {
		if at, _ := s.model.Refute(s.ops); at >= 0 {
			s.refuted = true
			return Illegal
		}
	}
	if s.model.Propose != nil && s.probe == nil && int64(len(s.ops)) <= s.budget.Steps && s.isLegal(s.model.Propose(s.ops, s.until)) {
		return Legal
	}
	r := s.problem().Run(search.Bounds{Steps: s.budget.Steps, Bytes: s.budget.Bytes, Stop: s.budget.Stop})
	s.steps, s.met = s.steps+r.Steps, r.Met
	switch {
	case r.Found:
		return Legal
	case r.Met != search.None:
		return Undecided
	}
	s.stuck = s.until[r.Stuck]
	return Illegal
}

// isLegal reports whether an order, by index, has all operations that must have taken effect, agrees with their calls
// and returns, and is possible by the model. It counts its steps.
func (s *finder[S, I, O]) isLegal(order []int) bool {
	placed, returned := make([]bool, len(s.ops)), int64(Never)
	for _, i := range slices.Backward(order) {
		if placed[i] || s.ops[i].Call > returned {
			return false
		}
		placed[i], returned = true, min(returned, s.until[i])
	}
	for i := range s.ops {
		if !placed[i] && s.until[i] != Never {
			return false
		}
	}
	state := s.model.Init()
	for _, i := range order {
		ok, next := s.step(state, i)
		if s.steps++; !ok {
			return false
		}
		state = next
	}
	return true
}

// problem returns the partition in the form of package search: operations by number.
func (s *finder[S, I, O]) problem() *search.Problem[S] {
	p := &search.Problem[S]{
		Init: s.model.Init(), Ops: make([]search.Op, len(s.ops)),
		Step: s.step, Same: s.model.IsSame, Hash: s.model.Hash, Size: s.model.SizeOf,
	}
	twins := map[any]int32{}
	comparable := reflect.TypeFor[I]().Comparable()
	for i, op := range s.ops {
		p.Ops[i] = search.Op{
			Call: op.Call, Return: s.until[i], Open: s.until[i] == Never,
			Read: op.Outcome == OutcomeOK && s.model.IsReadOnly(op.Input),
		}
		if p.Ops[i].Open && comparable {
			p.Ops[i].Twin, twins[op.Input] = twins[op.Input], int32(i+1)
		}
	}
	return p
}

// step is a step of the model.
func (s *finder[S, I, O]) step(state S, i int) (ok bool, next S) {
	if op := s.ops[i]; op != s.probe {
		return s.model.After(state, op)
	}
	s.results(state)
	return false, state
}
