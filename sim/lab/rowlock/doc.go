// Package rowlock is test support: it models a lock that is a row of a table, by the common
// recipe [known], on PostgreSQL 16 [doc]. It leaves out SQL, isolation levels (each
// statement is a transaction of its own), other rows, vacuum, and the election of a new
// primary: a script promotes the replica, and clients know at once.
//
// The algorithm:
//
//  1. INSERT INTO locks (resource, holder, acquired_at) ... ON CONFLICT DO NOTHING
//  2. one row: held; none: sleep 100 to 1,000 ms, then 1
//  3. release: DELETE ... WHERE resource = ... AND holder = ...
//
// Nothing ends a lock but its release. Two remedies are common:
//
//   - a reaper deletes rows that are older than S
//   - step 1 takes such a row over: ON CONFLICT DO UPDATE SET holder = ..., epoch = epoch + 1
//     WHERE acquired_at is older than S RETURNING epoch. The epoch is a token as long as the row
//     is never deleted, so a release sets holder to NULL
//
// S is a lease that the holder does not know of. What makes this system special is that the data
// may be in the same database: a transaction that writes it and looks at the row of the lock
// is exact, and needs no lease to be right (lab.Transactor).
//
// Reading order: server.go (what the database does), lock.go (what the client does), system.go
// (its card), breaks.go (D1 to D6).
package rowlock
