// Package consul is test support: it models the session lock of Consul 1.17 as api.Lock and `consul
// lock` use it [src]. It leaves out Raft (one server leads and another may copy it; a script says
// when clients turn to the other), gossip itself (a script says that a node is taken for dead),
// jitter of blocking queries, ACLs, and other keys.
//
// The algorithm:
//
//  1. create a session with TTL, LockDelay and Behavior; renew it every TTL/2
//  2. acquire: the leader first looks whether a lock-delay of the key is in force, then appends
//     an entry; applied, it takes the key if it is free, and counts LockIndex up
//  3. refused: read the key; taken: wait until it changes, by a blocking query; free: a
//     lock-delay must be in force, sleep 5 s; then 2
//  4. monitor: a blocking query on the key; held until it shows another session or fails
//  5. release: free the key if it is the session's
//
// The server ends a session at twice its TTL after the last renewal, or at once when the health
// check of its node is critical; that frees its key and starts the lock-delay, which each server
// keeps in memory only.
//
// Reading order: server.go, sessions.go (their ends, and copies), lock.go (the client's part),
// system.go (the card), breaks.go (C1 to C7).
package consul
