package linearizability

import (
	"slices"

	"github.com/chubbycell/chubby/linearizability/search"
)

// Result is the result of Check.
type Result struct {
	// Verdict is Illegal if a partition is illegal, otherwise Undecided if one is undecided,
	// otherwise Legal.
	Verdict Verdict
	// Partitions are in order of name.
	Partitions []PartitionResult
	// Steps is the sum over the partitions.
	Steps int64
}

// PartitionResult is the result for one partition.
type PartitionResult struct {
	Name string `json:"name"`
	// Operations is the number of operations in the search; Unknown of them have an unknown
	// outcome. Dropped counts operations that are not relevant: failed, unknown reads, or removed
	// by Settle.
	Operations int     `json:"operations"`
	Unknown    int     `json:"unknown"`
	Dropped    int     `json:"dropped"`
	Verdict    Verdict `json:"verdict"`
	// Bound says why the partition is undecided.
	Bound Bound `json:"bound,omitempty"`
	Steps int64 `json:"steps"`
}

// Bound is what ended the search of a partition before it was decided.
type Bound string

// The bounds. ByIllegal: another partition is illegal, which decides the whole history.
// ByInterrupt: see Report.Interrupt.
const (
	BySteps     = Bound(search.Steps)
	ByMemory    = Bound(search.Memory)
	ByTime      = Bound(search.Time)
	ByIllegal   = Bound("illegal")
	ByInterrupt = Bound("interrupt")
)

// words says why a partition is undecided.
func (b Bound) words() string {
	switch b {
	case "":
		return ""
	case ByInterrupt:
		return "; interrupted"
	}
	return "; ended by the bound of " + string(b)
}

// Check decides by search whether the history is linearizable, without a witness, partition by
// partition. It returns an error only for inputs that the model rejects, and for a model
// without Init, Step or Effect. It ignores positions.
//
// Check searches every partition for a few steps before it searches any for many steps, the
// smallest first. One illegal partition ends the search of all, unless the budget says All.
//
// An operation of unknown outcome may take effect at any time after its call, with any result,
// or not at all; an unknown read is not relevant. The cost is exponential in the worst case;
// when the budget is exhausted the verdict is Undecided. A panic of the model becomes a panic
// of Check.
func Check[S, I, O any](m *Model[S, I, O], h *History[I, O], b Budget) (Result, error) {
	c, err := newDecision(m, h, b)
	if err != nil {
		return Result{}, err
	}
	c.run()
	return c.result(), nil
}

// decision is a Check in progress.
type decision[S, I, O any] struct {
	model   *Model[S, I, O]
	budget  Budget
	parts   []partition[I, O]
	results []PartitionResult
	order   []int                       // of the partitions, the smallest first
	illegal *illegalPartition[S, I, O]  // the first one found
	others  []illegalPartition[S, I, O] // those found after it, as many as a report explains
	now     Progress
	asked   int64 // how often the running search has asked whether to stop
}

// maxExplained bounds the partitions that a report explains.
const maxExplained = 10

// illegalPartition is a partition without an order, and the search that found that out.
type illegalPartition[S, I, O any] struct {
	partition[I, O]
	search *finder[S, I, O]
}

func newDecision[S, I, O any](m *Model[S, I, O], h *History[I, O], b Budget) (*decision[S, I, O], error) {
	parts, err := partitions(m, h)
	if err != nil {
		return nil, err
	}
	c := &decision[S, I, O]{model: m, budget: b.orDefault(), parts: parts, results: make([]PartitionResult, len(parts))}
	c.now.Partitions = len(parts)
	c.budget = c.budget.telling(func() Progress {
		now := c.now
		c.asked++
		now.Steps += c.asked * search.Asked
		return now
	})
	for i := range parts {
		c.order = append(c.order, i)
		c.results[i] = PartitionResult{Name: parts[i].name, Operations: len(parts[i].ops), Bound: ByIllegal}
	}
	slices.SortStableFunc(c.order, func(a, b int) int { return len(parts[a].ops) - len(parts[b].ops) })
	return c, nil
}

// The first round gives every partition the same number of steps; each further round multiplies it.
const (
	firstRound = 4_000
	nextRound  = 16
)

// run searches in rounds, until everything is decided or no further search is possible.
func (c *decision[S, I, O]) run() {
	round := c.budget
	if len(c.parts) > 1 && !c.budget.Porcupine {
		round.Steps = min(firstRound, c.budget.Steps)
	}
	open := c.order
	for len(open) > 0 {
		var undecided []int
		for _, i := range open {
			if c.asked = 0; c.budget.Stop != nil && c.budget.Stop() {
				c.stop()
				return
			}
			c.search(i, round)
			if c.illegal != nil && !c.budget.All {
				c.leave()
				return
			}
			if c.results[i].Bound == BySteps && round.Steps < c.budget.Steps {
				undecided = append(undecided, i)
			}
		}
		open = undecided
		if round.Steps > c.budget.Steps/nextRound {
			round.Steps = c.budget.Steps
		} else {
			round.Steps *= nextRound
		}
	}
}

// stop marks everything undecided, including what was not searched yet, as ended by Stop.
func (c *decision[S, I, O]) stop() {
	for _, i := range c.order {
		if b := &c.results[i].Bound; *b == ByIllegal || *b == BySteps && c.results[i].Steps < c.budget.Steps {
			*b = ByTime
		}
	}
}

// leave marks everything undecided as a search that could have continued.
func (c *decision[S, I, O]) leave() {
	for i := range c.results {
		if c.results[i].Bound == BySteps && c.results[i].Steps < c.budget.Steps {
			c.results[i].Bound = ByIllegal
		}
	}
}

// telling returns the budget with a Stop that also reports the progress of the search.
func (b Budget) telling(now func() Progress) Budget {
	if b.Told == nil {
		return b
	}
	stop := b.Stop
	b.Stop = func() bool {
		b.Told(now())
		return stop != nil && stop()
	}
	return b
}

func (c *decision[S, I, O]) search(i int, b Budget) {
	s := newSearch(c.model, c.parts[i].ops, b)
	r := &c.results[i]
	c.now.Partition, c.now.Operations, c.asked = c.parts[i].name, len(c.parts[i].ops), 0
	r.Operations, r.Dropped, r.Unknown = len(s.ops), len(c.parts[i].ops)-len(s.ops), 0
	for _, op := range s.ops {
		if op.Outcome == OutcomeUnknown {
			r.Unknown++
		}
	}
	r.Verdict = s.run()
	r.Bound = Bound(s.met)
	r.Steps += s.steps
	c.now.Steps += s.steps
	if r.Verdict != Undecided {
		c.now.Decided++
	}
	switch found := (illegalPartition[S, I, O]{c.parts[i], s}); {
	case r.Verdict != Illegal:
	case c.illegal == nil:
		c.illegal = &found
	case len(c.others) < maxExplained-1:
		c.others = append(c.others, found)
	}
}

func (c *decision[S, I, O]) result() Result {
	r := Result{Verdict: Legal, Partitions: c.results}
	for i := range c.results {
		r.Verdict = worse(r.Verdict, c.results[i].Verdict)
		r.Steps += c.results[i].Steps
	}
	return r
}
