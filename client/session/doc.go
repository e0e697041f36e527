// Package session is pure: one client's session with a cell, as a machine with
// doors. It opens the session, finds the master, sends and sends again, and says
// of every call how it ended. It waits for nothing and reads no clock: package
// client puts blocking calls on top.
//
// Reading order: config.go, outcome.go (how a call may end), event.go, status.go
// (the states), machine.go (the doors), call.go (sending, Seen), queue.go (windows),
// reply.go (what an answer does), route.go (who is the master); then lease.go (until
// when the session is alive), keepalive.go, failover.go, holding.go (what handles
// hold), giveup.go (what is left to tidy).
//
// # States
//
//	Idle ──Open, Start──▶ Opening ──id──▶ Open ──Close──▶ Ending ──answer──▶ Over
//	                         │              │                │
//	                         └──refused─────┴──NoSession─────┴─────────────▶ Over
//
// A Machine has one session in its life. Once the cell says that the session is
// gone, or grace is over, every outstanding and every later call fails with
// Expired, and none is ever sent under a new session: what is lost is a suffix of
// the calls (C4.06).
// Close while Opening waits for the session's id in order to end it: an opener
// that was sent may have been executed.
//
// # The lease
//
// A session that is Open or Ending has a lease, and the machine keeps it: one
// KeepAlive is under way nearly always (CHU §2.8). It stays with the master that has
// answered the last one while calls look for another one (keeps).
//
//	Fresh ──answer──▶ Valid ──bound──▶ Jeopardy ──grace──▶ Over, Expired
//	  │                 ▲                 │                    ▲
//	  │                 └─────answer──────┘                    │
//	  └──grace─────────────────────────────────────────────────┘
//
//	state      a call          an answer          events
//	Fresh      waits           is kept            -
//	Valid      is sent         is told            EventSafe, from Jeopardy
//	Jeopardy   waits           is kept            EventJeopardy
//	Over       is refused      is ignored         EventExpired
//
// Where a master answers that there are no leases, there is none: calls go at any
// time, nothing that the client holds may be believed in, and the next master is
// asked again.
//
// A bound is an instant by the client's own clock, at which the session is certain
// to be alive still: term says why. An answer counts from the sending of the very
// request that it answers, so nothing is assumed about the network. Every door first
// asks the clock what is over; so nothing is sent or told at an instant at which the
// session may be gone, however late the machine is called.
//
// The master holds a KeepAlive until the session's lease is nearly over. The client
// asks for an answer at once (KeepAlive.Now) where it cannot wait for that: it has no
// lease, or only the last quarter of one, or the master is new to it.
//
// # Epochs
//
// Each request names the highest epoch that the client has heard of, and whatever
// was sent under a lower one is sent again at once: a new master takes nothing that
// was meant for the last (CHU §2.9). It has no handles, either. Asked by
// Leased.Failover, the client tells its caller, presents the tokens of all handles
// that hold a lock or an ephemeral node, or may, and then names the epoch as
// flushed. No answer of a master of a lower epoch is taken: what it said may have
// been in its memory alone, and the present one has to know of handles and locks.
//
// # What a call's end means
//
// A call is named by (Session, Seq), the same in all its sendings; the cell
// executes at most one copy and stores its answer, which every other copy then
// gets. So sending again is always safe, and a definite answer (api.Code.Definite)
// to *any* sending ends the call, however late it comes and whatever else is on
// its way. Three things follow.
//
//  1. Aborted, Busy, Later and NotMaster never end a call (NoHandle ends an Open, Unknown:
//     to go on would hold up those behind it). Aborted, Busy and Later say that the
//     copy they answer was not executed; but after Busy or Later an earlier copy may have
//     been, with its answer lost, and after either a later one may yet be: the
//     network may have duplicated even a single sending. Sending again decides
//     it: if a copy was executed, the next one gets the stored answer.
//  2. A call that is given up after it was first sent therefore ends Unknown,
//     also when the last word about it was Aborted. A call that was not sent
//     ends Refused, and takes no Seq.
//  3. NoSession ends every call that was sent with Unknown: its copy may have
//     been executed before the session ended, and the stored answer went with
//     the session.
//
// # Seen, and calls that were given up
//
// Each request says with Seen that the client waits for no call up to there.
// Seen passes answered calls and calls that were given up; it never passes a
// call somebody waits for. Passing one that was given up is harmless to the
// others, keeps the cell's stored answers bounded by the window, and is a fence:
// once a later request with that Seen is answered, no copy of the call will be
// executed. So a client that makes one call at a time and got Unknown need only make
// another call, a Get for instance, and what that one finds is final. (Of a Poison that
// is not so: the master's memory answers it, whatever the log does.)
//
// Four kinds of calls leave something behind, and go on behind the caller's back
// when they are given up. Release and CloseHandle are sent until they are answered.
// An Open is, too, and then its handle is closed. An Acquire is cancelled by a call
// of its own, and until that is answered Seen does not pass the Acquire: what it may
// hold is nobody's. No other Acquire of the handle is sent meanwhile; it would be
// told that the handle holds the lock already. When the cell has closed the handle, all
// that is settled: nothing is asked of a later master by a handle that is closed, or
// that would take it up again (shut.go).
//
// An Acquire may wait at the master for hours, and Seen with it. When the window is
// at its end, it is withdrawn in the same way and asked for again under another
// number, at the end of the queue.
package session
