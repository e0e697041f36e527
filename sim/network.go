package sim

import "fmt"

// million is the unit of chances on links: parts per million.
const million = 1_000_000

// Network is all directed links of a world. Links behave independently: a fault in one direction
// does not affect the other.
type Network struct {
	w    *World
	def  LinkConfig
	free *packet

	sent, delivered, lost, cut, duplicated, reordered, down, overflow, hints uint64
}

func (n *Network) init(w *World, def LinkConfig) {
	def.check()
	n.w, n.def = w, def
}

// Net returns the network of the world.
func (w *World) Net() *Network { return &w.net }

// Link returns the directed link between two machines; both must exist.
func (n *Network) Link(from, to Addr) *Link {
	m := n.w.Machine(from)
	if m == nil || n.w.Machine(to) == nil {
		panic(fmt.Sprintf("sim: no link %s->%s", from, to))
	}
	return m.links.to(to)
}

// SetDefault sets the configuration of every link, present and future, to c.
func (n *Network) SetDefault(c LinkConfig) {
	c.check()
	n.def = c
	n.each(func(l *Link) { l.Set(c) })
}

// Isolate cuts both directions between each machine of group and every machine
// outside it, replicas and clients.
func (n *Network) Isolate(group ...Addr) { n.across(group, (*Link).Cut) }

// Rejoin undoes one Isolate of the same group.
func (n *Network) Rejoin(group ...Addr) { n.across(group, (*Link).Mend) }

// Partition cuts both directions between machines of different groups.
// Machines in no group keep their links: one such machine is a bridge.
func (n *Network) Partition(groups ...[]Addr) { n.between(groups, (*Link).Cut) }

// Unite undoes one Partition of the same groups.
func (n *Network) Unite(groups ...[]Addr) { n.between(groups, (*Link).Mend) }

// Heal mends and releases every link, and restores its speed. Delays, loss, duplication and
// reordering stay as configured; SetDefault changes those.
func (n *Network) Heal() {
	n.each(func(l *Link) {
		l.cuts, l.slow = 0, 1
		for l.clogs > 0 {
			l.Release()
		}
	})
	n.w.Fault(0, "net.heal", 0)
}

func (n *Network) across(group []Addr, f func(*Link)) {
	in := map[Addr]bool{}
	for _, a := range group {
		in[a] = true
	}
	for _, m := range n.w.machines.every() {
		if in[m.addr] {
			continue
		}
		for _, a := range group {
			f(n.Link(m.addr, a))
			f(n.Link(a, m.addr))
		}
	}
}

func (n *Network) between(groups [][]Addr, f func(*Link)) {
	for i, g := range groups {
		for j, h := range groups {
			if i == j {
				continue
			}
			for _, a := range g {
				for _, b := range h {
					f(n.Link(a, b))
				}
			}
		}
	}
}

// each calls f for every link that was ever used, in the order of addresses.
func (n *Network) each(f func(*Link)) {
	for _, m := range n.w.machines.every() {
		m.links.each(f)
	}
}

func (n *Network) count(c *counters) {
	c.add("net.sent", n.sent)
	c.add("net.delivered", n.delivered)
	c.add("net.lost", n.lost)
	c.add("net.cut", n.cut)
	c.add("net.duplicated", n.duplicated)
	c.add("net.reordered", n.reordered)
	c.add("net.receiver-down", n.down)
	c.add("net.inbox-full", n.overflow)
	if n.hints > 0 {
		c.add("net.hints", n.hints)
	}
}

// packet is the bytes of one message on its way. Each copy on the wire has its own,
// so no receiver can change what another one receives.
type packet struct {
	data []byte
	next *packet
}

func (n *Network) packet(data []byte) *packet {
	p := n.free
	if p == nil {
		p = &packet{}
	} else {
		n.free = p.next
		p.next = nil
	}
	p.data = append(p.data[:0], data...)
	return p
}

// release returns a packet to the pool. It overwrites the bytes first, so that a receiver that kept
// them fails visibly.
func (n *Network) release(p *packet) {
	if len(p.data) > 0 {
		p.data[0] ^= 0xff
		p.data[len(p.data)-1] ^= 0xa5
	}
	p.next = n.free
	n.free = p
}
