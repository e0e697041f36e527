// Package fairqueue is pure: whose command goes to the log next.
//
// The log takes so many commands at a time. Who asks more of it than it takes would
// fill it, with those of everybody else behind, if places were given in the order of
// asking. So commands wait here, a line for each principal, and leave in turns.
//
// Who has turns is a principal, not a session: sessions cost nothing to open, and
// who has fifty of them would have fifty turns. Within a line, commands keep the
// order in which they came: what is proposed of one session stands in the log as it
// was proposed, on which replica/master/nodeops relies.
//
// What waits here was not proposed yet. A Queue is memory of the master in one tenure
// and is thrown away with it; it decides when something is proposed, never whether
// it may be done.
//
// Reading order: line.go (the rules), pace.go (how much together), audit.go.
//
// # The rules
//
//	turns    each principal's first command, then each one's second: a new one waits
//	         for as many commands as there are others who ask
//	apart    who has commands in the log sends none before all of them are applied;
//	         then some together, as many as disturb nobody (pace.go)
//	places   nobody has more under way, here and in the log, than there are places left
//	drop     what its client has given up goes, if it is for nothing then (replica/master)
//
// Turns alone are not enough. The log's window may be wide and its disk slow; then the
// window of one who asks without rest is a queue at the disk, and who has the next
// turn waits behind it all the same. Being apart, each has one batch in the log at
// a time, and what waits meanwhile goes along in the next one. It costs one who has
// many calls at once a part of the time of a slot, and only where others have
// sessions as well.
//
// Places are not divided by a number, since it is not known how many will ask. With
// as many left as he has himself, one alone may have half of them; two, a third each;
// and whoever comes finds some.
//
// The house itself, which sweeps nodes and ends lock-delays, has a line like a
// principal's, without the last two rules: it must not be refused, and what it does
// follows from what others were given places for. What the master needs to be master
// does not come here, nor the end of a session: while that waited, its client might
// come back.
//
// # Invariants
//
//	I-J1  state  a principal that is remembered has something under way
//	I-J2  state  who may send has a turn, once, and who has a turn has something waiting
//	I-J3  state  what is under way is counted
package fairqueue
