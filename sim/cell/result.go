package cell

import (
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/resource"
	"github.com/chubbycell/chubby/sim/scenario"
)

// Breach is a property or invariant that did not hold, a rule of this implementation that it did
// not keep (sim/conformance), or a crash.
type Breach struct {
	ID          string `json:"id"`                    // "S1", "I-A3"; "" for a crash that broke nothing numbered
	Conformance bool   `json:"conformance,omitempty"` // a rule was not kept; ID is the property that the rule serves
	Text        string `json:"text"`                  // what the check saw

	Check string        `json:"check,omitempty"` // which check saw it; see sim.Failure
	At    time.Duration `json:"at_ns,omitempty"` // true time
	Step  uint64        `json:"step,omitempty"`  // which event
	On    sim.Addr      `json:"machine,omitempty"`
}

// breachOf returns the breach that a world reported as f.
func breachOf(f *sim.Failure) Breach {
	return Breach{ID: f.ID, Conformance: f.Kind == sim.Conformance, Text: f.Text, Check: f.Check, At: f.At, Step: f.Step, On: f.Machine}
}

// Same reports whether both are breaches of one property, found by one check. It is false if either
// is nil.
func (b *Breach) Same(o *Breach) bool {
	return b != nil && o != nil && b.ID == o.ID && b.Conformance == o.Conformance && b.Check == o.Check
}

// Number is a named number of a run.
type Number struct {
	Name  string `json:"name"`
	Value uint64 `json:"value"`
}

// Result is the outcome of one seed.
type Result struct {
	Seed     uint64 `json:"seed"`
	Hash     string `json:"hash"`
	Replicas int    `json:"replicas"`
	Clients  int    `json:"clients"`
	Workload string `json:"workload"`

	Breach *Breach `json:"breach,omitempty"`
	Stack  string  `json:"stack,omitempty"`
	// Noted is what broke beside the property that plan.Options.Judge names, the first breach of
	// each property. It did not end the run, and the seed is not Failed because of it.
	Noted []Breach `json:"noted,omitempty"`
	// Internal reports that the simulator itself panicked: there is no verdict on the product.
	Internal  bool `json:"internal,omitempty"`
	Undecided bool `json:"undecided,omitempty"`

	Counted   bool          `json:"counted"`
	Simulated time.Duration `json:"simulated_ns"`
	Events    uint64        `json:"events"`
	Ops       int           `json:"operations"`
	Hot       int           `json:"hot"`
	Unknown   int           `json:"unknown"`
	Failovers int           `json:"failovers"`
	Recovery  time.Duration `json:"recovery_ns"` // from healing to the last call's end
	// FirstAnswers has, for each client machine whose call on rows was answered after healing, how
	// long the first answer took: from healing, or from the first such call if none was under way
	// at healing.
	FirstAnswers []time.Duration `json:"first_answers_ns,omitempty"`

	Faults    []Number `json:"faults"`    // strikes by family
	Sometimes []Number `json:"sometimes"` // rare situations reached
	// Counters are those of the world (World.Count), if the run had an extension.
	Counters []Number `json:"counters,omitempty"`
	// Measures are those of the world (sim.Measure).
	Measures  []sim.Measured `json:"-"`
	Partition int            `json:"partitions"`
	Decided   int            `json:"decided"` // partitions that Porcupine decided too
	Steps     int64          `json:"model_steps"`
	Fence     resource.Count `json:"fence,omitzero"` // of the resource outside

	history *linearizability.History[linearizability.KVInput, linearizability.KVOutput]
	nodes   *linearizability.History[linearizability.FileInput, linearizability.FileOutput]
	locks   *linearizability.History[linearizability.LockInput, linearizability.LockOutput]
}

// History returns the clients' history of rows, or nil if the run ended early.
func (r *Result) History() *linearizability.History[linearizability.KVInput, linearizability.KVOutput] {
	return r.history
}

// NodeHistory returns the clients' history of files and directories, or nil if they made no such
// calls or the run ended early.
func (r *Result) NodeHistory() *linearizability.History[linearizability.FileInput, linearizability.FileOutput] {
	return r.nodes
}

// LockHistory returns the history of locks, including what the cell did to them by itself, or nil
// if there were none or the run ended early.
func (r *Result) LockHistory() *linearizability.History[linearizability.LockInput, linearizability.LockOutput] {
	return r.locks
}

// Counter returns the counter of this name; 0 if nothing counted.
func (r *Result) Counter(name string) uint64 {
	for _, n := range r.Counters {
		if n.Name == name {
			return n.Value
		}
	}
	return 0
}

// Measured returns the values of this name, in the order in which they were measured; nil if there are none.
func (r *Result) Measured(name string) []float64 {
	for _, m := range r.Measures {
		if m.Name == name {
			return m.Values
		}
	}
	return nil
}

// Failed reports whether there is a Breach.
func (r *Result) Failed() bool { return r.Breach != nil }

// Names under which a failed seed is counted if no property and no invariant broke.
const (
	Crashed   = "crash"    // the product panicked
	NoVerdict = "internal" // the simulator panicked
)

// Broke returns the name under which a failed seed is counted, or "" if nothing broke.
func (r *Result) Broke() string {
	switch {
	case r.Internal:
		return NoVerdict
	case r.Breach == nil:
		return ""
	}
	return r.Breach.Name()
}

// Name returns the number of the property or invariant, preceded by "conformance " if a rule was
// not kept; Crashed if the code panicked in another way.
func (b *Breach) Name() string {
	switch {
	case b.ID == "":
		return Crashed
	case b.Conformance:
		return "conformance " + b.ID
	}
	return b.ID
}

// Meaning describes the property or invariant in a few words. with is the extension of the run, or
// nil.
func (b *Breach) Meaning(with *scenario.Extension) string {
	switch {
	case b.ID == "":
		return "simulated code panicked"
	case b.Conformance:
		return "a rule of this implementation that serves it was not kept"
	}
	if with != nil {
		for _, p := range with.Properties {
			if p.ID == b.ID {
				return p.Help
			}
		}
	}
	for _, p := range Properties() {
		if p.ID == b.ID {
			return p.Help
		}
	}
	if strings.HasPrefix(b.ID, "I-") {
		return "an invariant that the product asserts of itself"
	}
	return "what a program reports by World.Break"
}

// IsOfUser reports whether a checker or workload of an extension found the breach, not a built-in
// check.
func (b *Breach) IsOfUser() bool {
	return b.ID != "" && !b.Conformance && !strings.HasPrefix(b.ID, "I-") &&
		!slices.ContainsFunc(Properties(), func(p Property) bool { return p.ID == b.ID })
}

// Strikes returns the number of strikes of all kinds of faults.
func (r *Result) Strikes() uint64 {
	var sum uint64
	for _, n := range r.Faults {
		sum += n.Value
	}
	return sum
}
