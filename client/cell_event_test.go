package client_test

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// told are the events of one session that it has not acknowledged.
type told struct {
	acked  api.EventNumber
	events []api.Event
}

// perAnswer bounds the events of an answer.
const perAnswer = 3

func (c *cell) hasEvents(id api.SessionID) bool {
	t := c.leases.told[id]
	return t != nil && len(t.events) > 0
}

func (c *cell) eventsOf(id api.SessionID) ([]api.Event, api.EventNumber) {
	if !c.hasEvents(id) {
		return nil, 0
	}
	t := c.leases.told[id]
	n := min(len(t.events), perAnswer)
	return slices.Clone(t.events[:n]), t.acked + api.EventNumber(n)
}

func (c *cell) ack(id api.SessionID, through api.EventNumber) {
	if t := c.leases.told[id]; t != nil && through > t.acked {
		t.events = t.events[through-t.acked:]
		t.acked = through
	}
}

// tell puts an event into the queue of each session that has asked for it, and answers its
// KeepAlive.
func (c *cell) tell(e api.Event) {
	var to []api.SessionID
	for _, h := range c.handles {
		if h.open && !h.poisoned && h.node == e.Node && h.events.Has(e.Kind) && !slices.Contains(to, h.session) {
			to = append(to, h.session)
		}
	}
	slices.Sort(to)
	for _, id := range to {
		c.tellSession(id, e)
	}
}

func (c *cell) tellSession(id api.SessionID, e api.Event) {
	e.Cause = api.Number(c.number)
	if c.leases.told[id] == nil {
		c.leases.told[id] = &told{}
	}
	c.leases.told[id].events = append(c.leases.told[id].events, e)
	if answer := c.leases.hurry[id]; answer != nil {
		answer()
	}
}

// tellParent tells what was done to a child.
func (c *cell) tellParent(child api.Ref, change api.Change) {
	path, ok := child.Path.Parent()
	if n := c.nodes[pathOf(api.Ref{Path: path})]; ok && n != nil {
		c.tell(api.Event{Kind: api.EventChildren, Node: api.Ref{Path: path, Instance: n.stat.Instance}, Child: child.Path.Base(), Change: change})
	}
}

// tellWanted tells the holders of a lock that another handle asks for it.
func (c *cell) tellWanted(n api.Ref, m api.Mode) {
	for _, x := range c.lockOf(pathOf(n)).holders {
		if h := c.handles[x.token]; x.mode.HasConflict(m) && h.events.Has(api.EventLockWanted) {
			c.tellSession(h.session, api.Event{Kind: api.EventLockWanted, Node: n, Mode: m, Acquisition: x.acquisition})
		}
	}
}
