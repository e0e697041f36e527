// Package session is pure: one client's session with a cell, as a state machine.
//
// A Machine opens the session, finds the master, sends each call until it is answered, and reports
// how each call ended. It renews the session's lease with KeepAlives and knows until when the lease
// runs by the client's clock. It reports jeopardy, the end of jeopardy, and fail-overs as events.
// After a fail-over it presents the handles that hold something to the new master. It waits for
// nothing and reads no clock: its caller passes in the present instant, and package client adds
// blocking calls.
//
// Reading order: config.go, outcome.go (how a call may end), event.go, status.go (the states),
// machine.go (inputs and output), call.go (sending), queue.go (the window), reply.go (the effects
// of an answer), route.go (which replica is the master), unreachable.go (hints of the transport).
// Then lease.go (until when the session is alive), keepalive.go, failover.go, watch.go (events),
// holding.go (what handles hold), cancel.go and handleclosed.go (cleaning up), caching.go (which
// answers may be cached).
//
// # States
//
//	Idle ──Open, Start──▶ Opening ──id──▶ Open ──Close──▶ Ending ──answer──▶ Over
//	                         │              │                │
//	                         └──refused─────┴──NoSession─────┴─────────────▶ Over
//
// A Machine has one session in its life. Once the cell answers that the session is gone, or the
// grace period ends, every outstanding and every later call fails with Expired. None of them is
// sent under another session: the lost calls are a suffix of all calls (C4.06). Package client
// decides whether another Machine may follow.
//
// A Close while Opening waits for the session's id in order to end the session, because the cell
// may have executed the OpenSession.
//
// # The lease
//
// A session that is Open or Ending has a lease. The machine keeps one KeepAlive under way nearly
// always (CHU §2.8). It sends it to the master that answered the last one, even while calls look
// for another master (keepAliveTarget).
//
//	Fresh ──answer──▶ Valid ──bound──▶ Jeopardy ──grace──▶ Over, Expired
//	  │                 ▲                 │                    ▲
//	  │                 └─────answer──────┘                    │
//	  └──grace─────────────────────────────────────────────────┘
//
//	state      a call          an answer          event on entry
//	Fresh      waits           is withheld        -
//	Valid      is sent         is reported        EventSafe, from Jeopardy
//	Jeopardy   waits           is withheld        EventJeopardy
//	Over       is refused      is ignored         EventExpired
//
// If a master answers that it gives no leases, the state is NoLease. Calls may then be sent at any
// time, the client can rely on nothing that it holds, and the client asks the next master again.
//
// The bound is an instant by the client's own clock. Before it the session is certainly alive (term
// has the proof). A lease counts from the sending of the request that was answered, so nothing is
// assumed about the network. Every input first handles the deadlines that have passed. However late
// the machine is called, it therefore never sends a call or reports an answer at an instant at
// which the session may be gone.
//
// The master holds a KeepAlive until the session's lease is nearly over. The client asks for an
// immediate answer (KeepAlive.Now) when it cannot wait that long: it has no lease, or only the last
// quarter of one is left, or the master is new to it.
//
// # Epochs
//
// Each request names the highest epoch that the client has received. The client resends at once all
// requests that it had sent under a lower epoch, because a new master accepts nothing that was sent
// to an earlier master (CHU §2.9). It sends them to the master that is named in the answer with the
// new epoch; replicas that knew no master answer once more when there is one.
//
// A new master has no open handles. When its KeepAlive answer asks for it (Leased.Failover), the
// client reports EventFailover. It then presents the tokens of all handles that hold or may hold a
// lock or an ephemeral node, or that receive events. Then it acknowledges the epoch and reports
// EventPresented: the new master reports what happens from then on, and the client may have missed
// what happened before.
//
// The client accepts no answer from a master of a lower epoch: that master may have kept the result
// in memory only, and the present master has to know of the handle or lock.
//
// # Answers that may be cached
//
// The caller may cache an answer for as long as the master remembers that it may, and drops it when
// told to (CHU §2.7, package cache). Done.Cacheable reports that nothing has overtaken an answer:
//
//   - the master of the present epoch gave it, and this client has acknowledged the epoch;
//   - the client has taken no drop that was queued after the answer was read: drops are numbered, and the
//     answer has the number of the last one before it;
//   - the lease runs, and has run since the answer came.
//
// Drops come as EventDrop, in the same output as the KeepAlive that acknowledges them: the caller
// must drop first, and then send. EventJeopardy, EventFailover and EventExpired end everything that
// is cached; the acknowledgement of an epoch never comes before its EventFailover.
//
// A call that changes something and was cancelled may still be executed. Output.Settled tells when
// that has become impossible, and does so for each Open.
//
// # The end of a call
//
// A call is identified by (Session, Seq), which is the same in all its sendings. The
// cell executes at most one duplicate and stores the answer; every other duplicate
// gets the stored answer. Sending again is therefore always safe, and a definite
// answer (api.Code.IsDefinite) to any sending ends the call, however late it arrives
// and whatever else is in flight. Three rules follow.
//
//  1. Aborted, Busy, Later and NotMaster never end a call. (NoHandle ends an Open as
//     Unknown: sending it again would only delay the calls behind it.) Aborted, Busy
//     and Later say that the duplicate they answer was not executed. After Busy or
//     Later an earlier duplicate may have been executed with its answer lost, and
//     after each of the three a later one may yet be: the network can duplicate even
//     a single sending. Sending again decides it: if any duplicate was executed, the
//     next one gets the stored answer.
//  2. A call that is cancelled after it was first sent therefore ends Unknown, also
//     when its last answer was Aborted. A call that was not sent ends Refused and
//     takes no Seq.
//  3. NoSession ends every call that was sent as Unknown: a duplicate may have been
//     executed before the session ended, and the stored answer went with the session.
//
// # AckedThrough and cancelled calls
//
// Each request tells the cell, with AckedThrough, the Seq up to which the client waits for no call.
// It covers answered and cancelled calls, and never a call with a waiting caller. Covering a
// cancelled call does not affect other calls and bounds the cell's stored answers by the window. It
// is also a fence: once a later call with that AckedThrough is answered, no duplicate of the
// covered call will be executed. (A KeepAlive carries AckedThrough too, so that an idle client leaves
// no answers at the master. It is not in the log, and its answer is no fence.) If a client makes one call at a time and got Unknown, it therefore
// only has to make another call, for instance a Get: the state that it finds is final. (Poison is an
// exception: the master answers it from memory, independent of the log.)
//
// Four kinds of calls would leave something at the cell. They continue in the background when they
// are cancelled:
//
//   - Release and CloseHandle are sent until they are answered.
//   - An Open is sent until it is answered, and then its handle is closed.
//   - An Acquire is cancelled by a CancelAcquire. Until that is answered, AckedThrough does not cover the
//     Acquire, because it may hold the lock without an owner. Meanwhile no other Acquire of the handle is
//     sent: the answer would be that the handle holds the lock already.
//
// When the cell has closed a handle, all this is settled. The machine asks a later master nothing
// about a closed handle, so that the master does not open it again (handleclosed.go).
//
// An Acquire may wait at the master for hours, and blocks AckedThrough for as long. When the window
// is exhausted, the machine withdraws the Acquire in the same way and puts it at the end of the
// queue, to be sent under another Seq. The master keeps its place in line until its turn comes
// (replica/master/lockwait). Its grant may be on its way at that moment, and is given back. Then the
// Acquire stays at the master for a pause the next time, longer after each lost grant. Acquires that
// wait at the master may use half of the window. An
// Acquire that finds no room there is tried without waiting, at once and then with pauses.
package session
