// Package cellkit is test support: cells for worlds of one's own. A cell is replicas that run the
// driver and the store that ship, each on a machine of a sim.World. Beside it the world may have
// more cells, and servers and programs of any kind. A program on any machine calls cells by a Client
// of package client:
//
//	west := cellkit.Add(w, cellkit.Config{Name: "west"})
//	east := cellkit.Add(w, cellkit.Config{Name: "east"})
//	...
//	c := cellkit.NewClient(rt, client.Config{}, west, east)
//	f, err := c.Open(ctx, "/ls/east/leader", client.OpenOptions{...})
//
// Faults of package sim/faults reach the replicas as they reach any machine; Cell.Any and Cell.Master
// aim at those of one cell. The cells share nothing but the world: they have the same replica ids,
// and each has locks, sessions and sequencers of its own.
//
// # What is checked
//
// Each cell has checkers of its own, the same code as those of package sim/cell. They break the
// properties that DESIGN.md numbers, by World.Break:
//
//   - agreement of the disks and of all that replicas apply, durability, at most one effect for each
//     call, equal rows, messages that claim only what is true (S1, S2, S3, S5, S6, S17, I-W1);
//   - leases in true time (S7, S7b);
//   - locks in true time, by the log: compatible holders, lock-delays, generations (S8), and answers
//     about sequencers (S10);
//   - sessions: none is ended while a Client of NewClient counts on it (S11), for the first cell of
//     the Client, the only one of which it tells the lease;
//   - linearizability of what Clients of NewClient were answered about nodes and locks (S4, S3). A
//     call lasts from the first copy that leaves its Client to the first answer that reaches it;
//   - locks that programs believe to hold, each by its own clock (S9), if they report them with
//     Cell.Holds.
//
// S4 and a part of S8 need the whole run. A sim.Scenario judges them at its end; a test that runs its
// world itself calls Cell.Judge. Once a clock of a replica has erred by more than its Lease.Rho, what
// depends on clocks is not judged: S4, S7, S11, and the length of lock-delays. A world whose programs do
// nothing but call cells takes about 1.4 times as long with the checkers as without. Config.Unchecked
// turns them off, for speed, and for worlds that do what no cell is to survive: damage to what disks
// have synced, or to memory.
//
// # What it leaves out
//
// What a Client answers from its cache, or makes of an event, is not on the wire: reads from caches
// (S12) and events (S13) are not checked, nor are handles, rights and quotas (S14 to S16), calls on
// rows, and L1 to L3. A mistake of the Client between its program and the wire is seen only by the
// checks of its beliefs. A replica handles an input as soon as it comes,
// so the bounded queues of package replica are always empty. There are no certificates and no backups;
// the principal of a machine is its address (c1, n4).
//
// # Reading order
//
// config.go (what a cell is made of), cell.go (Cell), client.go (NewClient), replica.go (one life of a
// replica), describe.go (messages as text); checks.go (the checkers), watch.go (what they learn of a
// replica), tap.go (of a Client), holds.go (of a program).
package cellkit
