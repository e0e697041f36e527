// Package event is pure: the events that the present master has for each session and that its
// client has not acknowledged.
//
// Which session wants which events of which node is known by the open handles
// (replica/master/handle, Watchers). What has happened is told by the effects of commands.
// replica/master/nodeops brings the two together and puts an event into the queue of each
// session that wants it. The answers to KeepAlives carry them to clients (CHU §2.7, §2.8).
//
// A fail-over loses the queues. The library of a client that watches something takes every
// fail-over as one EventReadAgain for each of its handles that watch, so no change is missed in
// silence.
//
// Reading order: queue.go (one session), queues.go (all), audit.go.
//
// # A queue
//
//	acknowledged        sent, perhaps                 not sent
//	gone                repeated until acknowledged   waits for a KeepAlive
//	        numbers  1 2 3 4 │ 5 6 7 │ 8 9
//	                         acked   sent
//
// Events are numbered in the order of their causes, from 1 in each epoch. An answer carries the
// oldest that are not acknowledged, in this order, as many as it may hold; the next KeepAlive
// acknowledges them. Answers and KeepAlives may be lost, repeated and overtaken: the client takes
// each number once, and the master acknowledges up to the highest that it was told.
//
// # What is not kept
//
// A client may be slower than what it watches. Events that were never sent may be replaced by one
// EventReadAgain of their node, which says that something has changed and no more. That is so
//
//   - for a node, when Limits.PerNode events on it wait to be sent;
//   - for all nodes, when Limits.PerSession events wait to be sent;
//   - for a node, when the master itself says EventReadAgain of it: to a handle that it has come to
//     know too late (nodeops), while other handles of that session have events of the node waiting.
//
// Drops are for the cache of a session (replica/master/cache), and a change waits for each: none is
// left out, or merged with another, and they keep their order. They count in no limit; there are no
// more of them than the session may have paths in its cache. Nor does a
// drop pass other events: what was sent has its number, the causes in a queue ascend (I-V2), and a
// KeepAlive is answered at once while events wait, so a drop waits only for the answers that the events
// in front of it fill.
//
// An EventInvalid is the last word on a node and is never replaced. So at most PerSession events
// and two for each node that the session has open wait to be sent. An event that would repeat
// what waits at the end of the queue, as "contents" after "contents" of one node, moves the cause
// of that one instead.
//
// # Invariants
//
//	I-V1  state  the numbers of what is sent and acknowledged ascend, and are of events that there are
//	I-V2  state  causes ascend in a queue, and so do the numbers of drops
//	I-V3  state  where an EventReadAgain waits to be sent, no other event on its node does, but an EventInvalid
package event
