package linearizability

import "github.com/chubbycell/chubby/linearizability/history"

// ViolationKind is the way in which a proposed order is wrong.
type ViolationKind uint8

const (
	// RealTime: Other returned before Op was called, yet comes after it.
	RealTime ViolationKind = iota + 1
	// WrongResult: the model does not give the result of Op at its position or, for an
	// operation without one, at any position that real time allows.
	WrongResult
	// SharedPosition: Op and Other have the same position.
	SharedPosition
	// FailedButPlaced: Op has OutcomeFailed, yet has a position.
	FailedButPlaced
)

// String returns the phrase used in reports.
func (k ViolationKind) String() string {
	switch k {
	case RealTime:
		return "real-time order"
	case WrongResult:
		return "wrong result"
	case SharedPosition:
		return "shared position"
	case FailedButPlaced:
		return "failed but placed"
	}
	return "no violation"
}

// Violation is the exact reason why a witness is wrong.
type Violation struct {
	Kind ViolationKind
	// Op and Other are indexes into the history; Other is -1 if there is none.
	Op, Other int
	// Expected is what the model gives instead, one entry for each different result at the
	// positions tried; empty for a model without Result.
	Expected []string
	// Text describes it in one to three lines.
	Text string
}

// WitnessResult is the result of CheckWitness.
type WitnessResult struct {
	// Verdict is Legal or Illegal, never Undecided.
	Verdict Verdict
	// Violation is nil exactly when the verdict is Legal.
	Violation *Violation
	// Logged counts the operations that had a position, Fitted those whose position was derived
	// from their result, and Dropped those that failed, or were unknown without a position.
	Logged, Fitted, Dropped int
	// Order is the order checked, as indexes into the history: the whole order if legal, otherwise
	// up to the violation.
	Order []int32
}

// CheckWitness verifies a proposed order. The model must give every result when the operations are
// replayed in this order, and no operation may come before one that returned before its call. It is
// linear, except for sorting positions. Legal proves the history linearizable; Illegal says only
// that this order does not prove it.
//
// The order is built as follows. Operations with a position (At) stand there and take effect, with
// the result that their client received or the WitnessOutput. An operation of unknown outcome
// without a position was never chosen and is dropped; so is one that failed. Any other completed
// operation without a position (a local read, a cache hit, a refusal) changed nothing. It is placed
// at the smallest position at which the model gives its result and keeps its state, but not below
// anything that completed before its call. (Several at one position are in the order of their
// calls; they change nothing, so their order does not matter.)
func CheckWitness[S, I, O any](m *Model[S, I, O], h *History[I, O]) WitnessResult {
	w := newWitness(m, h)
	for next, i := range w.logged {
		if bad := w.placeLogged(next, int(i)); bad != nil {
			return w.result(w.explain(bad))
		}
	}
	w.placeUnlogged()
	if len(w.pending) > 0 {
		return w.result(w.explain(&Violation{Kind: WrongResult, Op: w.firstPending(), Other: -1}))
	}
	return w.result(nil)
}

// witness is the sweep over the proposed order. Invariant: every placed operation was called
// before any operation that is not placed yet returned. An operation may be placed next if that
// holds for it too, which is the whole of real-time order; frontier is the first return still
// outstanding.
type witness[S, I, O any] struct {
	model    *Model[S, I, O]
	ops      []Operation[I, O] // in the order of their calls
	byReturn []int32           // the completed ones, in the order of their returns
	clients  history.Names
	replay   Replayer[I, O]

	logged   []int32 // operations with a position, in its order
	unlogged []int32 // completed operations without one, in order of call
	placed   []bool
	order    []int32
	dropped  int

	returned int     // operations of byReturn below this index are placed
	frontier int64   // return of the first completed operation that is not placed
	admitted int     // unlogged operations below this index were called before frontier
	pending  []int32 // admitted, but not possible in any state so far, in order of call
}

func newWitness[S, I, O any](m *Model[S, I, O], h *History[I, O]) *witness[S, I, O] {
	w := &witness[S, I, O]{
		model: m, ops: h.Operations(), byReturn: h.ByReturn(), clients: h.Names(), replay: m.NewReplayer(),
		placed: make([]bool, h.Len()),
		order:  make([]int32, 0, h.Len()),
	}
	w.logged, w.unlogged = splitByPosition(h)
	w.dropped = h.Len() - len(w.logged) - len(w.unlogged)
	w.advance()
	w.placeUnlogged()
	return w
}

// placeLogged places logged operation i next, or returns why it cannot be.
func (w *witness[S, I, O]) placeLogged(next, i int) *Violation {
	op := &w.ops[i]
	switch {
	case op.Outcome == OutcomeFailed:
		return &Violation{Kind: FailedButPlaced, Op: i, Other: -1}
	case next > 0 && w.ops[w.logged[next-1]].At == op.At:
		return &Violation{Kind: SharedPosition, Op: i, Other: int(w.logged[next-1])}
	case op.Call > w.frontier:
		return w.realTimeViolation(i)
	}
	if op.Outcome == OutcomeUnknown && !op.WitnessOutput {
		w.replay.Effect(&op.Input)
	} else if !w.replay.Step(&op.Input, &op.Output) {
		return &Violation{Kind: WrongResult, Op: i, Other: -1}
	}
	w.place(i)
	w.retry()
	w.placeUnlogged()
	return nil
}

// realTimeViolation returns the violation of placing i while the operation at the frontier is not
// placed: that operation has a later position, or fits nowhere.
func (w *witness[S, I, O]) realTimeViolation(i int) *Violation {
	other := int(w.byReturn[w.returned])
	if w.ops[other].At.IsZero() {
		return &Violation{Kind: WrongResult, Op: other, Other: i}
	}
	return &Violation{Kind: RealTime, Op: i, Other: other}
}

// placeUnlogged places the operations without a position that may come now, as far as the model
// gives their results in the present state.
func (w *witness[S, I, O]) placeUnlogged() {
	for w.admitted < len(w.unlogged) {
		i := w.unlogged[w.admitted]
		if w.ops[i].Call > w.frontier {
			return
		}
		w.admitted++
		if !w.peek(i) {
			w.pending = append(w.pending, i)
		}
	}
}

// retry tries the pending operations on a new state.
func (w *witness[S, I, O]) retry() {
	if len(w.pending) == 0 {
		return
	}
	kept := w.pending[:0]
	for _, i := range w.pending {
		if !w.peek(i) {
			kept = append(kept, i)
		}
	}
	w.pending = kept
}

func (w *witness[S, I, O]) peek(i int32) bool {
	op := &w.ops[i]
	if !w.replay.Peek(&op.Input, &op.Output) {
		return false
	}
	w.place(int(i))
	return true
}

func (w *witness[S, I, O]) place(i int) {
	w.placed[i] = true
	w.order = append(w.order, int32(i))
	w.advance()
}

// advance moves the frontier past placed operations.
func (w *witness[S, I, O]) advance() {
	for w.returned < len(w.byReturn) && w.placed[w.byReturn[w.returned]] {
		w.returned++
	}
	w.frontier = Never
	if w.returned < len(w.byReturn) {
		w.frontier = w.ops[w.byReturn[w.returned]].Return
	}
}

// firstPending returns the pending operation that returned first.
func (w *witness[S, I, O]) firstPending() int { return int(w.byReturn[w.returned]) }

func (w *witness[S, I, O]) result(bad *Violation) WitnessResult {
	r := WitnessResult{Verdict: Legal, Logged: len(w.logged), Fitted: len(w.unlogged), Dropped: w.dropped, Order: w.order}
	if bad != nil {
		r.Verdict, r.Violation = Illegal, bad
	}
	return r
}
