// Package caches is test support: it checks that a client which reads from its cache finds what
// the master would have told it (S12).
//
// It knows the commands of the log as they are first applied anywhere, how far a master that
// serves has applied them, when a program begins to read and what it is given then, and the bytes
// between clients and masters. It knows nothing of caches, barriers and tables.
//
// # What is checked
//
//	no stale read     a read finds what stood there after some command between two: the last one
//	                  that a serving master had applied when the read began, and the last one
//	                  that any replica had applied when it ended. This holds for the contents and
//	                  the metadata of one instance of a node, for the names of its children, for
//	                  its absence, and for the right to open it by the ACL files of that moment.
//	                  A hit takes no time, so these two commands are as a rule one. Reads that
//	                  ask the master are held to it as well, and break S4. The lock generation
//	                  is no part of it
//	only if asked     a master allows caching, and tells to drop, only where the client has asked
//	                  for an answer that may be cached: no change waits for a client without a
//	                  cache
//	one lease         the lease of a session that was told to drop something does not move beyond
//	                  the longest lease after that, until the session acknowledges it: a change
//	                  waits for no longer (L1)
//
// Commands, not instants, are compared: many things happen at one instant of a simulation, and
// a read that is after a change there is after it.
//
// Reading order: checker.go, tree.go (what stood where), fits.go (what a read may find), drops.go
// (what is on the wire).
package caches
