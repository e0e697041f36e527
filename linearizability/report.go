package linearizability

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Options configure CheckHistory and CheckFile. The zero Options are valid.
type Options struct {
	Budget Budget
	Read   ReadOptions
	Format Format // for CheckFile
	// Page, if not nil, receives Porcupine's page when the search finds the history illegal.
	// Report.PageError holds an error of writing it.
	Page io.Writer
	// WitnessOnly disables the search. A history without positions is then Undecided.
	WitnessOnly bool
}

// Report is the result of CheckHistory.
type Report struct {
	Model string `json:"model"`
	// Verdict is Illegal if either check finds that. Otherwise it is Legal if either check finds that, else Undecided.
	Verdict    Verdict `json:"verdict"`
	Operations int     `json:"operations"`
	Clients    int     `json:"clients"`
	OK         int     `json:"ok"`
	Failed     int     `json:"failed"`
	Unknown    int     `json:"unknown"`

	// Witness is nil if no operation has a position.
	Witness *WitnessReport `json:"witness,omitempty"`
	// Searched reports whether the search ran; the fields below are its result.
	Searched bool `json:"searched"`
	// Interrupted reports that an interrupt ended the search of undecided partitions.
	Interrupted bool              `json:"interrupted,omitempty"`
	Search      Verdict           `json:"search"`
	Steps       int64             `json:"steps"`
	Partitions  []PartitionResult `json:"partitions"`
	Explanation *Explanation      `json:"explanation,omitempty"`
	// Others explain up to nine further illegal partitions, which were found after that of
	// Explanation. There are some only if the budget says All.
	Others    []*Explanation `json:"other_explanations,omitempty"`
	PageError string         `json:"page_error,omitempty"`
}

// Interrupt records that an interrupt, not a time limit, made Budget.Stop end searches.
func (r *Report) Interrupt() {
	r.Interrupted = true
	for i := range r.Partitions {
		if p := &r.Partitions[i]; p.Bound == ByTime {
			p.Bound = ByInterrupt
		}
	}
}

// WitnessReport is the result of the witness check.
type WitnessReport struct {
	Verdict Verdict `json:"verdict"`
	Logged  int     `json:"logged"`
	Fitted  int     `json:"fitted"`
	Dropped int     `json:"dropped"`
	Kind    string  `json:"kind,omitempty"`
	Text    string  `json:"text,omitempty"`
}

// Conflict reports that the two checks contradict each other: the witness is legal, yet the search
// found no order. Then one of the checks is wrong, not the history.
func (r *Report) Conflict() bool {
	return r.Witness != nil && r.Witness.Verdict == Legal && r.Searched && r.Search == Illegal
}

// CheckHistory runs the witness check, if there is a witness, and the search, and explains what
// they find. As in Check, it returns an error for inputs that the model rejects, and for a model
// without Init, Step or Effect.
func CheckHistory[S, I, O any](m *Model[S, I, O], h *History[I, O], o Options) (Report, error) {
	r := Report{Model: m.Title(), Operations: h.Len(), Partitions: []PartitionResult{}}
	if err := m.Check(); err != nil {
		return r, err
	}
	if placed := count(&r, h); placed {
		w := CheckWitness(m, h)
		r.Witness = &WitnessReport{Verdict: w.Verdict, Logged: w.Logged, Fitted: w.Fitted, Dropped: w.Dropped}
		if w.Violation != nil {
			r.Witness.Kind, r.Witness.Text = w.Violation.Kind.String(), w.Violation.Text
		}
	}
	if !o.WitnessOnly {
		if err := searchInto(&r, m, h, o); err != nil {
			return r, err
		}
	}
	r.Verdict = r.verdict()
	return r, nil
}

// count sets the numbers and reports whether any operation has a position.
func count[I, O any](r *Report, h *History[I, O]) (placed bool) {
	clients := make(map[int64]struct{})
	ops := h.Operations()
	for i := range ops {
		op := &ops[i]
		clients[op.Client] = struct{}{}
		placed = placed || !op.At.IsZero()
		switch op.Outcome {
		case OutcomeOK:
			r.OK++
		case OutcomeFailed:
			r.Failed++
		case OutcomeUnknown:
			r.Unknown++
		}
	}
	r.Clients = len(clients)
	return placed
}

func searchInto[S, I, O any](r *Report, m *Model[S, I, O], h *History[I, O], o Options) error {
	c, err := newDecision(m, h, o.Budget)
	if err != nil {
		return err
	}
	c.run()
	found := c.result()
	r.Searched, r.Search, r.Steps = true, found.Verdict, found.Steps
	r.Partitions = append(r.Partitions, found.Partitions...)
	if c.illegal == nil {
		return nil
	}
	o.Budget = o.Budget.telling(func() Progress { return Progress{Explaining: true} })
	e := newExplainer(m, *c.illegal, o.Budget)
	r.Explanation = e.explain()
	for _, p := range c.others {
		r.Others = append(r.Others, newExplainer(m, p, o.Budget).explain())
	}
	if o.Page != nil {
		if err := e.writePage(o.Page, PageOptions{Budget: o.Budget}.orDefault()); err != nil {
			r.PageError = err.Error()
		}
	}
	return nil
}

func (r *Report) verdict() Verdict {
	switch {
	case r.Search == Illegal || r.Witness != nil && r.Witness.Verdict == Illegal:
		return Illegal
	case r.Search == Legal || r.Witness != nil && r.Witness.Verdict == Legal:
		return Legal
	}
	return Undecided
}

// WriteJSON writes the report as one indented JSON object and a newline.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// maxListed bounds the partitions that the text lists one by one.
const maxListed = 10

// Text returns the report for people, verdict first.
func (r *Report) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s: model %s, %d operations of %d clients (%d ok, %d failed, %d unknown)",
		r.Verdict, r.Model, r.Operations, r.Clients, r.OK, r.Failed, r.Unknown)
	if w := r.Witness; w != nil {
		line("witness: %s, %d operations in log positions, %d fitted between, %d dropped", w.Verdict, w.Logged, w.Fitted, w.Dropped)
		if w.Text != "" {
			line("%s: %s", w.Kind, w.Text)
		}
	}
	if r.Searched {
		r.searchText(line)
	}
	for _, e := range r.Explanations() {
		line("\n%s", strings.TrimRight(e.Text, "\n"))
	}
	if n := r.illegal() - len(r.Explanations()); n > 0 && r.Explanation != nil {
		line("\nAnother %d partitions are illegal, too, and not explained.", n)
	}
	if r.Conflict() {
		line("\nThe witness explains a history that the search calls illegal: one of the two checks is wrong.")
	}
	if r.PageError != "" {
		line("%s", r.PageError)
	}
	return b.String()
}

// Explanations returns all explanations, the first one found first.
func (r *Report) Explanations() []*Explanation {
	if r.Explanation == nil {
		return nil
	}
	return append([]*Explanation{r.Explanation}, r.Others...)
}

// illegal counts the partitions that the search found illegal.
func (r *Report) illegal() (n int) {
	for i := range r.Partitions {
		if r.Partitions[i].Verdict == Illegal {
			n++
		}
	}
	return n
}

func (r *Report) searchText(line func(string, ...any)) {
	counts, left := [3]int{}, 0
	for _, p := range r.Partitions {
		if p.Bound == ByIllegal {
			left++
			continue
		}
		counts[p.Verdict]++
	}
	open := ""
	if left > 0 {
		open = fmt.Sprintf(", %d left open since one is illegal", left)
	}
	line("search: %s, %d partitions (%d legal, %d illegal, %d undecided%s), %d steps",
		r.Search, len(r.Partitions), counts[Legal], counts[Illegal], counts[Undecided], open, r.Steps)
	listed := 0
	for _, p := range r.Partitions {
		if p.Bound == ByIllegal || p.Verdict == Legal && len(r.Partitions) > maxListed {
			continue
		}
		if listed++; listed > maxListed {
			line("  and others; the JSON form lists all")
			return
		}
		line("  %-9s %q: %d operations, %d unknown, %d without bearing, %d steps%s",
			p.Verdict, shorten(p.Name), p.Operations, p.Unknown, p.Dropped, p.Steps, p.Bound.words())
	}
}
