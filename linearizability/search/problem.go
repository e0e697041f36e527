package search

// Op is one operation.
type Op struct {
	// Call and Return are stamps. No two calls are equal, nor a call and a return. Return is ignored for an open
	// operation.
	Call, Return int64
	// Open says that the operation has no return: it may take effect at any time after its call, or not at all.
	Open bool
	// Read says that the operation never changes the state. Step may return a state that is not Same, if the output of
	// the read determines something that was unknown.
	Read bool
	// Twin is, for an open operation, one plus the index of the last open operation before it that has the same effect;
	// 0: there is none, or it is unknown.
	Twin int32
}

// Problem is a set of operations and their specification. Run searches an order of them. All functions must be pure.
type Problem[S any] struct {
	Init S
	Ops  []Op // in order of call
	// Step reports whether an operation, named by its index, fits in a state, and returns the state after it.
	Step func(s S, op int) (ok bool, next S)
	Same func(a, b S) bool // reports whether two states are equal
	Hash func(s S) uint64  // equal for equal states; nil: no hash, which is slower
	Size func(s S) int     // approximate bytes that a state holds
}

// Bounds end a search. Zero values are no bounds.
type Bounds struct {
	Steps int64 // calls of Step
	Bytes int64 // approximate memory of the search
	// Stop is called once every Asked steps; if it returns true, the search ends. Only Stop can make a result depend on
	// the machine. nil: no bound.
	Stop func() bool
}

// Asked is the number of steps between two calls of Bounds.Stop.
const Asked = 1024

// Bound is the bound that ended a search.
type Bound string

// The bounds.
const (
	None   Bound = ""
	Steps  Bound = "steps"
	Memory Bound = "memory"
	Time   Bound = "time"
)

// Result is the result of a search.
type Result struct {
	// Found says that there is an order. If it is false and Met is None, there is no order.
	Found bool
	Met   Bound // the bound that ended the search before it was decided, or None
	Steps int64 // calls of Step
	Bytes int64 // approximate memory that the search used
	// Stuck is the index of an operation, if there is no order: the search never passed its return, and the operations
	// that returned before it have an order. -1: an order was found.
	Stuck int
}
