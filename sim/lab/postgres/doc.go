// Package postgres is test support: it models session-level and transaction-level advisory locks of
// PostgreSQL 16 [doc], over a direct connection or through PgBouncer 1.22 [doc]. It leaves out SQL,
// tables but one counter, deadlock detection, statement and lock time-outs, the write-ahead log
// (the counter outlives a power cut, and a standby is sent it; locks do neither, as in the product), and
// authentication.
//
// The algorithm:
//
//  1. SELECT pg_advisory_lock(k): waits; the lock belongs to the backend, and the same backend
//     may take it again, counted
//  2. with a token: UPDATE lease SET epoch = epoch + 1 ... RETURNING epoch
//  3. release: SELECT pg_advisory_unlock(k), which answers false if the backend has no such lock
//  4. or, at the level of a transaction: BEGIN, pg_advisory_xact_lock(k), ..., COMMIT
//
// There is no lease: the lock is free when the backend exits, which it does some time after its
// connection is dead. PgBouncer lends a backend to a client for a session or for a transaction, the
// one that came back last; it resets it (DISCARD ALL) only when a session ends.
//
// Reading order: server.go, pooler.go, lock.go (the client's part), system.go (the card),
// breaks.go (P1 to P6).
package postgres
