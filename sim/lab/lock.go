package lab

// Lock is the client's part of a system's algorithm. One Lock serves all clients of a run; what
// is to be kept for one grant goes into Grant.State. Its methods run on coroutines of the
// client's machine and may block by the calls of Node.
type Lock interface {
	// Acquire returns when the client may act as the holder. It retries as the real client
	// does, for ever.
	Acquire(n *Node) Grant
	// Valid says whether the client's library still takes the grant for valid, by what it
	// knows itself: its clock, or what its session was told. It sends nothing.
	Valid(n *Node, g *Grant) bool
	// Release gives the lock back, or tries to. It is not called after the client gave up.
	Release(n *Node, g *Grant)
}

// Grant is what a client has in its hands as a holder.
type Grant struct {
	Token uint64 // for the resource; 0: the system has none
	Name  string // by which the service knows the grant, such as a random value or a session
	State any    // the Lock's own
}

// Transactor is a Lock whose service keeps the resource, too: a table of the same database
// (Variant.Inside).
type Transactor interface {
	// Owns says whether a grant is in force, at the instant at which the resource decides. up is
	// false while the service is down: then nothing is decided, and the request has no answer. It
	// must not block.
	Owns(g *Grant) (yes, up bool)
}

// Questioner is a Lock for which a resource can ask the service whether a grant is in force
// (CheckThenAct).
type Questioner interface {
	// Ask asks on behalf of the resource, on the resource's machine, and may block.
	Ask(n *Node, g *Grant) bool
}
