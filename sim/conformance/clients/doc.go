// Package clients is test support: it watches, from outside, one life of a client: what it
// sends, what it may believe of its session, and what it tells its programs, and when.
//
// A client that believes too much harms others only when a fail-over, a slow clock and a
// lost message meet; one that believes too little harms nobody, it is only slow. So each
// belief is worked out anew at each message, from what was sent and received and by the
// client's own clock, and compared with what the client says. Nothing that it says itself
// is taken for true, and nothing is asked of the cell: what masters know is watched
// elsewhere.
//
// Reading order:
//
//	life.go     a life, and what is told of it, when
//	account.go  what it may believe of its session, and send (S11, L1)
//	hangs.go    what would be lost with the session, and what is waited for (S9, S14, S15)
//	notice.go   what is presented to a new master before it is told that it is known (S9)
//	news.go     events tell what is so, as soon as it is (S11)
//	prompt.go   programs hear of answers as soon as they may (L1)
//	turns.go    and have the lock of a handle that they share in turn (L1)
//	pace.go     a request that has no answer is sent again after a while, not at once (L1)
//	suffix.go   what a lost session takes along (S11)
//	token.go    what a token says
//
// What is believed and may not be breaks the run by World.Break, with its number.
package clients
