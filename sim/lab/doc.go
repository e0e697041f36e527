// Package lab is test support: lock systems that people really use, each as a small
// service in a simulated world, so that a failure that texts describe can be watched.
//
// # What a student sees here
//
// A lock with a lease is a promise about time: the service may give the lock to the next
// client when the lease is over, and the old holder is expected to know. Whatever parts the
// two opinions (a pause, a clock that jumps, a server that forgets, a message that is late)
// lets two clients act as holders at once. Whether that does harm depends on what the
// clients do under the lock, and on what the resource that they write to checks.
//
// So every scenario has the same parts:
//
//	clients A, B, ...   ask for the lock, read a counter at the resource, work, write the
//	                    counter one higher, release: a Job
//	a lock service      its machines, and the client's part of its algorithm: a Lock
//	a resource          keeps the counter; guards itself in one of five ways, or not at all
//	a script            when which client starts, and which fault strikes when
//
// A Break is one failure with its script. It is run with several Variants of the system:
// in the faulty ones the harm happens, in the repaired ones the same script does none.
// Run plays one variant, Check all of a break; Tell makes a page of it:
//
//	chubby lab                  systems, breaks, lessons
//	chubby lab run setpx X1     one break with its time line; --page: for a browser (package labpage)
//	chubby lab matrix           all systems under faults at random (package swarm)
//	chubby lab lesson NAME      a wrong and a right program (package lessons)
//	chubby lab sweep NAME       how likely harm is over one parameter (package sweep)
//
// # What is counted as harm
//
// Nothing a client believes can be wrong by itself; what it does can. A client acts as a
// holder from the return of Acquire to the last thing that it does under that lock. In true
// time, which no machine in the world can read:
//
//	overlap        two clients act as holders at the same instant
//	lost update    the resource accepted a write, and its value does not contain it at the end
//	stale write    the resource accepted a write of a client after a later holder had begun
//	wrong refusal  the resource refused a write of the latest holder
//	waiting        a client waits longer for the lock than the break allows
//
// An overlap is an observation. No lock with a lease can exclude it, so no repair at the
// resource removes it; what a repair removes is the lost update. Repairs of the lock service
// are judged by the overlap.
//
// # Marks
//
// Each system, break and variant says where its claim comes from. Nothing here ran against
// the real product.
//
//	[src]      read in the product's source
//	[iss]      an issue of the product
//	[doc]      the product's documentation
//	[known]    common knowledge about the system, without one source
//	[derived]  our own deduction
//
// # Reading order
//
//	system.go    System: name, version, what is left out; break.go: Break, Variant
//	lock.go      Lock and Grant: what a system implements for its clients
//	bench.go     Bench: the world of one run, its machines, its time line
//	node.go      Node: what a program on a machine may do; queue.go: one request after the other;
//	             message.go: the bytes on a link
//	app.go       App: a client whose program is written out
//	client.go    Client and Job: what every client of a break does under a lock
//	store.go     the resource, which is the one of package sim/resource
//	faults.go    what a script does to machines, clocks and links, with words for the time line
//	harm.go      Harm: what a break claims; outcome.go: what a run shows; herd.go: whom a release moves
//	run.go       Run and Check; story.go: a break on one page; card.go: a system
//
// Package setpx is the example of a whole system, package chubby that of one that is not a model;
// package systems lists them all.
//
// # Adding a system
//
// A package sim/lab/NAME has one exported function, System() lab.System. It holds
//
//   - the service: a func(n *lab.Node) for each kind of machine, put into the world by
//     Bench.Node and answering requests that it registered for by Node.Serve;
//   - the client's part: a type that implements Lock, by Node.Call and the local clock;
//   - its breaks: for each number a Script and the variants, where a variant builds the
//     machines and returns the Lock.
//
// The service must not know of variants, scripts or checkers; an option of the real
// product, or a repair, is a field of the service's own configuration. Then add the system to
// package systems, a row for the package to internal/archtest/policy.go, and run
//
//	go test ./sim/lab/...
//
// which plays every variant of every break and holds every story to 20 lines. What keeps
// one seed one history is said in package sim.
package lab
