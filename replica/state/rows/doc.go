// Package rows is pure: what the replicated state of a cell looks like as rows
// of a db.
//
// Everything all replicas must agree on is a row, changed only by a command in
// the log (replica/state/command); one snapshot format and one checksum then cover
// all of it. This package knows where each fact stands and how it is written
// down, not when it may change. Reading goes through Reader, so the same
// function serves a transaction, the present rows and a view; writing takes the
// transaction.
//
// # The families
//
// The first byte of a key names its family, so rows of two families never
// meet, and nothing a user calls a key can touch what the cell stands on.
// Numbers in keys are big-endian, of 8 bytes: their order is the order of keys.
// Other packages have families of their own: 't', 'b', 'i', 'p', 'q' are of
// replica/state/tree, 'l' is of replica/state/lock.
//
//	key                     value, behind a version byte      family
//	'n'                     commands u64, sessions u64        Totals: the command counter
//	'e'                     epoch u64, master u32,            Epoch
//	                        round u64, node u32
//	's' session             nonce 2 x u64, seen u64,          Session
//	                        principal
//	'o' nonce (16 bytes)    session u64                       opener: which session a principal has
//	    principal                                             opened by a nonce
//	'd' session seq         result (api.AppendResult)         answer: the answer to an executed call
//	'c' name                the value                         Constant
//	'h'                     32 bytes                          secret: seals the tokens of handles
//	'm'                     milliseconds u64                  longest session lease
//	'k'                     slot u64, milliseconds u64        Backup
//	'u' key                 the value, no version byte        user rows
//
// Values of fixed layout are big-endian as well. A system row that cannot be
// read is a broken promise of this program (I-R1), never bad input.
//
// # Numbers
//
// The counter numbers every applied command, from 1: executed, repeated and
// refused ones, malformed ones too, so the number is the count of commands in
// the log before and with it. All ids are numbers of the command that made
// them; so they never come again, without tombstones. A session is named by
// the command that opened it.
//
// # Life of a session's rows
//
// OpenSession makes the session and the opener row. Each executed call leaves an
// answer row. A call that says Seen raises the session's Seen and drops the
// answers up to there; api.MaxWindow bounds how far a Seq may be ahead, so a
// session has at most that many answers. EndSession drops all of them.
//
// # A cell that is made of a backup
//
// Its rows are those of the backup, renewed (Renew): numbers and epoch leap, the
// secret is another one. No log says so; it is what the log of the new cell begins
// with. I-R3 and I-R8 hold from there on.
//
// # Invariants (those of replica/state/command included)
//
//	I-R1  pair   a system row that is read was written by this package
//	I-R2  delta  a command changes no row outside command.Touches
//	I-R3  delta  a command raises the counter by one; only Epoch raises the epoch, by one
//	I-R4  state  answers of a session have numbers in (Seen, Seen+MaxWindow], and there is a session
//	I-R5  state  Totals counts the sessions; openers and sessions name each other
//	I-R6  state  whoever holds a lock is of a session that is alive
//	I-R7  state  a lock that has a row is that of a node that stands, of the same lock generation; a node
//	             whose lock was never held has no such row
//	I-R8  state  a cell that has a tree has a secret, set once, and no other has one
package rows
