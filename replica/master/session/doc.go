// Package session is pure: what the present master remembers of sessions, and when
// something is due for one.
//
// A row says that a session is alive; until when is memory of the master (CHU §2.8), which
// promises each session a lease. A new master cannot know what was promised. So it lets every
// session live for the longest lease that the rows allowed its predecessor to grant. That
// longest lease is the only replicated number about leases, and nothing is written when a lease
// is extended.
//
// A fail-over loses the table; the next master makes it again from the rows (Recover).
//
// Reading order: config.go, table.go (what is remembered), keepalive.go (what is
// promised when, and what ends), dismissal.go, late.go (caches), length.go (how long a lease is), timers.go.
//
// # A session
//
//	what happens                          lease                     its KeepAlive
//	it is alive when the epoch begins     longest lease, from now   -
//	it is opened                          one length, from now      -
//	a KeepAlive arrives                   -                         waits, in place of an older one
//	5/12 of a length are left, or the     one length from then, if  answered with the lease
//	client wants its answer at once, or   that is later
//	there are events for it
//	a KeepAlive arrives from a client     unchanged: the fail-over  answered with the lease, and
//	that has not acknowledged the epoch   must end                  told of the epoch
//	it has left a drop unacknowledged     unchanged                 goes on waiting
//	for one length
//	it is idle, or dismissed              unchanged                 goes on waiting
//	the same, and it has to drop a path   unchanged                 answered with the lease that is
//	from its cache                                                  left
//	the lease is over, and no KeepAlive   its end is proposed, and  goes on waiting
//	waits, or one of an idle, late or     nothing extends it
//	dismissed session
//	it has ended                          -                         NoSession
//
// A lease moves later and never earlier (C11.05), and it moves before the client is told (C11.15),
// since the answer is made from it. The answer says how long the lease runs from the receipt of the
// very request that it answers, so the client may count from when it sent that (C11.23).
//
// A session whose KeepAlive waits does not expire, however late the answer is: the master was late,
// not the client. When the answer leaves that late, little or nothing of the lease may be
// left, and the client can send its next KeepAlive only after it has the answer. So the session does
// not end within 5/12 of a length after the answer. The client is not told of this extra time.
//
// # The instant of certain mastership
//
// A lease is a promise to the client, and only a master can make it. So Next takes an instant, known,
// at which its caller was certainly master. A lease that is granted begins at that instant, and a lease
// is over only if it ended by that instant, whatever time it is now. What is due later waits until the
// caller has proof of a later instant.
//
// # How long
//
// A lease is so long that the KeepAlives of all sessions do not exceed the configured rate (C11.08),
// but never longer than the row of the longest lease. The row is raised before a longer lease is
// granted, and lowered only after all longer leases have run out. So the lowered row bounds every
// lease that a client may still count on, and the next master need not wait for longer.
//
// # Late sessions
//
// A change waits until clients have dropped its paths from their caches. A client that acknowledges
// nothing would hold it up for as long as it sends KeepAlives. So while a session has an unacknowledged
// drop, its lease does not move beyond one length after that drop was queued. Then the session ends like
// any other whose lease is over. If the master was not certain to be master in time, and so has not told
// the client of the drop, the client gets one more lease in which to acknowledge it.
//
// # Idle sessions
//
// A session that has been without open handles and calls for some time is ended (C11.02), but not
// within its lease, which is a promise (C11.04): its KeepAlive is no longer answered, and the lease
// runs out. A call that comes in time ends the idleness. The first KeepAlive of a session is answered,
// however late it comes: no client makes a call before it has been told of a lease. A KeepAlive is also
// answered, with the lease as it is, while a change waits until the client has dropped a path: without
// the answer, the change would wait for the end of the lease.
//
// # Dismissed sessions
//
// An operator may end a session whose client is stuck. The lease is a promise to that client as to any other
// (C11.04), so the session is only marked (Dismiss): its KeepAlive is answered as little as that of an idle
// session, and the lease runs out. No call and no acknowledgement takes the mark away. It is lost with the table
// at a fail-over, and is then to be set again.
//
// # Invariants
//
//	I-M1  pair   a session is opened once and ended once
//	I-M2  state  the lease that an answer tells is above zero
package session
