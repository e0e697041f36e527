// Package setpx is test support: it models the lock on one Redis instance by SET with NX and
// PX, of the documentation of Redis 7 [doc] and with the watchdog of Redisson [src]. It leaves
// out other commands and data types, the memory limit and eviction, Lua itself (each script is
// one command here), READONLY replicas and the election of Sentinel: a script promotes the replica
// and clients know at once.
//
// The algorithm:
//
//  1. v = 20 random bytes; SET lock v NX PX ttl
//  2. OK: held, until ttl has passed on the client's clock since the command was sent;
//     nil: sleep 50 to 150 ms, then 1
//  3. release: a script that deletes the key if its value is v
//  4. renewal, where there is any: every ttl/3 a script that sets the expiry anew if
//     the value is v
//
// Expiry is an instant of the server's wall clock, as in Redis.
//
// Reading order: server.go (what the instance does), appendonly.go (what it keeps), lock.go
// (what the client does), system.go (its card), breaks.go (X1 to X6).
package setpx
