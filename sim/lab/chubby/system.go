package chubby

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
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

// build puts a cell into the world.
func build(lockDelay, lease time.Duration) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		for i := range replicas {
			b.Process(fmt.Sprintf("replica-%d", i+1), sim.MachineConfig{
				Process: func() sim.Process { return newReplica(b.World(), paxos.NodeID(i+1), lease) },
				Disk:    sim.DiskConfig{Sync: sim.Table{time.Millisecond}},
			})
		}
		return &lock{delay: lockDelay, sessions: map[string]*client.Handle{}}
	}
}
