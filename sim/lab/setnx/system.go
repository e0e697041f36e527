package setnx

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

// System is the card of this model.
func System() lab.System {
	return lab.System{
		Name:    "setnx",
		Title:   "Redis SETNX without an expiry, one instance",
		Version: "the command's page in the documentation of Redis 7 [doc]",
		Omits:   "Lua, READONLY replicas, Sentinel's election; clients know of a fail-over at once",
		Token:   "none: an id in the value makes the release safe, and has no order [known]",
		Options: []lab.Option{
			{Name: "expiry", Value: "none", Mark: "[doc]"},
			{Name: "release", Value: "DEL, whatever the value is", Mark: "[known]"},
			{Name: "appendonly", Value: "no; if yes, appendfsync everysec", Mark: "[doc]"},
			{Name: "replication", Value: "asynchronous", Mark: "[doc]"},
			{Name: "maxmemory-policy", Value: "noeviction; caches often set allkeys-lru", Mark: "[doc]"},
		},
		Default: onOne(lock{}, config{}),
		Breaks:  []lab.Break{crash(), between(), deleted(), release(), failover(), restart(), eviction()},
	}
}

// The names of machines: of the only instance, and of a primary and its replica.
const (
	one    = "redis"
	first  = "redis-1"
	second = "redis-2"
)

// onOne puts one instance into the world.
func onOne(l lock, c config) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		b.Node(one, sim.MachineConfig{Disk: sim.DiskConfig{Sync: sim.Table{time.Millisecond}}}, c.serve)
		mine := l
		mine.primary = one
		return &mine
	}
}

// onTwo puts a primary with a replica into the world.
func onTwo(l lock) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		b.Node(first, sim.MachineConfig{}, config{replica: second}.serve)
		b.Node(second, sim.MachineConfig{}, config{}.serve)
		mine := l
		mine.primary = first
		return &mine
	}
}
