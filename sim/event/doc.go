// Package event is test support: what happens in a simulated cell, as typed values.
//
// A cell that runs publishes events to a Stream. Checkers and the triggers of faults
// listen; neither can change what happens next by listening. An event is published at
// the instant at which its fact becomes true, which may be before the process concerned
// hears of it: Durable comes when the disk has the records, not when the replica is told.
// Events of one instant come in the order in which they happen.
//
// Listeners own nothing: slices and pointers in an event are those of the run and must
// not be changed, nor kept beyond the call where the field says so.
//
// A Stream without listeners costs one comparison: the publisher asks Stream.Wanted
// before it builds an event.
//
// Reading order: stream.go, replica.go (what replicas do), client.go (what clients and
// their programs do), fault.go (what the simulator does to both).
package event
