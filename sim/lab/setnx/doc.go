// Package setnx is test support: it models the lock by SETNX without an expiry on one Redis
// instance, of the documentation of Redis 7 [doc]. It leaves out other data types, Lua itself,
// READONLY replicas and the election of Sentinel: a script promotes the replica, and clients
// know at once.
//
// The algorithm:
//
//  1. SETNX lock id, where id names the client and its try
//  2. 1: held; 0: sleep 50 to 150 ms, then 1
//  3. in one variant: EXPIRE lock ttl, as a command of its own
//  4. release: DEL lock, whatever its value is
//
// Nothing ends a lock but its release. So nothing is wrong with it while no client crashes,
// and all the breaks are about what people then add to it.
//
// Reading order: server.go (what the instance does), kept.go (what its disk keeps), lock.go
// (what the client does), system.go (its card), breaks.go (S1 to S7).
package setnx
