// Package sim is test support: a simulated world for distributed programs,
// single-threaded by construction, in which one seed is one history.
//
// A World holds machines; a machine has a clock of its own, a disk, links to
// the others, and runs one life of a Process after the other. True time is the
// world's alone. Whatever happens is an event; events happen one at a time, in
// the order of (true time, seeded tie key, sequence), and each leaves its mark
// in a hash: equal hashes are equal runs.
//
// # Reading order
//
// world, queue: time and events. draw: where all choices come from. clock,
// timer: local time. network, link: messages. machine, inbox, process: lives
// and what ends them. coroutine: what blocks. disk, lifefs: a vfs.FS whose every
// call is an event. trace, failure, counters: what a run tells. runtime,
// context: blocking programs, among them those on package client.
//
// On top of these: node, outbox, group, statemachine, agreement: replicas of
// any protocol, with their checkers; paxosnode: the one of package paxos.
// scenario: faults, workloads and properties in two phases.
//
// The product's own cell, its swarm of faults and its properties are package
// sim/cell. It uses nothing that is not exported here.
//
// # Adding to it
//
// Each of these is a complete program of less than 80 lines:
//
//	a fault             example_fault_test.go          Fault, Stage
//	a workload          example_workload_test.go       Workload, Runtime, Caller
//	a property          example_property_test.go       Property, World.Break
//	a state machine     example_statemachine_test.go   StateMachine, Group
//	another protocol    example_paxos_test.go          Node, Outbox
//	  and wrong ones    example_protocol_test.go       Voter, Agreement
//
// Nothing is registered anywhere: a Scenario is a value that holds what it uses.
// What is not a replica of a log is a Process, which has no more to it than
// Start, Receive and Wake.
//
// # What keeps one seed one history
//
//   - Simulated code has one thread of control. It starts no goroutine, and what
//     blocks does so on a coroutine (Env.Go, Runtime.Go), only in calls of this
//     package: Sleep, Wait, the calls of Env.FS. A bare channel receive hangs the
//     world; the watchdog then prints the line.
//   - It asks its Env what time it is and draws from World.Draw or Env.Draw. It
//     reads no real clock and no other randomness.
//   - What leaves a map leaves it in the order of its keys.
//   - Deadlines of contexts come from Runtime.WithTimeout. The standard ones
//     count real time and are refused; context.AfterFunc starts a goroutine.
//   - t.FailNow, and with it package require, ends the driving goroutine too:
//     the test fails and stops, which is right, but nothing is reported of the
//     run. Programs that are to be judged return errors or call World.Break.
//
// World.Hash shows whether the rules were kept: two worlds of one configuration
// have equal hashes after each Step, and the first Step after which they differ
// names the event.
//
// # What a life may rely on
//
// Doors are called one at a time. The instant given to a door was read from the
// machine's clock after the input was taken from its queue; a pause may lie
// between the reading and the call. When a life ends, its coroutines are unwound
// by a private panic, and every method of its Env is inert from then on, so that
// code which is still on the stack, deferred functions among it, has no effect.
// A panic ends the run: as a broken property if its value is an
// *invariant.Violation or the property called Break, as a crash if not.
package sim
