// Package clients is test support: it checks, from outside, one life of a client of
// package client: what it sends, what it may assume about its session, and what it tells
// its programs, and when.
//
// These checks hold our implementation to its own rules. A correct other implementation
// may fail them. A client that relies on too much does harm only when a fail-over, a slow
// clock and a lost message meet; one that relies on too little is merely slow. No history
// of a run shows either, so each check computes at each message what the client may do,
// from what was sent and received and by the client's clock, and compares that with what
// the client does and reports. The cell is not consulted.
//
// A breach is reported by World.Diverge: as conformance, with the number of the property
// that the rule serves, not as a violation of the cell.
//
// # The checks
//
//	check                                                  serves   shares with the code
//	session.go       calls leave within the lease only;    S11, L1  client.Config.Rho and Grace, api.MaxLease,
//	                 expiry after grace only; another               the term d(1-rho)/(1+rho)
//	                 session where nothing was lost
//	calls.go         no handle that is closed is presented S15      the codes that end a call: api.Code.IsDefinite
//	                 again; no call that may hold something S9, S14 and Execution
//	                 is abandoned; a refused TryAcquire ends L1
//	presentation.go  handles of Acquires without a reply    S9      nothing (C12.08)
//	                 are presented before a new epoch is
//	                 acknowledged
//	events.go        events report each change, at once,    S11     the kinds of client.Event
//	                 and nothing else
//	delivery.go      replies reach programs as soon as      L1      the states of session.Status
//	                 they may
//	lock_queue.go    programs that share a handle acquire   L1      session.Status.Queued
//	                 its lock in turn, without a pause
//	pace.go          one request is sent at most 30 times   L1      session.Config.RetryMin, 20 ms
//	                 in 100 ms
//	suffix.go        an expired session loses a suffix of   S11     client.ErrSessionExpired and ErrOutcomeUnknown
//	                 its calls, and a spent one is replaced
//	life.go          a call ends by a reply of the present  S9      session.Status.Flight and Queued
//	                 master
//
// # Reading order
//
// life.go has the callbacks and when each is made; then session, calls, presentation,
// events, delivery, lock_queue, pace, suffix. token.go reads tokens of handles.
package clients
