// Package etcd is test support: it models the Mutex of etcd's concurrency package, as of 3.4 and
// with the check that 3.5.0 added (#11456) [src], on leases as its server keeps them [src]. It
// leaves out Raft (followers copy what the leader does without acknowledging it, the next one in
// order takes over after a second of silence, and one number that all see stands for their votes; so
// servers must not be cut off from each other), disks, other keys, checkpoints of leases, authentication, and the read-write lock.
//
// The algorithm:
//
//  1. session: grant a lease of TTL, renew it every TTL/3
//  2. key = lock/LEASE; in one transaction: put it if it is not there, and read the key with
//     the lowest create revision; if that is the own one: held
//  3. wait until the key with the highest create revision below the own is deleted; repeat
//     until there is none
//  4. since 3.5.0: read the own key; if it is gone the session was over, start anew
//  5. release: delete the key, revoke the lease
//
// The leader looks for expired leases every 500 ms and revokes them one by one, each by an entry of
// the log. An expired lease cannot be renewed: its renewal waits for the revocation. A new leader
// gives every lease its whole TTL, and an election timeout.
//
// Reading order: server.go (state and requests), lessor.go (leases, leaders), session.go and
// mutex.go (the client's part), system.go (the card), breaks.go (E1 to E8),
// load.go (how many updates are lost under pauses).
package etcd
