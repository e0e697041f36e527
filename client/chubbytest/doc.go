// Package chubbytest is concurrent: a whole Chubby cell inside a Go test, without ports, files or
// configuration, and with the faults that a program should survive.
//
//	func TestMyProgram(t *testing.T) {
//		cell := chubbytest.Start(t, chubbytest.Options{})
//		program := run(cell.Client(t)) // your code, which takes a *client.Client
//		cell.Kill(cell.Master(t.Context()))
//		...
//	}
//
// # What is real
//
//	real                                        not real
//	replicas: agreement, elections, leases,     the network: messages are handed over in this
//	  locks, events, recovery from the log        process, at once and in order
//	clients, on goroutines                      disks: memory, which loses on Kill what was not synced
//	time, unless the test runs in a bubble      who a client is: the cell believes it
//
// A message is lost only if the test asks for it (Kill, Partition, CutClient), or if too many
// messages already wait for the receiver: 4096 at a replica, 1024 at a client. No message is
// delayed or duplicated. To test a program under those faults too, and with a crash at each step,
// use the simulator (docs/extending.md). This package shows that the program does what it should in
// the common failures.
//
// # Timing
//
//	session lease          1 s      Options.Lease. A client that is cut off knows after its lease that
//	                                it is in jeopardy; the cell frees its locks within two leases
//	grace of clients       3 s      Options.Grace, after the lease; package client has 45 s
//	election               150 to 300 ms after a master was last heard, and up to 200 ms until the
//	                       lease of the former master is over
//	fail-over              a client without a call finds the next master within its lease, and until
//	                       it has, or its session has expired, the master answers no calls (CHU §2.9)
//	ephemeral files        of sessions that did not come back: lease + grace after a fail-over
//
// In a bubble of testing/synctest all of this is virtual time, which advances only when everything
// waits: waiting for a lease to run out costs nothing, and a busy machine cannot end a lease. Start
// the cell inside the bubble. Outside a bubble, a machine that is too busy to run a goroutine for
// that long makes its cell change masters and its clients lose their sessions. A program should
// survive both. A test that must not see them should set a longer Lease; its fail-overs then take
// that much longer.
//
// # Ends
//
// A client is closed when the test for which it was made has ended, and the cell when the test
// given to Start has ended. Both wait for their goroutines. A method that is misused (an id out of
// range, a Restart of a replica that runs) fails the test at the line of the caller.
//
// # Goroutines
//
//	goroutine         started by      waits for                  ends with
//	(of a replica)    Start, Restart  see package replica        Kill, the end of the test
//	watch of a life   Start, Restart  the end of the replica     the replica
//	queue of a client Client          messages from replicas     the end of the client's test
//	question          Master, Resign  the replica's answer       the answer
//
// # Reading order
//
//   - cell.go: Options, Start, the timing
//   - life.go: one life of a replica: Kill, Restart, Pause, Resume
//   - gate.go, disk.go: how a replica is paused, and what a Kill leaves behind
//   - guest.go: clients
//   - network.go: Partition, CutClient, Heal
//   - master.go: Master, Resign
package chubbytest
