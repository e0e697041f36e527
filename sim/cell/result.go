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

// Breach is a property or invariant that did not hold, or a rule of our implementation
// that our implementation did not keep (sim/conformance).
type Breach struct {
	ID          string `json:"id"`                    // "S1", "I-A3"; "" for a crash that broke nothing numbered
	Conformance bool   `json:"conformance,omitempty"` // a rule was not kept; ID is the property that the rule serves
	Text        string `json:"text"`                  // what was seen

	Check string        `json:"check,omitempty"` // which check saw it; see sim.Failure
	At    time.Duration `json:"at_ns,omitempty"` // true time
	Step  uint64        `json:"step,omitempty"`  // which event
	On    sim.Addr      `json:"machine,omitempty"`
}

// breachOf is the breach that a world reported.
func breachOf(f *sim.Failure) Breach {
	return Breach{ID: f.ID, Conformance: f.Kind == sim.Conformance, Text: f.Text, Check: f.Check, At: f.At, Step: f.Step, On: f.Machine}
}

// Same says that both are breaks of one property that one check saw.
func (b *Breach) Same(o *Breach) bool {
	return b != nil && o != nil && b.ID == o.ID && b.Conformance == o.Conformance && b.Check == o.Check
}

// Number is a named number of a run.
type Number struct {
	Name  string `json:"name"`
	Value uint64 `json:"value"`
}

// Result is what became of one seed.
type Result struct {
	Seed     uint64 `json:"seed"`
	Hash     string `json:"hash"`
	Replicas int    `json:"replicas"`
	Clients  int    `json:"clients"`
	Workload string `json:"workload"`

	Breach *Breach `json:"breach,omitempty"`
	Stack  string  `json:"stack,omitempty"`
	// Noted is what broke beside the one property that the options had judged, the first
	// of each property: it ended nothing, and the seed is not Failed by it.
	Noted []Breach `json:"noted,omitempty"`
	// Internal says that the simulator itself panicked: no verdict on the product.
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
	// FirstAnswers is of client machines that made a call on rows after healing and had
	// an answer: how long the first one took, from healing, or from the first such call
	// where none was under way then.
	FirstAnswers []time.Duration `json:"first_answers_ns,omitempty"`

	Faults    []Number `json:"faults"`    // strikes by family
	Sometimes []Number `json:"sometimes"` // rare situations reached
	// Counters are those of the world (World.Count), where an extension takes part.
	Counters  []Number       `json:"counters,omitempty"`
	Partition int            `json:"partitions"`
	Decided   int            `json:"decided"` // partitions that Porcupine decided too
	Steps     int64          `json:"model_steps"`
	Fence     resource.Count `json:"fence,omitzero"` // of the resource outside

	history *linearizability.History[linearizability.KVInput, linearizability.KVOutput]
	nodes   *linearizability.History[linearizability.FileInput, linearizability.FileOutput]
	locks   *linearizability.History[linearizability.LockInput, linearizability.LockOutput]
}

// History is the clients' history of rows; it is nil where the run broke off early.
func (r *Result) History() *linearizability.History[linearizability.KVInput, linearizability.KVOutput] {
	return r.history
}

// NodeHistory is the clients' history of files and directories; nil where they made
// none, or the run broke off early.
func (r *Result) NodeHistory() *linearizability.History[linearizability.FileInput, linearizability.FileOutput] {
	return r.nodes
}

// LockHistory is the history of locks, with what the cell did to them by itself; nil
// where there were none, or the run broke off early.
func (r *Result) LockHistory() *linearizability.History[linearizability.LockInput, linearizability.LockOutput] {
	return r.locks
}

// Failed says that something numbered broke, or that the product crashed.
func (r *Result) Failed() bool { return r.Breach != nil }

// What a failed seed is counted under where nothing numbered broke.
const (
	Crashed   = "crash"    // the product panicked
	NoVerdict = "internal" // the simulator did
)

// Broke is what a failed seed is counted under; "" where nothing broke.
func (r *Result) Broke() string {
	switch {
	case r.Internal:
		return NoVerdict
	case r.Breach == nil:
		return ""
	}
	return r.Breach.Name()
}

// Name is the property's or invariant's number, after "conformance " where a rule was
// not kept; Crashed where nothing numbered broke.
func (b *Breach) Name() string {
	switch {
	case b.ID == "":
		return Crashed
	case b.Conformance:
		return "conformance " + b.ID
	}
	return b.ID
}

// Meaning says in a few words what the property or invariant is; with is what took part in the
// run beside what is built in, and may be nil.
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

// IsOfUser reports whether the check is that of an extension, or of a workload of one, and none that is built in.
func (b *Breach) IsOfUser() bool {
	return b.ID != "" && !b.Conformance && !strings.HasPrefix(b.ID, "I-") &&
		!slices.ContainsFunc(Properties(), func(p Property) bool { return p.ID == b.ID })
}

// Strikes are those of all kinds of faults.
func (r *Result) Strikes() uint64 {
	var sum uint64
	for _, n := range r.Faults {
		sum += n.Value
	}
	return sum
}
