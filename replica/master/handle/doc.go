// Package handle is pure: what the present master knows of open handles, and the
// tokens by which clients name them.
//
// A handle is a session's permission to use one node in certain ways, and it is
// bound to the node's instance. It is memory of the master and stands in no row. The client
// keeps a token, which holds all of it, and a new master recreates the handle when the client
// presents the token (CHU §2.4, §2.9). Check digits keep clients from forging tokens, so access
// is checked when a node is opened, and not on each call. replica/master/nodeops checks it again
// for a call that needs a right and uses a handle of an older epoch, or a handle that was given
// out without a check (Untested).
//
// A table is memory of one epoch; replica/master/nodeops owns it. A fail-over loses it:
// clients present their tokens to the next master, which makes the handles again.
//
// Reading order: handle.go (what a token holds, and the verdicts about one),
// seal.go (the bytes), table.go, open.go, tie.go, close.go, watcher.go (handles that hear of
// events), audit.go.
//
// # A token
//
//	version u8 · 'H' · epoch u64 · counter u64 · session u64 · instance u64
//	node kind u8 · flags u8 (1: ephemeral) · rights u8 · lock-delay u32, in ms
//	path u16 n, n bytes · sequencer u16 n, n bytes, n = 0 for none
//	version 2: tie epoch u64 · tie counter u64, neither 0, nor is n
//	version 3: tie epoch u64 · tie counter u64, 0 where it is not tied · events u8, not 0
//	check digits: HMAC-SHA-256 over all of the above, 32 bytes
//
// Numbers are big-endian. The secret stands in a row; the driver draws it at random when the cell
// is founded, and it is used for nothing else. Digits are compared in constant time. A new field
// needs a new version, and a program must accept the tokens of all earlier versions: clients hold
// tokens for as long as their sessions live. Version 1 is made for handles without a sequencer and
// without events; programs before version 2 also made it with a sequencer. Version 2 is made for
// handles that are tied to a sequencer, and version 3 for handles whose clients want events.
//
// # Verdicts about a token
//
// They are tested in this order; the first that applies is the verdict:
//
//	it does not have this form, or is cut short               Malformed
//	its check digits are wrong, or this master never gave     Forged
//	it out or never made its tie
//	its session is not the one that presents it               Foreign
//	its epoch, or that of its tie, is above the present one   Future
//	its handle is open, and poisoned                          Poisoned
//	its handle is open                                        Good
//	its epoch is the present one, so the handle was open      Closed
//	its epoch is older, and it was closed in this epoch       Closed
//	its epoch is older                                        Old
//
// After Old the master checks that the node's instance exists and that there is room, and then
// calls Recreate. Calls that need rights check them.
//
// # Closed stays closed
//
// A handle of this epoch that is not open is closed, however old the duplicate of a call
// that names it. For handles of older epochs the table has to remember: epoch 5
// gives out a handle; the client closes it in epoch 6; a delayed duplicate of a call of
// epoch 6 arrives. Without this memory the duplicate would recreate the handle, and no client
// would ever close it (CHU §2.9). Duplicates of calls of epoch 5 are refused before they come
// here, since calls name their epoch.
//
// Limits.Closed bounds this memory. If a session closes more handles of older epochs than that,
// none of its handles of older epochs can be recreated in this epoch. A session may have more such
// handles than Limits.PerSession: a new master counts only those that it has seen, so the session
// may open as many again in each epoch, and use the older ones later.
//
// # Ties to a sequencer
//
// A handle may be tied to a sequencer (SetSequencer). A new master must not forget that, so
// the sequencer stands in the token: Attach returns a new token. Earlier tokens of the handle
// remain good, since calls with them may be on their way. The table uses the sequencer that it
// has in memory, even when an older token of the handle arrives.
//
// The first token that a new master sees may be older than the tie. The master recreates the
// handle as that token says, and ties it as soon as it sees a token with a later tie. So in each
// epoch a call with the token of the last Attach is judged by the sequencer of that Attach,
// whatever came before it.
//
// Ties are ordered by the epoch of the master that made them, and by its count of them; both
// stand in the token. Refusing an Attach while a call of the handle waits would not help: a call
// that has not reached the master yet is on its way as well.
//
// # Duplicates of an Open
//
// Opening a node that exists is a read and leaves no row. If its answer is lost and a duplicate
// opened another handle, no client would know the first one, and its ephemeral node would never
// be deleted. So the table remembers which handle each call has opened until the client has
// acknowledged the call (at most api.MaxWindow calls for a session). A new master remembers no
// calls and opens a second handle, but it does not have the first one.
//
// # Invariants
//
//	I-H1  state  handles are counted, and within the limits, except those that Keep opened while there was no room
//	I-H2  state  an open handle belongs to its session and was given out, in this epoch or an older one
//	I-H3  state  remembered calls are above the highest that the client has acknowledged and within the
//	             window; they opened handles of this epoch
//	I-H4  state  handles that are remembered as closed are of older epochs, not open, and within the limit
//	I-H5  state  the openers of ephemeral nodes are counted
//	I-H6  state  the watchers are the open handles with events that are not poisoned
package handle
