// Package calls is pure: the table of the calls that the present master works on, and
// of the answers that it repeats.
//
// Each call has one entry, under its session and Seq, from the first duplicate that the
// master accepts until the call has its answer and its command has been applied. The entry says what
// decides the call, which duplicate gets the answer, where the command is, and which
// handle or path it uses. An answer that stands in no row is kept beside the entries, until the client
// acknowledges it. Two packages change entries: replica/master (calls on rows,
// requests that open sessions, and the places of commands) and replica/master/nodeops
// (calls on nodes).
//
// The counts by session, path and handle are an index: Table updates them whenever an entry
// changes, and no other package stores the calls under way. The order of calls that wait for a
// lock or a sweep is kept by replica/master/lockwait and nodeops, and the order of commands in
// front of the log by replica/master/fairqueue.
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
//	Undecided   the master is deciding the call right now, or the call has its answer
//	Logged      a call on a row, or one that opens a session: its command decides it
//	Proposed    a call on a node: its command decides it
//	Parked      an Acquire that waits for its lock
//	Held        an Open that waits for a sweep of its path
//	Barred      a change that waits for the caches of clients
//
// Independently of the state, an entry says whether a duplicate waits for the answer (Awaited), and
// where the command is (Place). A call that was given up may be Proposed while no duplicate waits; a
// call whose session has ended may be Undecided while its command stands in the log. An entry that is
// Undecided, not awaited and without a command is empty, and is removed at once.
//
// # Invariants
//
//	I-C1  state  the counts are those of the entries, and no entry is empty
//	I-C2  state  no call that the client has acknowledged is Parked, Held or Barred, or has a kept
//	             answer; kept answers lie within the window, and a call with one is not under way
//	             on a node
//	I-C3  state  a call that a command decides has one, in the queue or in the log
//	I-C4  delta  a call has one command at a time
package calls
