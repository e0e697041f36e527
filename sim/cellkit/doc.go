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
// # What it leaves out
//
// A run is checked by the assertions of the shipped code alone, and by what the test adds: the
// checkers of package sim/cell know worlds with one cell. A replica handles an input as soon as it
// comes, so the bounded queues of package replica are always empty. There are no certificates and no
// backups; the principal of a machine is its address (c1, n4).
//
// # Reading order
//
// config.go (what a cell is made of), cell.go (Cell), client.go (NewClient), replica.go (one life of a
// replica), describe.go (messages as text).
package cellkit
