// Package redlock is test support: it models Redlock on five independent Redis instances, of
// the description at redis.io [doc] with the numbers of redsync 4.9.4 [src]. It leaves out
// persistence (an instance that restarts is empty), fail-fast, replicas of the five, and the limit
// of 32 tries: a program that still wants the lock calls again.
//
// The algorithm:
//
//  1. start = now; v = 16 random bytes
//  2. SET lock v NX PX ttl on all instances at once; each has ttl/20 to answer
//  3. held, if a majority said OK and now is before
//     until = now + ttl - (now - start) - ttl/100
//  4. otherwise the release script on all instances, then sleep 50 to 250 ms, then 1
//  5. release: delete the key on all instances where its value is v
//  6. extension, where a program asks for it: every ttl/3 a script on all instances that sets
//     the expiry anew if the value is v; valid longer if a majority did
//
// Expiry is an instant of each instance's wall clock.
//
// Reading order: server.go (one instance), lock.go (what the client does), system.go (its
// card), breaks.go (R1 to R7).
package redlock
