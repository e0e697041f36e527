package history

import "fmt"

import "math"

// Never is the Return of an operation without one: its outcome is unknown, so it may take
// effect at any time after its call, or not at all.
const Never = int64(math.MaxInt64)

// Outcome is what the client of an operation knows about it. New refuses the zero value.
type Outcome uint8

const (
	// OutcomeOK: the operation took effect once, between call and return, and gave Output. A
	// refusal that depends on the state (not found, conflict) is a result like any other.
	OutcomeOK Outcome = iota + 1
	// OutcomeFailed: the operation certainly took no effect and never will. It does not affect
	// the verdict.
	OutcomeFailed
	// OutcomeUnknown: the reply was lost, or the client gave up or crashed. The operation took
	// effect at most once, some time after its call.
	OutcomeUnknown
)

// String returns the word used in history files.
func (o Outcome) String() string {
	switch o {
	case OutcomeOK:
		return "ok"
	case OutcomeFailed:
		return "failed"
	case OutcomeUnknown:
		return "unknown"
	}
	return "no outcome"
}

// Position is the place of an operation in a proposed order: a slot of a log and an index in the slot. Slots start at 1
// and need not be dense. The zero Position means that the operation has no position.
type Position struct {
	Slot  int64
	Index int32
}

// String returns the slot, and the index if it is not 0.
func (p Position) String() string {
	if p.Index == 0 {
		return fmt.Sprintf("slot %d", p.Slot)
	}
	return fmt.Sprintf("slot %d, command %d", p.Slot, p.Index)
}

// IsZero reports whether p is no position.
func (p Position) IsZero() bool { return p == Position{} }

// Less orders positions by slot, then index.
func (p Position) Less(q Position) bool {
	return p.Slot < q.Slot || p.Slot == q.Slot && p.Index < q.Index
}

// Operation is one call of one client. The model defines Input and Output; Output is meaningful
// only with OutcomeOK or WitnessOutput.
type Operation[I, O any] struct {
	// ID names the operation in reports; unique in its history.
	ID int64
	// Client is the process that called. It has one operation at a time, except
	// with Concurrent.
	Client int64
	// Call and Return are event sequence numbers, unique over all calls and
	// returns of the history, never times: equal stamps would hide violations.
	// Return is Never exactly with OutcomeUnknown.
	Call, Return int64
	// CallTime and ReturnTime are true times in nanoseconds, for reports only.
	CallTime, ReturnTime int64
	// At is where a witness places the operation.
	At Position
	// Outcome is what the client knows.
	Outcome Outcome
	// Concurrent marks a client that may have several operations outstanding.
	Concurrent bool
	// WitnessOutput says, for an operation of unknown outcome with a position, that Output is the result according to
	// the witness. The witness check requires that result. A search ignores it, because the client does not know it.
	WitnessOutput bool
	Input         I
	Output        O
}

// Seen returns the output that the client received; the zero O if it received none.
func (op *Operation[I, O]) Seen() (out O) {
	if op.Outcome == OutcomeOK {
		out = op.Output
	}
	return out
}
