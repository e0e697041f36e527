// Package store is synchronous: the durable side of one replica. It turns the
// numbered records of paxos.Node into entries of a log, keeps the promise in a
// register of its own, and gives both back, checked against each other, when a
// process starts.
//
// Read in this order: state, store, open, errors.
//
//	DIR/LOCK                  locked while the store is open
//	DIR/promise.a, .b         what the node promised, in a wal.Register
//	DIR/log/                  all records, in a wal.Log
//
// # Why the promise has a place of its own
//
// A vote that rots costs one value, and its frame still tells which one: it comes
// back as paxos.Unreadable, and a quorum decides (F0.3). A promise that rots would
// cost agreement: a replica that forgets it may vote in an older ballot (F0.2). So
// boot number and promise stand in two files, written and synced one after the
// other, outside everything that a log may drop.
//
// The register is written before any record of the same Append reaches the log:
// after a crash it may know of a promise that the log does not, never the other
// way round. In the log, Booted and Promised leave their own small records, so that
// numbers have no gaps and a register that is older than its log is noticed.
//
//	 0    2    4       12      20      24          32
//	+----+----+-------+-------+-------+-----------+
//	| 1  | 0  | boot  | round | node  | watermark |     all little endian
//	+----+----+-------+-------+-------+-----------+
//
// round and node are the ballot promised. watermark is the highest record known
// to be synced when the register was written: a log that ends below it has lost
// its end.
//
// # When a store refuses to open
//
// It stops being a replica (an error; the process ends) rather than guess:
//
//   - what the log lost cannot be narrowed down to votes (wal.ErrDamaged);
//   - neither copy of the register can be read (wal.ErrDamaged);
//   - a register without its log, or a log whose records know of a later boot, a
//     higher promise or a vote above the promise (ErrForgot);
//   - a record that was stored whole makes no sense (ErrRecord).
package store
