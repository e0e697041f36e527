package history

import "fmt"

// Recorder builds a history while it happens. It numbers the events itself, in the order in which its methods are
// called, so stamps are unique. It is not safe for concurrent use.
//
// Its methods panic for events that cannot happen (a client calls while its last call is
// outstanding, an operation ends twice): the test's bookkeeping is wrong then, and a verdict
// would mean nothing.
type Recorder[I, O any] struct {
	ops        []Operation[I, O]
	byReturn   []int32
	stamp      int64
	busy       map[int64]int // the outstanding operation of a client, plus one
	concurrent map[int64]bool
	names      Names
	ended      bool
}

// NewRecorder returns an empty recorder with room for about size operations.
func NewRecorder[I, O any](size int) *Recorder[I, O] {
	return &Recorder[I, O]{
		ops:        make([]Operation[I, O], 0, size),
		byReturn:   make([]int32, 0, size),
		busy:       make(map[int64]int),
		concurrent: make(map[int64]bool),
	}
}

// Concurrent allows a client to have several operations outstanding. Call it before the
// client's first operation.
func (r *Recorder[I, O]) Concurrent(client int64) { r.concurrent[client] = true }

// Name gives a client a name, for reports: "#4 reader c3: get x" in place of "#4 client 3: get x". Several
// clients may have one name, such as the lives of a machine, each of which is a client of its own because its last call may
// have no outcome. Files have the number only. Name may be called at any time before History. An empty name is none.
func (r *Recorder[I, O]) Name(client int64, name string) {
	r.assert(!r.ended, "a name after the end of the history")
	if r.names == nil {
		r.names = Names{}
	}
	r.names[client] = name
}

// Call records that client calls in at true time ns, and returns the
// operation's number: its ID, and its index in the history.
func (r *Recorder[I, O]) Call(client, ns int64, in I) int {
	r.assert(!r.ended, "call after the end of the history")
	r.assert(r.busy[client] == 0, "%s calls while operation %d is outstanding", r.names.who(client), r.busy[client]-1)
	i := len(r.ops)
	r.ops = append(r.ops, Operation[I, O]{
		ID: int64(i), Client: client, Call: r.next(), Return: Never, CallTime: ns,
		Input: in, Concurrent: r.concurrent[client],
	})
	if !r.concurrent[client] {
		r.busy[client] = i + 1
	}
	return i
}

// OK records that operation i returned out at true time ns.
func (r *Recorder[I, O]) OK(i int, ns int64, out O) {
	op := r.end(i, ns, OutcomeOK)
	op.Return, op.Output = r.next(), out
	r.byReturn = append(r.byReturn, int32(i))
}

// Failed records that operation i certainly took no effect and never will.
func (r *Recorder[I, O]) Failed(i int, ns int64) {
	r.end(i, ns, OutcomeFailed).Return = r.next()
}

// Unknown records that the client gave up operation i at true time ns, without knowing whether it took or will take
// effect. The client may call again.
func (r *Recorder[I, O]) Unknown(i int, ns int64) { r.end(i, ns, OutcomeUnknown) }

// At records the position of operation i in the witness. It may be called at any time, for an
// operation of any outcome, at most once.
func (r *Recorder[I, O]) At(i int, p Position) {
	r.assert(i >= 0 && i < len(r.ops), "no operation %d", i)
	r.assert(r.ops[i].At.IsZero(), "operation %d is placed twice", i)
	r.assert(p.Slot >= 1 && p.Index >= 0, "operation %d: position %d.%d", i, p.Slot, p.Index)
	r.ops[i].At = p
}

// WitnessOutput records the output of operation i in the witness, in case its client never
// receives it. It may be called at any time, at most once, for an operation that has or gets a
// position.
func (r *Recorder[I, O]) WitnessOutput(i int, out O) {
	r.assert(i >= 0 && i < len(r.ops), "no operation %d", i)
	r.assert(!r.ops[i].WitnessOutput, "operation %d is told twice", i)
	if r.ops[i].WitnessOutput = true; r.ops[i].Outcome != OutcomeOK {
		r.ops[i].Output = out
	}
}

// Len returns the number of operations called so far.
func (r *Recorder[I, O]) Len() int { return len(r.ops) }

// History ends the recording, and returns the history, which owns the recorder's data. Outstanding operations get an
// unknown outcome.
func (r *Recorder[I, O]) History() *History[I, O] {
	r.ended = true
	for i := range r.ops {
		op := &r.ops[i]
		if op.Outcome == 0 {
			op.Outcome = OutcomeUnknown
		}
		r.assert(!op.WitnessOutput || !op.At.IsZero(), "operation %d is told and has no position", i)
		op.WitnessOutput = op.WitnessOutput && op.Outcome == OutcomeUnknown
	}
	return &History[I, O]{ops: r.ops, byReturn: r.byReturn, names: r.names}
}

func (r *Recorder[I, O]) end(i int, ns int64, o Outcome) *Operation[I, O] {
	r.assert(!r.ended, "operation %d ends after the end of the history", i)
	r.assert(i >= 0 && i < len(r.ops), "no operation %d", i)
	op := &r.ops[i]
	r.assert(op.Outcome == 0, "operation %d ends twice: %s, then %s", i, op.Outcome, o)
	op.Outcome, op.ReturnTime = o, ns
	if !op.Concurrent {
		delete(r.busy, op.Client)
	}
	return op
}

func (r *Recorder[I, O]) next() int64 {
	r.stamp++
	return r.stamp
}

func (r *Recorder[I, O]) assert(ok bool, format string, args ...any) {
	if !ok {
		panic("linearizability: recorder: " + fmt.Sprintf(format, args...))
	}
}
