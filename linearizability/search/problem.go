package search

// Op is one operation.
type Op struct {
	// Call and Return are stamps; calls differ from each other and from returns. Open: it has
	// no return, and may take effect at any time after its call or not at all.
	Call, Return int64
	Open         bool
	// Read says that it changes no state. To place it earlier, where it fits as well and
	// leaves the state as it is, makes nothing impossible.
	Read bool
	// Twin is, of an open operation, the index of the last open one before it that does the
	// same, plus one; 0: there is none, or that is not known.
	Twin int32
}

// Problem is what an order is searched for. All functions are pure.
type Problem[S any] struct {
	Init S
	Ops  []Op // in order of call
	// Step reports whether an operation, named by its index, fits in a state, and the state
	// after it.
	Step func(s S, op int) (ok bool, next S)
	Same func(a, b S) bool
	Hash func(s S) uint64 // equal for equal states
	Size func(s S) int    // about how many bytes a state holds
}

// Bounds end a search. Zero values are no bounds.
type Bounds struct {
	Steps int64 // calls of Step
	Bytes int64 // about what the search remembers
	// Stop is asked every so many (Asked) steps. Only with it can a result depend on the machine.
	Stop func() bool
}

// Asked is how many steps a search takes until it asks again whether to stop.
const Asked = 1024

// Bound is the bound that a search met.
type Bound string

// The bounds.
const (
	None   Bound = ""
	Steps  Bound = "steps"
	Memory Bound = "memory"
	Time   Bound = "time"
)

// Result is what a search found.
type Result struct {
	// Found: there is an order. Otherwise there is none, or Met says why that is not known.
	Found bool
	Met   Bound
	Steps int64
	Bytes int64
	// Stuck is, if there is no order, the operation before whose return the search never
	// came: all that returned earlier have an order. -1 if an order was found.
	Stuck int
}
