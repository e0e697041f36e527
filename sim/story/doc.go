// Package story is test support: it tells in plain words how a run came to break a property.
//
// The run is repeated, and a log keeps its moments (sim/moments). The story goes back from the moment of the break:
// from each moment to the one before on the same machine, and from the receipt of a message to its sending. These
// moments are the past of the break. The story tells the moments that mention what the report of the break names
// (slots, ballots, sessions, calls, nodes), and prefers those of the past. Nothing in the package knows of any
// particular bug.
//
// Reading order:
//
//	story.go     Tell: the lines, in their order
//	subject.go   the things that a report names
//	pick.go      the moments that are told
//	told.go      of these, what programs were told and noted, if a check of a user's broke
//	handle.go    of these, the calls by one handle
//	cached.go    of these, the answers that filled a cache
//	carried.go   of these, the events that a session got and acknowledged
//	locks.go     how the locks stand that the report is about, and what led to that
//	aside.go     moments that mention little of the report: the ends of its sessions,
//	again.go     other executions of a call, if a command stands in the log twice, and what shared a slot with a wrong call,
//	refusal.go   what a log did not take, and was not proposed again,
//	asked.go     and the heartbeat behind a grant
//	answered.go  what was answered to a request that is told
//	sends.go     what the machine of the break sends in its step
//	count.go     the votes and promises of a quorum
//	belief.go    what each machine believes at the break
//	world.go     OfWorld: the steps before a break in a world without a cell
package story
