// Package sim is test support: a simulated world for distributed programs,
// single-threaded by construction, in which one seed is one history.
//
// A World holds machines; a machine has a clock of its own, a disk, links to
// the others, and runs one life of a Process after the other. True time is the
// world's alone. Everything that happens is an event; events happen one at a time, in
// the order of (true time, seeded tie key, sequence), and each enters a hash:
// equal hashes are equal runs.
//
// # Reading order
//
// world, timeline, queue: time and events. draw: where all choices come from. clock,
// timer: local time. network, links, link: messages. hint: what a
// sender learns of a broken connection. machines, machine, disks, intake, inbox,
// process: lives and what ends them. coroutine: code that blocks. disk, lifefs: a vfs.FS whose
// every call is an event. trace, failure, counters, watchdog: what a run
// reports. runtime, context: blocking programs, among them those on package
// client.
//
// On top of these: node, outbox, group, statemachine, agreement: replicas of
// any protocol, with their checkers; paxosnode: the one of package paxos.
// scenario.go: faults, workloads and properties in two phases; strikes.go, tape.go: a fault strike by strike.
//
// The cell of the product is built on this package, from what is exported here:
//
//	sim/cell          one seed: replicas, clients, faults and checkers
//	sim/plan          what a seed is made of, drawn before the run
//	sim/scenario      interfaces for faults, workloads and checkers of the cell
//	sim/event         what happens in a cell, as its checkers learn of it
//	sim/model         what checkers know of sessions, locks and files
//	sim/damage        which damage of disks a cell has to survive
//	sim/ondisk        what a replica's disk holds, read without its code
//	sim/cluster       its machines, and lives of replicas on them
//	sim/check/leases  S7 over intervals of true time
//	sim/conformance   whether replicas and clients keep rules of our own
//	sim/runner        many seeds, their totals, manifests and artifacts
//	sim/experiment    the same seeds at each place of a grid
//	sim/mutants       planted bugs, and which check catches them
//
// # Adding to it
//
// Each of these is a complete program of less than 80 lines, in a world of its
// own:
//
//	a fault             example_fault_test.go          Fault, Stage
//	a workload          example_workload_test.go       Workload, Runtime, Caller
//	a property          example_property_test.go       Property, World.Break
//	a state machine     example_statemachine_test.go   StateMachine, Group
//	another protocol    example_paxos_test.go          Node, Outbox
//	  and wrong ones    example_protocol_test.go       Voter, Agreement
//
// Faults, workloads and checkers that take part in the cell's own runs, beside
// the built-in ones, implement other interfaces: those of package sim/scenario.
// sim/scenario/doc.go says how, sim/cell/extension_test.go has one of each.
//
// Nothing is registered anywhere: a Scenario is a value that holds what it uses.
// What is not a replica of a log is a Process, which has no more to it than
// Start, Receive and Wake.
//
// A Property reports a broken property by World.Break. A check that holds one
// implementation to rules of its own uses World.Diverge: a correct other
// implementation may fail it, so it is not reported as a broken property.
//
// # What keeps one seed one history
//
//   - Simulated code has one thread of control. It starts no goroutine, and what
//     blocks does so on a coroutine (Env.Go, Runtime.Go), only in calls of this
//     package: Sleep, Wait, the calls of Env.FS. A bare channel receive hangs the
//     world; the watchdog then prints the line. A goroutine started by go mostly goes
//     unseen: it is taken for the code that runs at that moment, and some run has another
//     history. go test -race names its line at once.
//   - It asks its Env what time it is and draws from World.Draw or Env.Draw. It
//     reads no real clock and no other randomness.
//   - What leaves a map leaves it in the order of its keys.
//   - Deadlines of contexts come from Runtime.WithTimeout and WithDeadline. Those
//     of package context count real time and are refused; context.AfterFunc starts
//     a goroutine.
//   - t.FailNow, and with it package require, ends the goroutine that runs the
//     world: the test fails and stops, which is right, but nothing is reported of
//     the run. Programs under test return errors or call World.Break.
//
// World.Hash shows whether the rules were kept: two worlds of one configuration
// have equal hashes after each Step, and the first Step after which they differ
// is the event to look at.
//
// # What a life may rely on
//
// The methods of a Process are called one at a time. The instant that they get
// was read from the machine's clock after the input was taken from its queue; a
// pause may lie between the reading and the call. When a life ends, its coroutines are unwound
// by a private panic, and every method of its Env is inert from then on, so that
// code which is still on the stack, deferred functions among it, has no effect.
// A panic ends the run: as a broken property if its value is an
// *invariant.Violation or the property called Break, as a crash if not.
package sim
