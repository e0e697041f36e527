// Package event is pure: for each session, the events that the present master has for it and that
// its client has not acknowledged.
//
// Open handles say which session wants which events of which node (replica/master/handle,
// Watchers). The effects of commands say what has happened. replica/master/nodeops puts an event
// into the queue of each session that wants it. Answers to KeepAlives carry events to clients
// (CHU §2.7, §2.8).
//
// A fail-over loses the queues. The client library therefore takes every fail-over as one
// EventReadAgain for each handle that watches, so a client misses no change unawares.
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
// oldest events that are not acknowledged, in this order, as many as it may hold; the next KeepAlive
// acknowledges them. Answers and KeepAlives may be lost, repeated or reordered. The client takes each
// number once, and the queue forgets events up to the highest number that the client has acknowledged.
//
// # Events that are not kept
//
// A node may change faster than a client takes its events. Events that were never sent may then be
// replaced by one EventReadAgain of their node, which only says that something has changed:
//
//   - those of a node, when more than Limits.PerNode of them wait to be sent;
//   - those of each node, when more than Limits.PerSession events wait to be sent;
//   - those of a node, when nodeops itself adds an EventReadAgain of it, for a handle that the master
//     has come to know too late, while events for other handles of that session wait.
//
// Drops are for the cache of a session (replica/master/cache), and a change waits for each: none is
// left out or merged with another, and they keep their order. They count in no limit; cache.Limits
// bounds them. A drop does not overtake other events either, since sent events have their numbers and
// causes must ascend in a queue (I-V2). A KeepAlive is answered at once while events wait, so a drop
// waits only for the answers that the events in front of it fill. If the client leaves events
// unacknowledged that an answer repeated, the drop counts as told (Take): the change waits for one lease.
//
// When a session closes its last handle that watches a node, events of the node that were never sent are
// forgotten: else a client that opens, deletes and closes files, and acknowledges nothing, would fill the
// memory of the master.
//
// An EventInvalid is the last event of a node and is never replaced. So at most PerSession events,
// and two for each node that the session has open, wait to be sent. An event that would repeat the
// last one in the queue, such as "contents" after "contents" of one node, moves the cause of that
// one instead.
//
// # Invariants
//
//	I-V1  state  no more events are marked as sent than there are; drops are counted
//	I-V2  state  causes ascend in a queue, and so do the numbers of drops
//	I-V3  state  while an EventReadAgain waits to be sent, no other event of its node waits but an EventInvalid
package event
