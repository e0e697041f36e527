// Package fairqueue is pure: the order in which commands of several principals go to the
// log.
//
// The log takes a limited number of commands at a time. If it took them in order of arrival, a
// principal that asks for more than the log takes would fill it, and all others would wait
// behind. So commands wait here, in one queue for each principal, and leave in turns.
//
// Turns go by principal and not by session: sessions cost nothing to open, and a principal
// with fifty of them would have fifty turns. Within the queue of a principal, commands keep
// the order in which they came: commands of one session stand in the log in the order in
// which they were proposed, on which replica/master/nodeops relies.
//
// Commands that wait here have not been proposed. A Queue is memory of the master in one tenure; a
// fail-over loses it, and its calls are answered NotMaster. It decides when a command is
// proposed, never whether it may be executed.
//
// Reading order: queue.go (the rules), pace.go (how many commands go together), audit.go.
//
// # The rules
//
//	turns    round robin: each principal's first command, then each one's second. A command
//	         of a new principal waits for one command of each other principal
//	apart    a principal with commands in the log sends none until all of them are
//	         applied; then it sends several together, as many as do not delay others
//	         (pace.go)
//	places   no principal has more commands under way, here and in the log, than there
//	         are places left (replica/master)
//	drop     a command that its client has given up leaves the queue, unless its effect
//	         is still wanted (replica/master)
//
// Turns alone are not enough. The log's window may be wide and its disk slow. Then a principal
// that asks without rest fills the window, the window becomes a queue at the disk, and the next
// principal waits behind it all the same. With the rule "apart", each principal has one batch in
// the log at a time; commands that arrive meanwhile go into its next batch. That costs a principal
// with many calls at once a part of the time of a slot, and only while others have sessions too.
//
// The places are not divided by the number of principals, since the master cannot know how many
// principals will ask. The bound is a dynamic threshold, as for queues that share a buffer: a principal
// may have as many places as are left. So one alone gets half of them, two a third each, and a later
// principal still finds some.
//
// The master's own commands, which sweep nodes and end lock-delays, have a queue like a
// principal's (System), without the rules "apart" and "places": they must not be refused, and
// they follow from calls that were given places. Commands that the master needs to be master do
// not come here. Nor does the end of a session: while it waited, the client might come back.
//
// # Invariants
//
//	I-J1  state  a principal that is remembered has something under way
//	I-J2  state  a principal that may send has a turn, and only one; a principal that has a
//	             turn has something waiting
//	I-J3  state  the counts of what waits, of turns and of commands in the log are right
package fairqueue
