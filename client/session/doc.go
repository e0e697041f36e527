// Package session is pure: one client's session with a cell, as a machine with
// doors. It opens the session, finds the master, sends and sends again, and says
// of every call how it ended. It waits for nothing and reads no clock: package
// client puts blocking calls on top.
//
// Reading order: config.go, outcome.go (how a call may end), machine.go (the
// doors and the states), call.go (sending, windows, Seen), reply.go (what an
// answer does), route.go (who is the master).
//
// # States
//
//	Idle ──Open, Start──▶ Opening ──id──▶ Open ──Close──▶ Ending ──answer──▶ Over
//	                         │              │                │
//	                         └──refused─────┴──NoSession─────┴─────────────▶ Over
//
// A Machine has one session in its life. Once the cell says that the session is
// gone, every outstanding and every later call fails with Expired, and none is
// ever sent under a new session: what is lost is a suffix of the calls (C4.06).
// Close while Opening waits for the session's id in order to end it: an opener
// that was sent may have been executed.
//
// # What a call's end means
//
// A call is named by (Session, Seq), the same in all its sendings; the cell
// executes at most one copy and stores its answer, which every other copy then
// gets. So sending again is always safe, and a definite answer (api.Code.Definite)
// to *any* sending ends the call, however late it comes and whatever else is on
// its way. Three things follow.
//
//  1. Aborted, Busy and NotMaster never end a call. Aborted and Busy say that the
//     copy they answer was not executed; but after Busy an earlier copy may have
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
// once a later request with that Seen is executed, no copy of the call will be.
// So a client that makes one call at a time and got Unknown need only make
// another call, a Get for instance, and what that one finds is final.
package session
