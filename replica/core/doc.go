// Package core is pure: one replica of a cell, from the protocol to the answer.
//
// A Node puts four parts behind one set of doors, which have the shape of
// paxos.Node's:
//
//	paxos.Node      agrees on a log of values
//	db.DB           the rows, changed only by what the log says
//	command.Apply   what one command of the log does to the rows
//	master.Master   requests to commands, what became of them to answers
//
// # Order within one output
//
//	1  what the master wants proposed has gone to the log with its input
//	2  chosen slots are applied, in order: one transaction a slot, one Applied
//	   to the master a command
//	3  a change of who leads is told to the master
//	4  what the master then wants proposed goes to the log, and back to 2 until
//	   nothing moves
//
// A snapshot that is installed replaces the rows before 2; what it skips was
// never applied here.
//
// Slots come before the tenure that was told with them: a new leader has applied
// all it knows of before it proposes its epoch.
//
// # Reading alone
//
// With each door the master is told the instant, the rows, and until when the log
// has granted read authority, if the master serves in the tenure that has it
// (read.go). A call that only reads and comes before that end is answered from the
// rows, in the same call of Request that brought it. Otherwise it goes through the
// log.
//
// What all replicas of a cell must be told alike about time stands in the rows as
// constants: the first master writes them, and a node that was told otherwise
// stops when it applies them, or finds them applied (constants.go).
//
// # Comparing rows
//
// From time to time the master, serving or still in its fail-over, puts a checksum
// command into the log (PML §6.2).
// Each replica freezes its rows behind the slot in which it stands, sums them
// some at a time while it goes on, and tells all others (SumReport). Each judges
// itself, and only itself:
//
//   - What it computed is not what it kept while writing: memory has changed. It
//     stops (ErrMemory).
//   - So many members told another sum for the same slot that those with its own
//     cannot be a majority any more: it stops (ErrMinority). If it has not told
//     its own sum by then, that is its last word, as others judge by it.
//
// So with rows 2 to 1 the odd one stops, whether it is master or not, and the
// others go on; with 1 to 1 to 1, or 2 to 2, no master is left to serve, and no replica
// should. A replica that is well needs no leave of a majority to go on: silence,
// a lost report, or one about another slot say nothing, neither that rows are
// equal nor that they are not. The next comparison asks again.
//
// Why reports and not a second command with the master's sum: a replica that
// differs from the master does not know which of the two is wrong, and a follower
// has no way into the log. That one is ill is nothing all must agree on.
//
// What is promised: a replica whose rows differ from those of all others stops
// once it has summed them behind a checksum command and heard from all but a bare
// minority about that same slot. Until then a master answers from the rows it has.
// A new process builds them again, from a snapshot that a majority agreed with
// before it was written (package host) and from the log.
//
// # Invariants
//
//	I-S2  pair  what a snapshot says of itself (slot, members, epoch) is true of the
//	            rows in it
package core
