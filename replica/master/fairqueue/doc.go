// Package fairqueue is pure: the order in which commands of several principals go to the
// log.
//
// The log takes so many commands at a time. If places were given in the order of asking, a
// principal that asks for more than the log takes would fill it, and all others would wait
// behind. So commands wait here, in one queue for each principal, and leave in turns.
//
// Turns go by principal and not by session: sessions cost nothing to open, and a principal
// with fifty of them would have fifty turns. Within the queue of a principal, commands keep
// the order in which they came: commands of one session stand in the log in the order in
// which they were proposed, on which replica/master/nodeops relies.
//
// What waits here was not proposed yet. A Queue is memory of the master in one tenure; a
// fail-over loses it, and its calls are answered NotMaster. It decides when something is
// proposed, never whether it may be done.
//
// Reading order: queue.go (the rules), pace.go (how many commands go together), audit.go.
//
// # The rules
//
//	turns    each principal's first command, then each one's second: a command of a new
//	         principal waits for as many commands as there are other principals
//	apart    a principal with commands in the log sends none before all of them are
//	         applied; then several together, as many as do not delay others (pace.go)
//	places   no principal has more under way, here and in the log, than there are places left
//	drop     what its client has given up leaves, if its effect is of no use then
//	         (replica/master)
//
// Turns alone are not enough. The log's window may be wide and its disk slow; then the
// window of one principal that asks without rest is a queue at the disk, and the next
// principal waits behind it all the same. With the rule "apart", each principal has one
// batch in the log at a time, and what waits meanwhile goes along in the next one. That
// costs a principal with many calls at once a part of the time of a slot, and only where
// others have sessions as well.
//
// Places are not divided by a number, since it is not known how many principals will ask.
// A principal may have as many as are left: one alone may have half of them, two a third
// each, and one that comes later finds some.
//
// The master itself, which sweeps nodes and ends lock-delays, has a queue like a
// principal's (System), without the rules "apart" and "places": it must not be refused, and
// what it does follows from what others were given places for. What the master needs to be
// master does not come here, nor does the end of a session: while that waited, its client
// might come back.
//
// # Invariants
//
//	I-J1  state  a principal that is remembered has something under way
//	I-J2  state  a principal that may send has a turn, once, and one that has a turn has
//	             something waiting
//	I-J3  state  what is under way is counted
package fairqueue
