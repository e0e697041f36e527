// Package node is pure: one replica of a cell, from the protocol to the answer.
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
// Slots come before the tenure that was told with them: a new leader has applied
// all it knows of before it proposes its epoch.
package node
