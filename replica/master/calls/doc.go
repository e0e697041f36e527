// Package calls is pure: the table of the calls that the present master works on, and
// of the answers that it repeats.
//
// Each call has one entry, under its session and Seq, from the first duplicate that the
// master accepts until the call has its answer and its command has left the log. The entry says what
// decides the call, which duplicate gets the answer, where the command is, and which
// handle or path it uses. An answer that stands in no row is kept beside the entries, until the client
// acknowledges it. Two packages move entries: replica/master (calls on rows, the
// requests that open sessions, and where commands are) and replica/master/nodeops
// (calls on nodes).
//
// What is counted by session, path and handle is an index: Table derives it from the
// entries when one of them changes, and nothing else stores a call that is under way.
// What waits for a lock or for a sweep has its order in replica/master/lockwait and
// nodeops; the queue in front of the log has the order of commands
// (replica/master/fairqueue).
//
// A table is memory of one epoch. A fail-over loses it, and nothing in it is needed for
// safety: the next master answers the calls that were executed from the rows, and clients
// send the others again.
//
// Reading order: call.go (an entry), table.go (how entries come and go), index.go (what
// is counted), now.go (which calls need no command), audit.go.
//
// # States
//
//	Undecided   the master is deciding in this very step, or the call has its answer
//	Logged      a call on a row, or one that opens a session: its command decides it
//	Proposed    a call on a node: its command decides it
//	Parked      an Acquire that waits for its lock
//	Held        an Open that waits for a sweep of its path
//	Barred      a change that waits for the caches of clients
//
// Beside its state an entry says two things, each on its own: which duplicate waits for
// the answer (Awaited), and where the command is (Place). A call that was given up may be Proposed and awaited by none; one
// whose session has ended may be Undecided while its command stands in the log. An entry
// that says nothing any more is removed at once.
//
// # Invariants
//
//	I-C1  state  the counts are those of the entries, and no entry is empty
//	I-C2  state  a client that has acknowledged a call awaits no lock, sweep or kept answer
//	             of it; what is kept lies within the window, and is of no call on a node that
//	             is under way
//	I-C3  state  a call that its command decides has one, in the queue or in the log
//	I-C4  delta  a call has one command at a time
package calls
