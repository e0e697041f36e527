// Package store is synchronous: the durable side of one replica.
//
// It turns the numbered records of paxos.Node into entries of a log. It keeps the
// promise in a register of its own, and snapshots of the rows beside them. When a process
// starts, it returns all three, checked against each other. It also writes backups to
// another place, and the directory of a replica that begins with given rows.
//
// Reading order: state.go, index.go, store.go, snapshots.go, open.go, errors.go; then
// place.go (backups), restore.go.
//
//	DIR/LOCK                  locked while the store is open
//	DIR/promise.a, .b         what the node promised, in a wal.Register
//	DIR/log/                  all records, in a wal.Log
//	DIR/snapshots/            rows at some slots, in a snapshot.Store
//
// Two kinds of disk jobs use it side by side: log jobs use the Store, with log and
// register, bulk jobs use its Snapshots.
//
// # Why the promise has a place of its own
//
// A vote that rots costs one value, and its frame still tells which one: it comes back
// as paxos.Unreadable, and a quorum decides (F0.3). A learned value that rots costs a
// question to a peer. A promise that rots would cost agreement: a replica that forgets it
// may vote in an older ballot (F0.2). So boot number and promise stand in two files,
// written and synced one after the other, outside everything that a log may drop.
//
// The register is written before any record of the same Append reaches the log:
// after a crash it may know of a promise that the log does not, never the other
// way round. In the log, Booted and Promised leave their own small records, so that
// numbers have no gaps and a register that is older than its log is noticed.
//
//	 0    2    4       12      20      24          32      40      48      56
//	+----+----+-------+-------+-------+-----------+-------+-------+-------+
//	| 4  | 0  | boot  | round | node  | watermark | floor | first | grant |   all little endian
//	+----+----+-------+-------+-------+-----------+-------+-------+-------+
//
// round and node are the ballot promised. watermark is the highest record known
// to be synced when the register was written: a log that ends below it has lost
// its end. floor is a slot: the log may lack records that concern only slots
// below it. first is the record from which on the log has all: one that begins
// later was cut after the register was written. grant, in nanoseconds, is the longest
// Lease.Grant that any life of the replica was configured with (paxos.Booted). Versions
// 1 and 2 had no first, version 3 no grant; they are refused.
//
// # How the log loses its front
//
//  1. A bulk job publishes a snapshot: it is durable, under its name. A majority had the
//     same rows before the first byte of it was written.
//  2. The job prunes: the two newest good snapshots stay. The rows of an own one were
//     summed while they were written; one from a peer has been loaded by then.
//  3. Snapshots.Floor is the slot above the older of the two, or 0 while there are not
//     two: either of them may rot, and the other one with the log replaces it.
//  4. A log job writes that floor, and first, into the register, then drops the segments
//     in which every record concerns lower slots. If no whole segment can go it does
//     nothing.
//
// Which records those are the store knows by itself, from paxos.HighestSlot: a node
// need not know where its records stand, nor a log what its entries mean.
//
// When it opens, the store takes the newest snapshot whose rows load to the last
// one, or the one before where that is bad, and reports the bad one. If the floor
// lies above what it covers, votes are lost, and the store does not open.
//
// # When a store refuses to open
//
// Open returns an error, and the process ends, in these cases:
//
//   - what the log lost cannot be narrowed down to votes (wal.ErrDamaged);
//   - neither copy of the register can be read (wal.ErrDamaged);
//   - a register without its log, or a log whose records know of a later boot, a
//     higher promise or a vote above the promise (ErrForgot);
//   - the log lacks its front, and no good snapshot covers it (ErrUncovered), or the
//     register does not know of that (ErrForgot);
//   - snapshots without a register (ErrForgot);
//   - a record that was stored whole is malformed (ErrRecord).
package store
