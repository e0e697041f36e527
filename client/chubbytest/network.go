package chubbytest

import (
	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/core"
)

// Partition cuts the connections between replicas of different groups, and restores those within a
// group. A replica that is in no group is alone. Clients still reach all replicas (CutClient). A
// later Partition replaces an earlier one. Partition fails the test if an id is named twice.
func (c *Cell) Partition(groups ...[]int) {
	c.t.Helper()
	of := map[int]int{}
	for i, group := range groups {
		c.checkIDs("Partition", group...)
		for _, id := range group {
			if of[id] != 0 {
				c.t.Fatalf("chubbytest: Partition: %v names replica %d twice", groups, id)
			}
			of[id] = i + 1
		}
	}
	for _, id := range c.ids() {
		if of[id] == 0 {
			of[id] = len(groups) + id
		}
	}
	c.log.Info("chubbytest: partition", "groups", groups)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.groups = of
}

// Heal undoes Partition and CutClient: all replicas and clients reach each other.
func (c *Cell) Heal() {
	c.log.Info("chubbytest: heal")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.groups = nil
	for _, g := range c.guests {
		clear(g.cut)
	}
}

// CutClient cuts a client of this cell off from replicas, in both directions: from the given ones,
// or from all if none is given. An earlier cut of the client stays.
func (c *Cell) CutClient(cl *client.Client, ids ...int) {
	c.t.Helper()
	c.checkIDs("CutClient", ids...)
	g := c.guestOf("CutClient", cl)
	if len(ids) == 0 {
		ids = c.ids()
	}
	c.log.Info("chubbytest: cut", "client", g.addr, "replicas", ids)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		g.cut[id] = true
	}
}

// HealClient undoes CutClient for a client of this cell.
func (c *Cell) HealClient(cl *client.Client) {
	c.t.Helper()
	g := c.guestOf("HealClient", cl)
	c.log.Info("chubbytest: heal", "client", g.addr)
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(g.cut)
}

// peer returns the present life of another replica if messages from the sender reach it, or nil.
func (c *Cell) peer(from *life, to int) *life {
	c.mu.Lock()
	defer c.mu.Unlock()
	if from.dead.Load() || c.groups[from.id] != c.groups[to] {
		return nil
	}
	return c.lives[to-1]
}

// guest returns the client with this address, or nil.
func (c *Cell) guest(a core.Addr) *guest {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.guests[a]
}

// guestOf returns the guest whose client is cl, and fails the test if there is none.
func (c *Cell) guestOf(call string, cl *client.Client) *guest {
	c.t.Helper()
	for _, g := range c.allGuests() {
		if g.client == cl {
			return g
		}
	}
	c.t.Fatalf("chubbytest: %s: the client is not one of this cell, or its test has ended", call)
	return nil
}

// allGuests returns the clients that are not closed.
func (c *Cell) allGuests() (all []*guest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range c.guests {
		all = append(all, g)
	}
	return all
}

// isCut reports whether a client and a replica do not reach each other.
func (c *Cell) isCut(g *guest, id int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return g.cut[id]
}

// isInMajority reports whether a replica runs, is not paused, and reaches more than half of the
// replicas of which that is true, itself included.
func (c *Cell) isInMajority(id int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for i, l := range c.lives {
		if l != nil && !l.gate.isShut() && c.groups[i+1] == c.groups[id] {
			n++
		}
	}
	own := c.lives[id-1]
	return own != nil && !own.gate.isShut() && n > len(c.lives)/2
}
