package redlock

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

// System is the card of this model.
func System() lab.System {
	return lab.System{
		Name:    "redlock",
		Title:   "Redlock on five Redis instances",
		Version: "the description at redis.io [doc]; numbers of redsync 4.9.4 [src]",
		Omits:   "persistence, fail-fast, replicas of the five, the limit of 32 tries",
		Token:   "none: the random value has no order, and counters on five instances diverge [known]",
		Options: []lab.Option{
			{Name: "ttl", Value: "8 s; 10 s in the breaks", Mark: "[src]"},
			{Name: "allowance for drift of clocks", Value: "ttl/100", Mark: "[src]"},
			{Name: "time for one instance to answer", Value: "ttl/20", Mark: "[src]"},
			{Name: "retry", Value: "after 50 to 250 ms", Mark: "[src]"},
			{Name: "expiry", Value: "by each server's wall clock", Mark: "[doc]"},
		},
		Lease:   8 * time.Second,
		Default: build(lock{ttl: 8 * time.Second}, config{}),
		Breaks:  []lab.Break{step(), pause(), restart(), rate(), delay(), relapse(), split()},
	}
}

// build puts five instances into the world.
func build(l lock, c config) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		for _, name := range nodes {
			b.Node(name, sim.MachineConfig{}, c.serve())
		}
		mine := l
		return &mine
	}
}
