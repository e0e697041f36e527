package etcd

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

// on puts servers into the world.
func on(l mutex, c config) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		cluster := c // of this run: others run at the same time
		cluster.votes = &votes{}
		for _, name := range cluster.nodes {
			b.Node(name, sim.MachineConfig{}, cluster.serve)
		}
		mine := l
		mine.nodes, mine.votes, mine.at = cluster.nodes, cluster.votes, map[string]int{}
		return &mine
	}
}

// one, three and five are clusters.
var (
	one   = config{nodes: []string{"etcd"}, confirms: true}
	three = config{nodes: []string{"etcd-1", "etcd-2", "etcd-3"}, confirms: true}
	five  = config{nodes: []string{"etcd-1", "etcd-2", "etcd-3", "etcd-4", "etcd-5"}, confirms: true}
)

// build is a lock on one server, which stands for a cluster without faults inside.
func build(l mutex) func(b *lab.Bench) lab.Lock { return on(l, one) }

// System is the card of this model.
func System() lab.System {
	return lab.System{
		Name:    "etcd",
		Title:   "etcd's concurrency.Mutex, with and without the check of 3.5.0",
		Version: "client and server of 3.4.3 and of 3.5 [src], issues #11456, #12528, #15247 [iss]",
		Omits:   "Raft (followers copy, the next in order leads after a second of silence), disks, other keys, checkpoints of leases, RWMutex",
		Token:   "create revision of the own key; Header().Revision only since 3.5.0 [derived]",
		Options: []lab.Option{
			{Name: "session TTL", Value: "5 s here; Session 60 s, etcdctl lock 10 s, least 2 s", Mark: "[src]"},
			{Name: "renewal", Value: "every TTL/3; refused when the lease is past its end", Mark: "[src]"},
			{Name: "search for expired leases", Value: "every 500 ms; each revocation is an entry of the log", Mark: "[src]"},
			{Name: "after a change of leader", Value: "each lease has TTL + election timeout", Mark: "[src]"},
		},
		Lease:   ttl,
		Whole:   true,
		Default: build(mutex{ttl: ttl, checks: true, token: headers}),
		Breaks:  []lab.Break{waiter(), pause(), stall(), staleLeader(), oneSession(), readWrite(), lostReply(), newLeader()},
		Load:    pauses(),
	}
}

const (
	ttl      = 5 * time.Second
	old      = "3.4"
	mended   = "3.5.0"
	create   = "create revision"
	header   = "Header().Revision"
	derived  = "[derived]"
	source   = "[src]"
	issue    = "[iss]"
	document = "[doc]"
)
