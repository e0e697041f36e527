// Package core is pure: one replica of a cell, from the protocol to the answer.
//
// A Replica joins four parts. Its methods have the shape of those of paxos.Node: one for
// each kind of input, and one TakeOutput.
//
//	paxos.Node      agrees on a log of values
//	db.DB           holds the rows, which only commands of the log change
//	command.Apply   executes one command of the log on the rows
//	master.Master   turns requests into commands, and their outcomes into answers
//
// # Order within one output
//
//	1  an input method has already handed the commands that it caused to the log
//	2  chosen slots are applied, in order: one transaction for each slot, and one
//	   Applied to the master for each command
//	3  the master is told of a change of leader
//	4  commands that the master then proposes go to the log; steps 2 to 4 repeat until
//	   it proposes none
//
// Install replaces the rows before step 2; the slots that the snapshot covers are never
// applied here.
//
// Slots come before the tenure that the log reports with them: a new leader applies
// all slots that it knows as chosen before it proposes its epoch.
//
// # Reads without the log
//
// Each input passes the master the instant, the rows, and the end of read authority, if
// the log granted it to the tenure in which the master has its epoch (read.go). A call
// that only reads, and arrives before that end, is answered from the rows, within the
// call of Request that brought it. Otherwise it goes through the log.
//
// Some settings, such as those of leases, must be the same on all replicas of a cell. They
// stand in the rows as constants. The first master writes them; a replica that is
// configured otherwise stops when it applies them or finds them in its rows
// (constants.go).
//
// # Comparing rows
//
// From time to time the master, whether it serves yet or not, puts a checksum command
// into the log (PML §6.2). Each replica freezes its rows after the slot of that command,
// sums them in parts while it goes on, and sends the sum to all others (SumReport). Each
// replica judges only itself:
//
//   - The sum is not the checksum that the db kept while it was written: memory has
//     changed. The replica stops (ErrMemory).
//   - So many members reported another sum for the same slot that no majority can have
//     this one: the replica stops (ErrMinority). If it has not sent its own sum yet, it
//     sends it before it stops, since others judge themselves by it.
//
// So if two replicas have the same rows and a third has others, the third stops, whether
// it is the master or not, and the two go on. If all three differ, or four are split two
// to two, no majority remains that could serve, and none should. A replica does not need
// the consent of a majority to go on: silence, a lost report or a report about another slot
// tells nothing. The next comparison asks again.
//
// Why reports, and not a second command with the sum of the master: a replica that
// differs from the master does not know which of the two is wrong, and a follower
// cannot propose. Nor do the replicas have to agree on which of them is wrong.
//
// The promise: a replica whose rows differ from those of all others stops once it has
// summed them after a checksum command, and so many members have reported about the same
// slot that this replica and the silent ones are no majority. Until then a master answers
// from the rows that it has. A new process builds the rows again, from the log and from a
// snapshot whose rows a majority had before it was written (package driver).
//
// # Invariants
//
//	I-S2  pair  what a snapshot says of itself (slot, members, epoch) is true of the
//	            rows in it
package core
