package history

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrMalformed is wrapped by every error about a history that cannot have happened: two events
// with one stamp, a return before its call, a client that calls again before its last call
// returned. It is an error of bookkeeping, not of the system under test.
var ErrMalformed = errors.New("malformed history")

// Fault is an error about operations of a history. It wraps ErrMalformed.
type Fault struct {
	IDs []int64 // of the operations at fault, one or two
	Err error
}

func (f *Fault) Error() string { return fmt.Sprintf("%v: %v", ErrMalformed, f.Err) }

// Unwrap returns ErrMalformed and the cause.
func (f *Fault) Unwrap() []error { return []error{ErrMalformed, f.Err} }

func fault(ids []int64, format string, args ...any) error {
	return &Fault{ids, fmt.Errorf(format, args...)}
}

// History is a well-formed set of operations in the order of their calls. New or a
// Recorder makes it, and it does not change afterwards.
type History[I, O any] struct {
	ops      []Operation[I, O]
	byReturn []int32 // the operations with OutcomeOK, in order of return
	names    Names
}

// New checks operations given in any order and takes ownership of the
// slice. Every error wraps ErrMalformed, and is a *Fault if operations are at fault.
func New[I, O any](ops []Operation[I, O]) (*History[I, O], error) {
	if len(ops) > math.MaxInt32 {
		return nil, fmt.Errorf("%w: more than %d operations", ErrMalformed, math.MaxInt32)
	}
	byCall := func(a, b Operation[I, O]) int { return cmp.Compare(a.Call, b.Call) }
	if !slices.IsSortedFunc(ops, byCall) {
		slices.SortStableFunc(ops, byCall)
	}
	for i := range ops {
		if err := ops[i].check(); err != nil {
			return nil, err
		}
	}
	if err := checkIDs(ops); err != nil {
		return nil, err
	}
	if err := checkClients(ops); err != nil {
		return nil, err
	}
	returns, err := sortReturns(ops)
	if err != nil {
		return nil, err
	}
	return &History[I, O]{ops: ops, byReturn: returns}, nil
}

// Len returns the number of operations.
func (h *History[I, O]) Len() int { return len(h.ops) }

// Operations returns all operations in the order of their calls. The slice belongs to the
// history: do not change it.
func (h *History[I, O]) Operations() []Operation[I, O] { return h.ops }

// Names returns the names of clients; nil: none has one. It belongs to the history: do not change it.
func (h *History[I, O]) Names() Names { return h.names }

// ByReturn returns the indexes of the operations with OutcomeOK, in the order of their
// returns. The slice belongs to the history: do not change it.
func (h *History[I, O]) ByReturn() []int32 { return h.byReturn }

// check checks one operation by itself.
func (op *Operation[I, O]) check() error {
	bad := func(format string, args ...any) error {
		return fault([]int64{op.ID}, "operation %d: %s", op.ID, fmt.Sprintf(format, args...))
	}
	switch {
	case op.Outcome < OutcomeOK || op.Outcome > OutcomeUnknown:
		return bad("no outcome")
	case op.Call < 0:
		return bad("call stamp %d is negative", op.Call)
	case op.Outcome == OutcomeUnknown && op.Return != Never:
		return bad("an unknown outcome has no return, not %d", op.Return)
	case op.Outcome != OutcomeUnknown && op.Return == Never:
		return bad("outcome %s needs a return", op.Outcome)
	case op.Return <= op.Call:
		return bad("return %d is not after call %d", op.Return, op.Call)
	case !op.At.IsZero() && (op.At.Slot < 1 || op.At.Index < 0):
		return bad("position %d.%d: slots start at 1, indexes at 0", op.At.Slot, op.At.Index)
	case op.WitnessOutput && (op.Outcome != OutcomeUnknown || op.At.IsZero()):
		return bad("only an operation of unknown outcome with a position has an output that was told")
	}
	return nil
}

// checkIDs finds two operations with one ID. IDs in the order of the calls, the usual case,
// need no table.
func checkIDs[I, O any](ops []Operation[I, O]) error {
	rising := true
	for i := 1; i < len(ops) && rising; i++ {
		rising = ops[i-1].ID < ops[i].ID
	}
	if rising {
		return nil
	}
	seen := make(map[int64]struct{}, len(ops))
	for i := range ops {
		if _, taken := seen[ops[i].ID]; taken {
			return fault([]int64{ops[i].ID}, "two operations have the id %d", ops[i].ID)
		}
		seen[ops[i].ID] = struct{}{}
	}
	return nil
}

// checkClients finds a client that called while its last call was outstanding. A client that
// gave an operation up (unknown outcome) may continue.
func checkClients[I, O any](ops []Operation[I, O]) error {
	last := make(map[int64]int)
	for i := range ops {
		op := &ops[i]
		if op.Concurrent {
			continue
		}
		if j, ok := last[op.Client]; ok && ops[j].Return > op.Call {
			return fault([]int64{ops[j].ID, op.ID}, "client %d calls operation %d at %d before its operation %d returned at %d: "+
				"if its threads call at the same time, each is a client, or their operations are concurrent",
				op.Client, op.ID, op.Call, ops[j].ID, ops[j].Return)
		}
		if op.Outcome != OutcomeUnknown {
			last[op.Client] = i
		}
	}
	return nil
}

// sortReturns returns the completed operations in order of return. It returns an error if a stamp is used twice, which it
// finds by walking through calls and returns together.
func sortReturns[I, O any](ops []Operation[I, O]) ([]int32, error) {
	all := make([]int32, 0, len(ops))
	for i := range ops {
		if ops[i].Return != Never {
			all = append(all, int32(i))
		}
	}
	slices.SortFunc(all, func(a, b int32) int { return cmp.Compare(ops[a].Return, ops[b].Return) })
	next := 0
	for i := range ops {
		for next < len(all) && ops[all[next]].Return < ops[i].Call {
			next++
		}
		if i > 0 && ops[i-1].Call == ops[i].Call {
			return nil, sameStamp(&ops[i-1], &ops[i], ops[i].Call)
		}
		if next < len(all) && ops[all[next]].Return == ops[i].Call {
			return nil, sameStamp(&ops[all[next]], &ops[i], ops[i].Call)
		}
	}
	for i := 1; i < len(all); i++ {
		if a, b := &ops[all[i-1]], &ops[all[i]]; a.Return == b.Return {
			return nil, sameStamp(a, b, b.Return)
		}
	}
	return slices.DeleteFunc(all, func(i int32) bool { return ops[i].Outcome != OutcomeOK }), nil
}

func sameStamp[I, O any](a, b *Operation[I, O], stamp int64) error {
	return fault([]int64{a.ID, b.ID}, "operations %d and %d share the stamp %d: stamps are unique event numbers, equal ones hide violations",
		a.ID, b.ID, stamp)
}
