package linearizability

import "github.com/chubbycell/chubby/linearizability/history"

// Histories are defined in package history; these are its names.

// Operation is one call of one client. Its fields: go doc linearizability/history.Operation.
type Operation[I, O any] = history.Operation[I, O]

// Outcome is what the client of an operation knows about it: OutcomeOK, OutcomeFailed or OutcomeUnknown.
type Outcome = history.Outcome

// The outcomes, and the Return of an operation without one.
const (
	OutcomeOK      = history.OutcomeOK      // it took effect once and gave Output
	OutcomeFailed  = history.OutcomeFailed  // it took no effect and never will
	OutcomeUnknown = history.OutcomeUnknown // it took effect at most once, some time after its call
	Never          = history.Never
)

// Position is the place of an operation in a proposed order. Its fields: go doc
// linearizability/history.Position.
type Position = history.Position

// History is a well-formed set of operations in the order of their calls. Its methods: go doc
// linearizability/history.History.
type History[I, O any] = history.History[I, O]

// ErrMalformed is wrapped by every error about a history that cannot have happened.
var ErrMalformed = history.ErrMalformed

// NewHistory checks operations given in any order and takes ownership of the slice. Every error
// wraps ErrMalformed and names the faulty operations.
func NewHistory[I, O any](ops []Operation[I, O]) (*History[I, O], error) { return history.New(ops) }

// Recorder builds a history while it happens: Call, then OK, Failed or Unknown, and History at the
// end. For their arguments: go doc linearizability/history.Recorder.
type Recorder[I, O any] = history.Recorder[I, O]

// NewRecorder returns an empty recorder with room for about size operations.
func NewRecorder[I, O any](size int) *Recorder[I, O] { return history.NewRecorder[I, O](size) }
