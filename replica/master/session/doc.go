// Package session is pure: what the present master remembers of sessions, and when
// something is to be done for one.
//
// That a session is alive stands in a row; for how long, is memory of the master
// (CHU §2.8). It promises each session a lease, and a new master, which cannot know
// what was promised, lets every session live for as long as the longest lease that
// the rows allowed its predecessor to grant. So of leases one number is replicated,
// and nothing is written when one is extended.
//
// A fail-over loses the table; the next master makes it again from the rows (Recover).
//
// Reading order: config.go, table.go (what is remembered), keepalive.go (what is
// promised when, and what ends), late.go (caches), length.go (how long a lease is), timers.go.
//
// # A session
//
//	what happens                         lease                      KeepAlive that waits
//	it is there when the epoch begins    longest lease, from now    -
//	it is opened                         one length, from now       -
//	a KeepAlive comes                    -                          the newest one waits
//	5/12 of a length are left, or the    one length from then, if   answered with the lease
//	client wants its answer at once, or  that is later
//	there are events to tell it of
//	the client has not acknowledged the  as it is: the fail-over    answered with the lease,
//	epoch, and a KeepAlive comes         must end                   and told of the epoch
//	it has had a drop to acknowledge for  as it is                  waits
//	a length
//	it is idle                           as it is                   waits
//	the lease is over, no KeepAlive      its end is proposed, and   waits
//	waits, or it is to wait              nothing extends it
//	it has ended                         -                          NoSession
//
// A lease moves later and never earlier (C11.05), and it moves before the client is
// told (C11.15): the answer is made from it. It says how long the lease runs from
// the receipt of the very request that is answered, so the client may count from
// when it sent that (C11.23).
//
// A session whose KeepAlive waits for its answer does not expire, however late that
// is: the client was there, and the master was away. Of an answer that late little
// or nothing of the lease may be left, and its client can come again only when it has that:
// the session does not end before it had 5/12 of a length for it, nor is that told.
//
// # Known
//
// A lease is a promise to the client and only a master can make one, so Next is
// given an instant at which its caller was master for certain. Grants begin at that
// instant and leases that end have ended by it, whatever time it is now. What came
// later than it waits for a later one.
//
// # How long
//
// A lease is so long that the KeepAlives of all sessions are no more than the master
// is to answer (C11.08), but never longer than the row of the longest lease says:
// before a longer one is granted the row is raised, and it is lowered only after all
// longer ones have run out. The lowering is then true of every lease in which a client
// may still believe, and the next master need not wait for longer.
//
// # Late sessions
//
// A change waits for what clients have to drop from their caches, and a client that acknowledges
// nothing would hold it up for as long as it sends KeepAlives. So while a session has a drop to
// acknowledge, its lease does not move beyond one length after that was queued. When that is over, the
// session ends like any other whose lease is over. A client that was not told of the drop by then, since the
// master was not certain to be one, has a lease more to acknowledge it in.
//
// # Idle sessions
//
// A session without open handles and calls for some time is ended (C11.02), but not
// within its lease, which is a promise (C11.04): its KeepAlive is not answered any
// more, and the lease runs out. A call that comes in time wakes it up. The first
// KeepAlive of a session is answered, however late: no client makes a call before it
// has been told of a lease.
//
// # Invariants
//
//	I-M1  pair   a session is opened once and ended once
//	I-M2  state  a lease that is told is above zero
package session
