package zookeeper

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

// build puts the ensemble into the world.
func build(l recipe) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		b.Node(ensemble, sim.MachineConfig{}, serve)
		mine := l
		mine.sessions = map[string]*session{}
		return &mine
	}
}

// System is the card of this model.
func System() lab.System {
	return lab.System{
		Name:    "zookeeper",
		Title:   "ZooKeeper's lock recipe, with ephemeral sequential nodes",
		Version: "the recipe of the documentation of 3.9 [doc], sessions of its server and client [src], Curator 5 [iss]",
		Omits:   "the ensemble (one server that never fails stands for it), paths, data, access lists, local sessions, lag of followers",
		Token:   "czxid of the own node: a later holder's node was made later [derived]",
		Options: []lab.Option{
			{Name: "tickTime", Value: "2 s", Mark: "[doc]"},
			{Name: "session timeout T", Value: "6 s, of 4 to 40 s", Mark: "[doc]"},
			{Name: "end of a session", Value: "at the next tick after T of silence", Mark: "[src]"},
			{Name: "ping; Disconnected", Value: "every T/3; after 2T/3 of silence", Mark: "[src]"},
			{Name: "end by the client's clock", Value: "4T/3 since 3.9.3, T in Curator, before never", Mark: "[src]"},
		},
		Lease:   timeout,
		Whole:   true,
		Default: build(recipe{guid: true, owner: true, stops: true, gives: 4 * timeout / 3}),
		Breaks:  []lab.Break{pause(), disconnected(), foundAgain(), orphan(), delay(), localSession()},
	}
}

const (
	czxid    = "czxid as token"
	noToken  = "no token"
	derived  = "[derived]"
	document = "[doc]"
	source   = "[src]"
	issue    = "[iss]"
)

// start lets B come after A.
const start = 500 * time.Millisecond
