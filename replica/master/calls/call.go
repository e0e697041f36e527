package calls

import (
	"cmp"
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
)

// Addr names a client connection. The driver chooses it; the master only returns it in a reply.
type Addr uint64

// Destination is where the answer to one duplicate of a request goes.
type Destination struct {
	Addr Addr
	ID   uint64 // api.Request.ID of the duplicate
}

// Key names a call: all its duplicates have the same Key. It is session and Seq or, for a request
// that opens a session, the nonce and the principal. The same nonce of another principal is another
// request: its sender must not be told of this session.
type Key struct {
	Session api.SessionID
	Seq     api.Seq
	Nonce   api.Nonce
	Opener  api.Principal // empty unless the request opens a session
}

// KeyOf returns the key of a request of a principal.
func KeyOf(who api.Principal, session api.SessionID, seq api.Seq, op api.Op) Key {
	k := Key{Session: session, Seq: seq}
	if open, ok := op.(api.OpenSession); ok {
		k.Nonce, k.Opener = open.Nonce, who
	}
	return k
}

// Compare orders keys, so that work for many calls is done in a fixed order.
func (k Key) Compare(l Key) int {
	return cmp.Or(cmp.Compare(k.Session, l.Session), cmp.Compare(k.Seq, l.Seq),
		cmp.Compare(k.Nonce[0], l.Nonce[0]), cmp.Compare(k.Nonce[1], l.Nonce[1]), cmp.Compare(k.Opener, l.Opener))
}

// Request is what one duplicate of a call asks for.
type Request struct {
	Session   api.SessionID
	Seq, Seen api.Seq
	Principal api.Principal // whose session it is
	// MayCache says that the client asked to keep the answer in its cache, and that the state of its
	// session allows it at this instant.
	MayCache bool
	Op       api.Op
}

// State says what decides a call.
type State uint8

// The states; the package comment has how one follows from another.
const (
	// Undecided: the master is deciding the call right now, or the call has its answer or was given
	// up. A command of it may still be on its way.
	Undecided State = iota
	// Logged: a call on a row; its command decides when it is applied.
	Logged
	// Proposed: a call on a node; its command decides when it is applied.
	Proposed
	// Parked: an Acquire that waits for its lock.
	Parked
	// Held: an Open that waits for a sweep of its path.
	Held
	// Barred: a change that waits until clients have dropped from their caches the paths it touches.
	Barred
)

// String names the state as traces do.
func (s State) String() string {
	if s > Barred {
		return fmt.Sprintf("state(%d)", uint8(s))
	}
	return [...]string{Undecided: "undecided", Logged: "logged", Proposed: "proposed", Parked: "parked", Held: "held", Barred: "barred"}[s]
}

// onNode reports whether a call on a node is under way in this state.
func (s State) onNode() bool { return s == Proposed || s.Waits() }

// Waits reports whether a call on a node waits in this state for something other than a command.
func (s State) Waits() bool { return s == Parked || s == Held || s == Barred }

// needsCommand reports whether a command decides a call in this state.
func (s State) needsCommand() bool { return s == Logged || s == Proposed }

// Place says where the command of a call is.
type Place uint8

// The places of a command.
const (
	Nowhere Place = iota // there is none
	InQueue              // in the fair queue in front of the log
	InLog                // handed to the log, and not applied yet
)

// AttemptKind says what the proposed command of a call would do with a handle.
type AttemptKind uint8

// The kinds of attempts. The table does not count those of kind Other.
const (
	Other    AttemptKind = iota
	Acquires             // it would acquire the lock for Attempt.Handle
	Releases             // it would release the lock of Attempt.Handle
	Opens                // it would open Attempt.Path
)

// Attempt names the handle or path that a call on a node uses.
type Attempt struct {
	Kind   AttemptKind   // of the command that is, or was last, proposed
	Handle handle.Handle // of a call that uses one
	Path   api.Path      // of an Open that is proposed or held
}

// Call is the entry of one call. Only the methods of Table change it, except for Request, Queued and,
// while the call is not Proposed, Attempt: nodeops sets these.
type Call struct {
	Key
	Request Request // the duplicate that began the call; zero unless the call is on a node
	State   State
	Attempt
	Queued bool // an Acquire that has a place in the queue for its lock, parked or proposed

	To      Destination // of the newest duplicate
	Awaited bool        // that duplicate waits for the answer

	Place Place         // of the command
	Share api.Principal // the principal in whose queue the command is or was
}
