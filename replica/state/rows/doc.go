// Package rows is pure: the replicated state of a cell as rows of a db.
//
// Everything on which all replicas must agree is a row, and only a command in the log
// (replica/state/command) changes it. So one snapshot format and one checksum cover all
// of it. This package defines the key and the value of each fact, not when it may
// change. Functions that read take a Reader, so the same function serves a
// transaction, the present rows and a view; functions that write take the transaction.
//
// Reading order: key.go (keys), row.go (totals, epoch, constants, secret), version.go (which commands the cell uses), session.go
// (sessions and answers), backup.go, restore.go (rows of a restored cell), audit.go.
//
// # The families
//
// The first byte of a key names its family, so rows of two families never meet, and no
// user's key can reach a system row. Numbers in keys are big-endian, of 8 bytes: their
// order is the order of keys. Families 't', 'b', 'i', 'p', 'q' belong to
// replica/state/tree, 'l' to replica/state/lock.
//
//	key                     value, behind a version byte      family
//	'n'                     commands u64, sessions u64        Totals: the command counter
//	'e'                     epoch u64, master u32,            Epoch
//	                        round u64, node u32
//	's' session             nonce 2 x u64, acked u64,         Session
//	                        principal
//	'o' nonce (16 bytes)    session u64                       opener: the session that a
//	    principal                                             principal has opened with a nonce
//	'd' session seq         result (api.AppendResult)         answer: the answer to an executed call
//	'c' name                the value                         Constant
//	'h'                     32 bytes                          secret: seals the tokens of handles
//	'm'                     milliseconds u64                  longest session lease
//	'k'                     slot u64, milliseconds u64        Backup
//	'a'                     u64                               how many sessions may be alive
//	'u' key                 the value, no version byte        user rows
//
// Values of fixed layout are big-endian as well. A system row that cannot be read is a
// broken invariant of this program (I-R1), never bad input.
//
// # Numbers
//
// The counter numbers every applied command, from 1: executed, repeated, refused and
// malformed ones. So a command's number is the count of commands in the log up to it.
// All ids are numbers of the commands that made them. They never come again, and no
// tombstones are needed. A session is named by the command that opened it.
//
// # Life of a session's rows
//
// OpenSession makes the session and the opener row. Each executed call leaves an answer
// row. A call with a higher AckedThrough raises that of the session and drops the
// answers up to it; api.MaxWindow bounds how far a Seq may be ahead, so a session has at
// most that many answers. EndSession drops all of them.
//
// # A restored cell
//
// Its rows are those of the backup, changed by Renew: numbers and epoch leap, and the
// secret is a new one. No log contains this change; the log of the new cell begins after
// it. I-R3 and I-R8 hold from there on.
//
// # Invariants (those of replica/state/command included)
//
//	I-R1  pair   a system row that is read was written by this package
//	I-R2  delta  a command changes no row outside command.FootprintOf
//	I-R3  delta  a command raises the counter by one; only Epoch raises the epoch, by one
//	I-R4  state  answers of a session have numbers in (AckedThrough, AckedThrough+MaxWindow],
//	             and the session is alive
//	I-R5  state  Totals counts the sessions; openers and sessions name each other
//	I-R6  state  every holder of a lock belongs to a session that is alive
//	I-R7  state  a lock that has a row is that of a present node, of the same lock generation; a node
//	             whose lock was never held has no such row
//	I-R8  state  a cell that has a tree has a secret, set once, and no other has one
//	I-R9  pair   a command of a version is proposed, and applied, only after a command before it in the log
//	             has said that the cell uses that version (GetVersion; replica/core)
package rows
