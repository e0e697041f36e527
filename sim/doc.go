// Package sim is test support: a simulated world for distributed programs,
// single-threaded by construction, in which one seed is one history.
//
// A World holds machines. A machine has its own clock, a disk and links to the other machines, and
// runs the lives of a Process one after the other. Only the world knows true time. Everything that
// happens is an event. Events happen one at a time, in the order of (true time, seeded tie key,
// sequence), and each enters a hash: equal hashes mean equal runs.
//
// # Reading order
//
// For time and events read world, timeline and queue; draw for the source of all choices; clock and
// timer for local time; network, links and link for messages; hint for what a sender learns of a
// broken connection. Lives and what ends them are in machines, machine, disks, intake, inbox and
// process. Code that blocks is in coroutine. A vfs.FS whose every call is an event is in disk and
// lifefs. What a run reports is in trace, failure, counters, measures, blocked and watchdog; what its
// code shares is in shared. Blocking programs, including those on package client, are in runtime,
// address and context.
//
// On top of these, node, outbox, group, statemachine and agreement are replicas of any protocol
// with their checkers; paxosnode is the replica of package paxos. scenario.go has faults, workloads
// and properties in two phases; strikes.go and tape.go replay a fault strike by strike.
//
// The cell of the product is built on the exported part of this package:
//
//	sim/cell          one seed: replicas, clients, faults and checkers
//	sim/plan          the plan of a seed, drawn before the run
//	sim/scenario      interfaces for faults, workloads and checkers of the cell
//	sim/event         the events of a cell, as its checkers receive them
//	sim/model         the sessions, locks and files that checkers know
//	sim/damage        which damage of disks a cell has to survive
//	sim/ondisk        the contents of a replica's disk, read without the replica's code
//	sim/cluster       the machines of a cell, and the lives of replicas on them
//	sim/cellkit       cells for a world with other servers, or with other cells, in it
//	sim/check/leases  S7 over intervals of true time
//	sim/conformance   whether replicas and clients keep the rules of this implementation
//	sim/runner        many seeds, their totals, manifests and artifacts
//	sim/experiment    the same seeds at each place of a grid
//	sim/mutants       planted bugs, and which check catches them
//
// # Adding to it
//
// Each of these is a complete program of less than 80 lines, in a world of its own:
//
//	a fault             example_fault_test.go          Fault, Stage
//	a workload          example_workload_test.go       Workload, Runtime, Caller
//	a property          example_property_test.go       Property, World.Break
//	a state machine     example_statemachine_test.go   StateMachine, Group
//	another protocol    example_paxos_test.go          Node, Outbox
//	  and wrong ones    example_protocol_test.go       Voter, Agreement
//
// Faults, workloads and checkers for the cell's own runs, beside the built-in ones, implement the
// interfaces of package sim/scenario instead. sim/scenario/doc.go explains how, and
// sim/cell/extension_test.go has one of each.
//
// Nothing is registered anywhere: a Scenario is a value that holds what it uses. Anything that is
// not a replica of a log is a Process, which needs only Start, Receive and Wake.
//
// A Property reports a broken property with World.Break. A check that holds one implementation to
// its own rules uses World.Diverge: another correct implementation may fail it, so it is not
// reported as a broken property.
//
// # What keeps one seed one history
//
//   - Simulated code has one thread of control and starts no goroutine. Code that blocks does so on
//     a coroutine (Env.Go, Runtime.Go), and only in calls of this package: Sleep, Wait, the calls
//     of Env.FS. A bare channel receive hangs the world; the watchdog then prints the line. A
//     goroutine started with go mostly goes unnoticed: its calls count as calls of the code that
//     runs at that moment, so some runs of a seed differ from others. go test -race reports its
//     line at once.
//   - It reads the time from its Env, and draws from World.Draw or Env.Draw. It uses no real clock and no other
//     randomness.
//   - Whatever it takes from a map, it takes in the order of the keys.
//   - It takes deadlines of contexts from Runtime.WithTimeout and WithDeadline. Those of package context count
//     real time and are refused; context.AfterFunc starts a goroutine.
//   - t.FailNow, and therefore package require, ends the goroutine that runs the world. The test fails and stops,
//     as it should, but the run reports nothing. Programs under test return errors or call World.Break.
//
// World.Hash shows whether the rules were kept. Two worlds of one configuration have equal hashes
// after each Step; the first Step after which the hashes differ is the event to look at.
//
// # What a life may rely on
//
// The methods of a Process are called one at a time. The instant that they receive was read from
// the machine's clock after the input was taken from its queue; a pause may lie between the reading
// and the call. When a life ends, a private panic unwinds its coroutines, and every method of its
// Env is inert from then on: code that is still on the stack, including deferred functions, has no
// effect. A panic ends the run: as a broken property if its value is an *invariant.Violation, and
// otherwise as a crash.
package sim
