// Package story is test support: it tells in plain words how a run came to break something.
//
// A run is made once more and its moments are kept (sim/moments). From the
// moment of the break the story goes back: to what came before on the same machine, and
// to the sender of each message. Of this past it tells what speaks of the things that the
// report of the break names: slots, ballots, sessions, calls, nodes. Nothing in it knows of any
// particular bug.
//
// Reading order:
//
//	story.go     Tell: the lines, in their order
//	subject.go   the things that a report names; pick.go: the moments that speak of them
//	count.go     what a quorum was counted of
//	mind.go      what machines believe as it breaks
package story
