// Package cache is pure: as far as the present master knows, which sessions may have which paths in
// their caches, which sessions must drop which paths, and which paths a change holds (CHU §2.7).
//
// For each path a client caches one thing: the node at the path, the names of its children, or that
// nothing is there. replica/master/nodeops decides which answers may be cached and which changes
// wait; replica/master/event carries the drops.
//
// A table is memory of one epoch. A fail-over may lose it, because no master serves before each
// client has emptied its cache or its session is over.
//
// Reading order: table.go (what is remembered), register.go (how a path becomes cacheable), drop.go
// (how it is dropped), hold.go (changes), status.go, audit.go.
//
// # A registration
//
// A registration says that a session may have a path in its cache.
//
//	what happens                                       the registration
//	an answer that may be cached is sent               is made, or made anew
//	a change of the path begins to wait                has a drop under way
//	the session acknowledges that drop, and no answer  is gone
//	has made the registration anew meanwhile
//	a change by its own session goes on                is gone
//	its session has ended, the epoch is over           is gone
//
// Nothing else takes it away, neither time nor want of memory. A client may have dropped a path for
// which it has a registration; it never caches a path for which it has none.
//
// # Answers and drops that overtake one another
//
// The drops of a session are numbered in the order in which the session is told of them. An answer
// that may be cached carries the number of the last drop queued before it, and so does its
// registration. Drop 5 and such an answer may overtake one another:
//
//	the answer was sent after drop 5 was queued, and    the client keeps it, whichever comes first; the
//	carries 5                                           acknowledgement of 5 leaves the registration
//	the answer was sent before, and carries 4           the client does not keep it if 5 has come first;
//	                                                    the acknowledgement of 5 ends the registration
//
// So an acknowledgement ends the registrations that were made before its drop was queued, and no
// later ones.
//
// # Own changes
//
// A client drops by itself what a call of its own may change, when the call begins and when it ends. It
// keeps no answer of a call that overlaps with that one. So registrations of earlier calls of the
// session are void when its change goes on. But if the client gave the change up, a later call may have
// read the path; the change then waits for the drop of that registration, as for any other session's.
//
// # Bounds
//
// The paths that a session may have cached, and the drops that it has not acknowledged, are together at
// most Limits.PerSession. A session that reads more is told to drop all, and none of its answers is
// cacheable until it has acknowledged that. All sessions together have at most Limits.Total
// registrations; while the table is full, answers about further paths are not cacheable.
//
// # Invariants
//
//	I-O1  state  the two indexes of registrations, by path and by session, are one set; the counts are right
//	I-O2  state  the drop that a registration waits for is under way, and was queued after it was made
//	I-O3  state  the registrations and unacknowledged drops of a session are within its limit, and all
//	             registrations within the total
//	I-O4  state  the numbers of the drops of a session ascend
package cache
