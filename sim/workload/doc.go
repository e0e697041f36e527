// Package workload is test support: what client programs do on the simulated cell.
//
// Programs use package client, a clock, draws, and a small environment (env.go): the plan of the
// seed, histories that record their calls, and a Witness of the answers that they get. They see no
// replica. After healing each call must succeed (L1); programs check that themselves, as users
// would.
//
// Reading order:
//
//	env.go       what programs need, and what they share
//	programs.go  the main coroutine of a client machine: session after session, in each
//	             some threads; client.go, line.go: a client on its machine
//	program.go   one thread, and what it does to rows
//	files.go     what it does to files and directories: file_calls.go, pages.go; big.go: the
//	             largest files
//	reads.go     reports reads to a checker; cached.go: programs that read again and again
//	watch.go     the events that its handles receive; registry.go: servers that come and go, and
//	             programs that watch and list them
//	locks.go     what it does to locks: lock_calls.go; storm.go: very many Acquires of one lock; churn.go:
//	             sessions that come and go
//	rights.go    what it does to nodes under ACL files that change; tied.go: by handles tied to sequencers
//	fence.go     the machine of a resource outside of the cell (sim/resource), fence_work.go:
//	             its clients
//	scene.go     programs of an extension (sim/scenario)
//	ready.go     whether a client is ready, before and after its session
//	rest.go      clients that do nothing for a while; queue_room.go: clients that allow few calls
//	             under way; crowded.go: programs that found no room
//	waits.go     for how long clients wait for answers after healing
package workload
