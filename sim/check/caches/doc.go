// Package caches is test support: it checks that a client that reads from its cache finds
// what the master would have answered (S12).
//
// It knows the commands of the log when they are first applied anywhere, up to which one a
// serving master has applied them, when a program begins to read and what it gets, and the
// bytes between clients and masters. It does not look into caches, barriers and tables.
//
// # What is checked
//
//	no stale read     a read finds what existed after some command between two: the last one that
//	                  a serving master had applied when the read began, and the last one that any
//	                  replica had applied when it ended. This holds for the contents and the
//	                  metadata of one instance of a node, for the names of its children, for its
//	                  absence, and for the right to open it by the ACL files of that moment. A
//	                  hit takes no time, so these two commands are normally one. Reads that ask
//	                  the master must satisfy the same, and break S4. The lock generation is
//	                  exempt
//	only if asked     a master allows caching, or tells a client to drop something, only if the
//	                  client has asked for an answer that may be cached: no change waits for a
//	                  client without a cache. Drops of locks are exempt: a deletion waits for
//	                  the holders of the lock (decision 0078)
//	one lease         after a session was told to drop something, its lease does not move beyond
//	                  the longest lease from then on until the session acknowledges that: no
//	                  change waits for longer (L1)
//
//	no longer         a write, a change of ACL names or a deletion does not wait while the master
//	                  has no client to wait for: each one that may have to drop something has
//	                  acknowledged all that it was told, and could be told more at once
//
// The checker compares commands, not instants: many things happen at one instant of a
// simulation, and their order is that of the commands.
//
// Reading order: checker.go, tree.go (what existed when), fits.go (what a read may find),
// drops.go (what is on the wire), held.go (changes that wait).
package caches
