package paxos_test

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/paxos"
)

// Three nodes agree on a log. This is a whole driver: disks that write at once,
// a network that delivers in order, and a clock that is turned by hand.
func Example() {
	ids := []paxos.NodeID{1, 2, 3}
	now := time.Unix(0, 0)
	nodes := map[paxos.NodeID]*paxos.Node{}
	type letter struct {
		from paxos.NodeID
		paxos.Envelope
	}
	var mail []letter

	take := func(id paxos.NodeID) {
		for {
			out := nodes[id].TakeOutput()
			for _, e := range out.Send {
				mail = append(mail, letter{id, e})
			}
			for _, e := range out.Chosen {
				for _, command := range e.Value.Commands {
					fmt.Printf("node %d: slot %d: %s\n", id, e.Slot, command)
				}
				nodes[id].Applied(e.Slot)
			}
			if len(out.Append) == 0 {
				return
			}
			nodes[id].Durable(now, out.First+paxos.LSN(len(out.Append))-1) // a disk would write here
		}
	}
	for _, id := range ids {
		cfg := paxos.DefaultConfig()
		cfg.ID, cfg.Members, cfg.Seed = id, ids, 1
		nodes[id] = paxos.New(cfg, paxos.Recovered{}, now)
		take(id)
	}
	run := func() {
		for len(mail) > 0 {
			l := mail[0]
			mail = mail[1:]
			nodes[l.To].Step(now, l.from, l.Message)
			take(l.To)
		}
	}

	now = now.Add(time.Second) // node 1 has heard from no leader and campaigns
	nodes[1].Advance(now)
	take(1)
	run()
	fmt.Println("node 2, asked to propose:", nodes[2].Propose(now, []byte("x")))
	_ = nodes[1].Propose(now, []byte("hello"))
	_ = nodes[1].Propose(now, []byte("world"))
	take(1)
	run()
	// Output:
	// node 2, asked to propose: paxos: this node does not lead
	// node 1: slot 1: hello
	// node 1: slot 1: world
	// node 2: slot 1: hello
	// node 2: slot 1: world
	// node 3: slot 1: hello
	// node 3: slot 1: world
}
