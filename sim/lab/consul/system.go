package consul

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

const (
	one      = "consul"
	first    = "consul-1"
	second   = "consul-2"
	derived  = "[derived]"
	source   = "[src]"
	issue    = "[iss]"
	document = "[doc]"
	counted  = "LockIndex"
)

// on puts one server into the world.
func on(l lock, c config) func(b *lab.Bench) lab.Lock {
	c.leads = true
	return func(b *lab.Bench) lab.Lock {
		b.Node(one, sim.MachineConfig{}, c.serve)
		mine := l
		mine.server = one
		return &mine
	}
}

// build is a lock on one server as it is.
func build(l lock) func(b *lab.Bench) lab.Lock { return on(l, config{}) }

// onTwo puts a leader and a server that copies it into the world.
func onTwo(l lock, replicated bool) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		b.Node(first, sim.MachineConfig{}, config{peer: second, leads: true, replicated: replicated}.serve)
		b.Node(second, sim.MachineConfig{}, config{peer: first, replicated: replicated}.serve)
		mine := l
		mine.server = first
		return &mine
	}
}

// System is the card of this model.
func System() lab.System {
	return lab.System{
		Name:    "consul",
		Title:   "Consul's session lock, api.Lock and `consul lock`",
		Version: "server and api of 1.17 [src], issue #18271 [iss]",
		Omits:   "Raft (a script says when clients turn to the other server), gossip, jitter of blocking queries, ACLs, other keys",
		Token:   "LockIndex, while the key is never deleted; ModifyIndex of the acquire always grows [derived]",
		Options: []lab.Option{
			{Name: "TTL", Value: "10 s here, the least; api.Lock 15 s; the session ends at twice the TTL", Mark: source},
			{Name: "renewal", Value: "every TTL/2", Mark: source},
			{Name: "LockDelay", Value: "15 s, most 60 s", Mark: source},
			{Name: "retry when the key is free but delayed", Value: "after 5 s", Mark: source},
			{Name: "health check of a session", Value: "serfHealth", Mark: document},
		},
		Lease:   ttl,
		Whole:   true,
		Default: build(lock{ttl: ttl, delay: delay, token: lockIndex}),
		Breaks:  []lab.Break{pause(), longPause(), dropped(), gossip(), forgotten(), race(), reset()},
	}
}

const (
	ttl   = 10 * time.Second
	delay = 15 * time.Second
)
