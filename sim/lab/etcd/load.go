package etcd

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

// pauses is the test that Jepsen ran on 3.4.3, lock-set with its pause nemesis: leases of 2 s, no
// client looks at its session, work of up to 2 s, calls fail after 5 s; every few seconds the
// leader or all servers are paused for some seconds. With one server every pause stops the service.
func pauses() *lab.Load {
	plain := mutex{ttl: 2 * time.Second, within: 5 * time.Second}
	counted, checked := plain, plain
	counted.token = creates
	checked.checks = true
	before := five
	before.confirms = false
	return &lab.Load{
		Title:     "careless clients, TTL 2 s, work of 0 to 2 s; the leader or all of five servers are paused, or the only one",
		Published: "Jepsen on etcd 3.4.3, five clients: about 18 % of updates lost [known]",
		Length:    2 * time.Minute,
		Clients:   []int{5, 10, 15, 20},
		Script: func(b *lab.Bench, clients int) {
			for i := range clients {
				b.Client(fmt.Sprintf("client-%d", i+1), lab.Job{Spread: 2 * time.Second, Rest: 200 * time.Millisecond, Times: 1_000_000, Careless: true})
			}
			b.Node("nemesis", sim.MachineConfig{}, func(n *lab.Node) { nemesis(b, n) })
		},
		Variants: []lab.Variant{
			{Name: "3.4", Mark: issue, Guard: lab.NoGuard, Build: on(plain, before)},
			{Name: "3.5.0", Mark: source, Guard: lab.NoGuard, Build: on(checked, before)},
			{Name: "3.5.0 and #16822", Mark: source, Guard: lab.NoGuard, Build: on(checked, five)},
			{Name: "3.4, one server", Mark: derived, Guard: lab.NoGuard, Build: build(plain)},
			{Name: "3.5.0, one server", Mark: derived, Guard: lab.NoGuard, Build: build(checked)},
			{Name: "3.4, " + create, Mark: derived, Guard: lab.WriteFence, Build: on(counted, before)},
			{Name: "3.4, " + create, Mark: derived, Guard: lab.ReadFence, Build: on(counted, before)},
			{Name: "the same, one server", Mark: derived, Guard: lab.ReadFence, Build: build(counted)},
		},
	}
}

// nemesis pauses servers, again and again.
func nemesis(b *lab.Bench, n *lab.Node) {
	servers := b.Lock().(*mutex)
	for {
		n.Sleep(n.Draw("gap").Duration(0, 10*time.Second))
		until := b.Now() + n.Draw("gap").Duration(0, 10*time.Second)
		if n.Draw("whom").Chance(1, 2) {
			b.Pause(servers.nodes[servers.votes.leader], until)
		} else {
			for _, name := range servers.nodes {
				b.Pause(name, until)
			}
		}
		n.Sleep(until - b.Now())
	}
}
