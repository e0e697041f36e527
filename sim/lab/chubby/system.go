package chubby

import (
	"encoding/binary"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cellkit"
	"github.com/chubbycell/chubby/sim/lab"
)

// lease is that of a session by default.
const lease = 12 * time.Second

// System is the card of our own cell.
func System() lab.System {
	return lab.System{
		Name:    "chubby",
		Title:   "our own cell, three replicas",
		Version: "the code that ships: replica/driver, its store, package client",
		Omits:   "certificates, backups, quotas",
		Token:   "the lock's generation: the number of the command that took the free lock; it never repeats",
		Options: []lab.Option{
			{Name: "lease of a session", Value: "12 s, renewed by KeepAlives"},
			{Name: "lock-delay", Value: "chosen by the client, 0 to 60 s; 10 s in the matrix"},
			{Name: "bound on clock rates", Value: "0.1 %"},
			{Name: "log", Value: "synced by a majority before an answer"},
		},
		Lease:   lease,
		Default: build(10*time.Second, lease),
		Breaks:  []lab.Break{pause(), delay(), crash(), rate()},
	}
}

// names are those of the replicas' machines.
var names = []string{"replica-1", "replica-2", "replica-3"}

// build puts a cell whose sessions have this lease into the world.
func build(lockDelay, lease time.Duration) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		cellkit.Add(b.World(), cellkit.Config{
			Replicas: len(names),
			Tune:     func(c *driver.Config) { tune(c, b.World(), lease) },
			// The cards break what cells assume, such as the bound on clocks.
			Unchecked: true,
			Place:     func(id uint32, m sim.MachineConfig) *sim.Machine { return b.Process(names[id-1], m) },
		})
		return &lock{delay: lockDelay, sessions: map[string]*client.Handle{}}
	}
}

// tune sets the lease of sessions. The draws have names of their own: the figures of docs/lab.md were
// measured with them.
func tune(c *driver.Config, w *sim.World, lease time.Duration) {
	id := uint64(c.Core.Paxos.ID)
	c.Core.Sessions.LeaseMin = lease
	c.Core.Paxos.Seed = w.Draw("lab.replica", id).Uint64()
	secret := w.Draw("lab.secret", id)
	for i := 0; i < len(c.Core.Secret); i += 8 {
		binary.BigEndian.PutUint64(c.Core.Secret[i:], secret.Uint64())
	}
}
