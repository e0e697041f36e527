package linearizability

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Explanation says why a history is not linearizable.
type Explanation struct {
	Partition string `json:"partition"`
	// Completions is the length of the shortest illegal prefix, counted in
	// completed operations of the partition; Shortest says that every shorter
	// one is known to be legal.
	Completions int  `json:"completions"`
	Shortest    bool `json:"shortest"`
	// Culprit is the ID of the operation whose completion no order explains.
	Culprit int64 `json:"culprit"`
	// Possible lists results that the culprit could have had instead; AllPossible says that there
	// are no others.
	Possible    []string `json:"possible"`
	AllPossible bool     `json:"all_possible"`
	// Involved are the IDs of the other operations on which the contradiction depends: without the
	// outcome of any of them it disappears, or was not found within the budget.
	Involved []int64 `json:"involved"`
	// Text is the explanation in words, fewer than 20 lines.
	Text string `json:"text"`
}

// Explain explains the first partition that Check finds illegal, and returns nil if there is none.
// The budget is as in Check; each probe of the explanation gets a small part of it.
func Explain[S, I, O any](m *Model[S, I, O], h *History[I, O], b Budget) (*Explanation, error) {
	c, err := newDecision(m, h, b.ours())
	if err != nil {
		return nil, err
	}
	if c.run(); c.illegal == nil {
		return nil, nil
	}
	return newExplainer(m, *c.illegal, b).explain(), nil
}

// explainer collects the explanation of one partition.
type explainer[S, I, O any] struct {
	model   *Model[S, I, O]
	part    partition[I, O]
	prefix  prefix[I, O]
	reduced []*Operation[I, O] // the prefix without the outcomes that do not matter
	rough   bool               // it may still contain outcomes that do not matter
	why     string             // why no order explains the culprit, whatever the other operations do; "": unknown
	budget  Budget             // of one probe
	left    int64              // steps for all remaining probes
}

func newExplainer[S, I, O any](m *Model[S, I, O], p illegalPartition[S, I, O], b Budget) *explainer[S, I, O] {
	e := &explainer[S, I, O]{model: m, part: p.partition, budget: probeBudget(b)}
	e.prefix = shortestPrefix(m, p, b)
	e.left = min(b.orDefault().Steps, explainSteps)
	illegal := func(ops []*Operation[I, O]) bool { return e.probe(newSearch(m, ops, e.budget)) == Illegal }
	if e.why = e.refutation(); e.why != "" { // some compare-and-sets that failed may still matter
		illegal = func(ops []*Operation[I, O]) bool {
			at, _ := m.Refute(newSearch(m, ops, e.budget).ops)
			return at >= 0
		}
	}
	var all bool
	e.reduced, all = e.prefix.reduce(illegal, m.IsReadOnly)
	e.rough = !all || e.left <= 0
	return e
}

// refutation says why no order explains the culprit, if Refute knows; "": only a search can tell.
func (e *explainer[S, I, O]) refutation() string {
	if e.model.Refute == nil {
		return ""
	}
	ops := newSearch(e.model, e.part.ops, e.budget).ops // with later calls, because the reason may name one
	at, why := e.model.Refute(ops)
	if at < 0 || ops[at].ID != e.prefix.culprit.ID {
		return ""
	}
	return why
}

// explainSteps bounds all probes of an explanation together: it should take no longer than the
// search that it explains.
const explainSteps = 150_000

// probe runs a search within the remaining steps.
func (e *explainer[S, I, O]) probe(s *finder[S, I, O]) Verdict {
	if e.left <= 0 {
		return Undecided
	}
	s.budget.Steps = min(s.budget.Steps, e.left)
	v := s.run()
	e.left -= s.steps
	return v
}

func (e *explainer[S, I, O]) explain() *Explanation {
	x := &Explanation{
		Partition: e.part.name, Completions: e.prefix.completions,
		Shortest: e.prefix.shortest, Culprit: e.prefix.culprit.ID, Involved: []int64{},
	}
	x.Possible, x.AllPossible = e.possible()
	for _, op := range e.involved() {
		x.Involved = append(x.Involved, op.ID)
	}
	x.Text = e.writeText(x)
	return x
}

// involved returns the operations whose outcomes matter, except the culprit, the latest first.
func (e *explainer[S, I, O]) involved() []*Operation[I, O] {
	var ops []*Operation[I, O]
	for _, op := range slices.Backward(e.reduced) {
		if op.Outcome == OutcomeOK && op.ID != e.prefix.culprit.ID {
			ops = append(ops, op)
		}
	}
	return ops
}

// sources returns the operations that may be the origin of a wrong value: after any one of them
// alone the model gives the culprit's result, and at the start it does not.
func (e *explainer[S, I, O]) sources() []*Operation[I, O] {
	c := e.prefix.culprit
	if ok, _ := e.model.Step(e.model.Init(), c.Input, c.Output); ok {
		return nil
	}
	var ops []*Operation[I, O]
	for _, op := range slices.Backward(e.part.ops) {
		if op.ID == c.ID || op.Outcome == OutcomeFailed {
			continue
		}
		if ok, _ := e.model.Step(e.model.EffectOf(e.model.Init(), op.Input), c.Input, c.Output); ok {
			ops = append(ops, op)
		}
	}
	return ops
}

// possible finds the results that the culprit could have had with everything else unchanged.
// Candidates are the model's answers wherever the culprit could be placed; it tries each of them.
func (e *explainer[S, I, O]) possible() (texts []string, all bool) {
	texts = []string{}
	if e.model.Result == nil {
		return texts, false
	}
	candidates, all := e.candidates()
	for text, out := range candidates.all() {
		c := *e.prefix.culprit
		c.Output = out
		switch e.probe(newSearch(e.model, replaced(e.prefix.ops, &c), e.budget)) {
		case Legal:
			texts = append(texts, text)
		case Undecided:
			all = false
		}
	}
	slices.Sort(texts)
	return texts, all
}

// outputs is a set of results by their description, in order of discovery.
type outputs[O any] struct {
	texts  []string
	values []O
}

func (s *outputs[O]) add(text string, out O) (full bool) {
	if !slices.Contains(s.texts, text) {
		s.texts, s.values = append(s.texts, text), append(s.values, out)
	}
	return len(s.texts) >= maxCandidates
}

func (s *outputs[O]) all() func(yield func(string, O) bool) {
	return func(yield func(string, O) bool) {
		for i := range s.texts {
			if !yield(s.texts[i], s.values[i]) {
				return
			}
		}
	}
}

// maxCandidates bounds the number of results to try.
const maxCandidates = 24

// candidates searches without ever placing the culprit, which visits every state in which it
// could be placed. It uses no Settle, because Settle relies on the result in question.
func (e *explainer[S, I, O]) candidates() (found outputs[O], all bool) {
	probe := e.prefix.culprit
	unsettled := *e.model
	unsettled.Settle = nil
	s := newSearch(&unsettled, e.prefix.ops, e.budget)
	s.probe, all = probe, true
	s.results = func(state S) {
		out := e.model.Result(state, probe.Input)
		if found.add(e.model.OutputText(probe.Input, out), out) {
			all = false
		}
	}
	e.left = max(e.left, explainSteps/4) // also if the reduction has used up the steps
	v := e.probe(s)
	return found, all && v != Undecided
}

// replaced returns ops with c in place of the operation with its ID.
func replaced[I, O any](ops []*Operation[I, O], c *Operation[I, O]) []*Operation[I, O] {
	ops = slices.Clone(ops)
	for i := range ops {
		if ops[i].ID == c.ID {
			ops[i] = c
		}
	}
	return ops
}

// writeText returns the explanation in words.
func (e *explainer[S, I, O]) writeText(x *Explanation) string {
	c, involved := e.prefix.culprit, e.involved()
	var b strings.Builder
	line := func(format string, args ...any) { b.WriteString(printable(fmt.Sprintf(format, args...)) + "\n") }
	line("Not linearizable: %s, %d operations.", e.title(), len(e.part.ops))
	line("%s", e.headline(x))
	line("  %s", describe(e.model, e.part.clients, c))
	line("%s", possibleText(x))
	if e.why != "" {
		line("%s", e.why)
	}
	switch most := 8; {
	case len(involved) > most && e.rough:
		line("It contradicts some of these (which, was not found within the budget):")
		e.list(line, e.before(involved), most)
	case len(involved) > 0:
		line("It contradicts:")
		e.list(line, involved, most)
	}
	if sources := without(e.sources(), involved); len(sources) > 0 {
		line("Its result would follow from:")
		e.list(line, sources, 2)
	}
	return b.String()
}

func (e *explainer[S, I, O]) title() string {
	if e.part.name == "" {
		return e.name()
	}
	return fmt.Sprintf("%s %q", e.name(), shorten(e.part.name))
}

// name returns the name of the model, for the beginning of a text.
func (e *explainer[S, I, O]) name() string { return cmp.Or(e.model.Name, "model without a name") }

func (e *explainer[S, I, O]) headline(x *Explanation) string {
	switch {
	case !x.Shortest:
		return fmt.Sprintf("The first %d completions have no legal order (perhaps fewer have none). The last of them:", x.Completions)
	case x.Completions == 1:
		return "No order explains even the first completion:"
	}
	return fmt.Sprintf("The first %d completions have a legal order, the first %d have none. The last of them:", x.Completions-1, x.Completions)
}

func possibleText(x *Explanation) string {
	if len(x.Possible) == 0 {
		return "cannot have had this result."
	}
	shown, more := x.Possible, ""
	if len(shown) > maxExpected {
		shown, more = shown[:maxExpected], " or others"
	} else if !x.AllPossible {
		more = " or perhaps others"
	}
	return "cannot have had this result. Possible there: " + strings.Join(shown, " or ") + more + "."
}

// before returns operations in another order: those that returned before the culprit was called
// come first.
func (e *explainer[S, I, O]) before(ops []*Operation[I, O]) []*Operation[I, O] {
	overlaps := func(op *Operation[I, O]) int {
		if op.Return < e.prefix.culprit.Call {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(ops, func(a, b *Operation[I, O]) int { return overlaps(a) - overlaps(b) })
	return ops
}

// list writes operations with their real-time relation to the culprit.
func (e *explainer[S, I, O]) list(line func(string, ...any), ops []*Operation[I, O], most int) {
	c := e.prefix.culprit
	for i, op := range ops {
		if i == most {
			line("  and %d more", len(ops)-most)
			return
		}
		when := "overlaps it"
		switch {
		case op.Return < c.Call:
			when = "returned before it was called"
		case op.Call > c.Return:
			when = "was called after it returned"
		}
		line("  %s: %s", describe(e.model, e.part.clients, op), when)
	}
}

// without returns ops except those in others.
func without[I, O any](ops, others []*Operation[I, O]) []*Operation[I, O] {
	return slices.DeleteFunc(ops, func(op *Operation[I, O]) bool {
		return slices.ContainsFunc(others, func(o *Operation[I, O]) bool { return o.ID == op.ID })
	})
}

// shorten clips a description to 120 bytes.
func shorten(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// printable escapes what is not printable, such as the end of a line in a key, or what steers a terminal.
func printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
