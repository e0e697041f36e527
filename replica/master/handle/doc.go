// Package handle is pure: what the present master knows of open handles, and the
// tokens by which clients name them.
//
// A handle is a session's permission to use one node in certain ways, and it is
// bound to the node's instance. It is memory of the master, in no row: the client
// keeps a token, which holds all of it, and a new master makes the handle
// again when the token is presented (CHU §2.4, §2.9). Check digits keep clients
// from making tokens, so access is checked when a node is opened, and not on each call.
// It is checked again, by replica/master/nodeops, at a call that needs a right and comes by a
// handle of an older epoch, or by one that was handed out without a check (Untested).
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
// Numbers are big-endian. The secret is drawn outside, stands in a row, and is used
// for nothing else. Digits are compared in constant time. A new field is a new
// version, and a program that makes a version must go on taking those of before: clients
// hold tokens for as long as their sessions live. Version 1 is made for handles that no
// master tied to a sequencer; its tokens with one are of programs before version 2. Version 3 is
// made for handles whose clients want to hear of events.
//
// # What is said about a token
//
// In this order; the first that applies is the answer:
//
//	not of this form, cut short                               Malformed
//	its check digits are wrong, or it was never given out,
//	or never tied so                                          Forged
//	its session is not the one that presents it               Foreign
//	its epoch, or that of its tie, is above the present one   Future
//	it is open, and poisoned                                  Poisoned
//	it is open                                                Good
//	its epoch is the present one, so it was open              Closed
//	its epoch is older, and it was closed in this one         Closed
//	its epoch is older                                        Old
//
// Old is an invitation: the master looks whether the node's instance is there and
// there is room, and then calls Recreate. Rights are asked for by calls that need them.
//
// # Closed stays closed
//
// A handle of this epoch that is not open is closed, however old the duplicate of a call
// that names it. For handles of older epochs the table has to remember: epoch 5
// gives out a handle; the client closes it in epoch 6; a delayed duplicate of a call of
// epoch 6 arrives. Without the memory it would make the handle again, and no client
// would ever close it (CHU §2.9). Duplicates of calls of epoch 5 do not come this far,
// for calls name their epoch.
//
// The memory is bounded, by Limits.Closed. A session that closes more handles of older
// epochs than that loses the right to have any taken up again in this epoch. It may have
// more of them than Limits.PerSession: a new master counts those that it has seen, so
// a session may have as many again in each epoch, and use the older ones later.
//
// # A handle that is tied
//
// Attach gives a handle another token, and those of before it are good for it still: calls
// by them may be on their way. So the first token that a new master sees may be of before
// the tie. The master takes the handle up as that token says, and ties it as soon as a
// token tells of a later tie: a call that names the token of the last Attach is judged by
// that one's sequencer in each epoch, whatever came before it.
//
// Ties are ordered by the epoch of the master that made them, and by its count of them.
// The order stands in the token. It would not do to refuse a tie while a call of the handle
// waits: a call that has not reached the master yet waits as well.
//
// # An Open that comes again
//
// Opening a node that exists is a read and leaves no row. So that a call whose
// answer was lost does not leave a handle that no client knows, and with it an
// ephemeral node that never goes, the table remembers what each call has opened until the
// client says Seen (at most api.MaxWindow calls a session). A new master remembers no
// calls, and opens a second handle; but the first one it does not have.
//
// # The sequencer of a handle
//
// A handle may be tied to a sequencer (SetSequencer), and a new master must not
// forget that, so it stands in the token: Attach returns a new one. The table
// goes by what it has in memory, also when an older token of the handle comes.
//
// # Invariants
//
//	I-H1  state  handles are counted, and within the limits, but for those of Keep while there is no room for them
//	I-H2  state  an open handle belongs to its session and was given out, in this epoch or an older one
//	I-H3  state  calls that are remembered are above Seen, within the window, and opened handles of this epoch
//	I-H4  state  what is remembered as closed is of an older epoch, not open, and within the limit
//	I-H5  state  the openers of ephemeral nodes are counted
//	I-H6  state  the watchers are the open handles with events that are not poisoned
package handle
