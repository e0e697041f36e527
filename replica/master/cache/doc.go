// Package cache is pure: which sessions may have which paths in their caches, as the present
// master knows it, which of them are to drop what, and which paths a change holds (CHU §2.7).
//
// What a client may have of a path is one thing: what stands there, the names of what stands below
// it, or that nothing does. replica/master/nodeops decides which answers may be cached, and which
// changes wait; replica/master/event carries the drops.
//
// A table is memory of one epoch. A fail-over loses it: no master serves before each client has
// emptied its cache, or its session is over.
//
// Reading order: table.go (what is remembered), register.go (how a path becomes cacheable), drop.go
// (how it is dropped), hold.go (changes), status.go, audit.go.
//
// # A registration
//
//	what happens                                       it
//	an answer that may be cached is sent               is made, or made anew
//	a change of the path begins to wait                has a drop under way
//	the session has acknowledged that drop, and none   is gone
//	of its answers may be cached since it was queued
//	a change by its own session goes on                is gone
//	its session has ended, the epoch is over           is gone
//
// Nothing else takes it away: not time, not want of memory. A client may have dropped what the
// table says that it may have; never the other way round.
//
// # Answers and drops that overtake one another
//
// The drops of a session are numbered, in the order in which it is told. An answer carries the
// number of the last one, and so does the registration that is made with it. Two cases, of an
// answer that was sent while drop 5 was queued or under way:
//
//	the client takes 5, then the answer (which has 5)   it keeps the answer; the acknowledgement of 5
//	                                                    leaves the registration
//	the answer has 4, and comes after 5                 the client does not keep it; the
//	                                                    acknowledgement of 5 ends the registration
//
// So an acknowledgement ends what was registered before its drop was queued, and nothing later.
//
// # Own changes
//
// A client drops by itself what a call of its own may change, when that begins and when it ends, and
// keeps no answer that one overlaps. So what it may have since an earlier call is gone when its
// change goes on. What a later call of it has read it may have, if it gave the change up in between:
// that waits for its drop, like that of any other session.
//
// # Bounds
//
// What a session may have, and the drops that it has not acknowledged, are at most Limits.PerSession
// together. If it reads more it is told to drop all, and until it has acknowledged that, nothing
// that it reads is cacheable. Of all sessions together there are Limits.Total registrations; a table
// that is full makes answers uncacheable, until others are dropped.
//
// # Invariants
//
//	I-O1  state  the two indexes of registrations, by path and by session, are one set; the counts are right
//	I-O2  state  the drop that a registration waits for is under way, and was queued after it was made
//	I-O3  state  what a session may have and has not acknowledged is within its limit, and all of it within the total
//	I-O4  state  the numbers of the drops of a session ascend
package cache
