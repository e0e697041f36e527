package paxos

import (
	"slices"
	"time"
)

// crash ends a life. Of what was not synced, some may be on disk all the same.
func (m *model) crash(id NodeID) {
	r := m.member(id)
	if r.node == nil {
		return
	}
	m.persist(id, m.c.pick("kept", len(r.disk.pending)+1))
	if len(r.disk.pending) > 0 {
		m.seen["records lost in a crash"]++
	}
	addCounters(&m.total, r.node.Status().Count)
	r.disk.pending, r.node = nil, nil
	m.rot(r)
	m.reconfigure(r)
	if m.c.pick("back", 3) > 0 {
		m.start(id)
	}
}

// reconfigure gives the next life of a machine another Grant, now and then: a shorter one,
// none, or that of the others again.
func (m *model) reconfigure(r *member) {
	if m.swarm.lease == 0 || m.c.pick("reconfigured", 8) > 0 {
		return
	}
	before := r.cfg.Lease.Grant
	r.cfg.Lease.Grant = []time.Duration{m.swarm.lease, 200 * time.Millisecond, 0}[m.c.pick("grant", 3)]
	if r.cfg.Lease.Grant < before {
		m.seen["restarts with a shorter Grant"]++
	}
}

// rot makes the value of a vote unreadable.
func (m *model) rot(r *member) {
	if !r.frail || len(r.disk.rec.Records) == 0 || m.c.pick("rot", 3) > 0 {
		return
	}
	k := m.c.pick("where", len(r.disk.rec.Records))
	if v, ok := r.disk.rec.Records[k].(Voted); ok {
		r.disk.rec.Records[k] = Unreadable{Slot: v.Slot, Ballot: v.Ballot}
		m.seen["values lost by a disk"]++
	}
}

func (m *model) start(id NodeID) {
	r := m.member(id)
	r.node, r.next, r.lacks = New(r.cfg, r.disk.rec, r.now), r.disk.rec.Snapshot.Slot+1, 0
	if p := r.node.Status().Promised; p.Less(r.told) {
		m.failf("node %d starts with promise %v, and had told of %v", id, p, r.told)
	}
	m.take(id)
}

// coup hurries phase 1 of one node past all else, and a command after it: rivals
// in quick succession, whose proposals are still on their way, are what tells
// value rules apart. Only a bare quorum hears of it.
func (m *model) coup(id NodeID) {
	n := len(m.nodes)
	m.rouse(id)
	first := m.c.pick("first supporter", n)
	for round := 0; round < 8 && m.member(id).node != nil && m.member(id).node.campaign != nil; round++ {
		for i := range n/2 + 1 {
			other := NodeID((first+i)%n + 1)
			m.hurry(id, other)
			m.sync(other, len(m.member(other).disk.pending))
			m.hurry(other, id)
		}
		m.sync(id, len(m.member(id).disk.pending))
	}
	if r := m.member(id); r.node != nil && r.node.lead != nil {
		m.seen["coups"]++
		m.propose(id)
	}
}

// hurry delivers what belongs to phase 1 on one link.
func (m *model) hurry(from, to NodeID) {
	var hurried []wire
	m.bag = slices.DeleteFunc(m.bag, func(w wire) bool {
		if w.from != from || w.to != to || kind(w.m) != kindPrepare && kind(w.m) != kindPromise {
			return false
		}
		hurried = append(hurried, w)
		return true
	})
	for _, w := range hurried {
		m.hand(w)
	}
}

// cutLinks cuts some links, or mends all.
func (m *model) cutLinks(id NodeID) {
	switch m.c.pick("which", 3) {
	case 0:
		clear(m.cut)
	case 1:
		m.cut[[2]NodeID{id, NodeID(m.c.pick("to", len(m.nodes)) + 1)}] = true
	case 2:
		for other := range NodeID(len(m.nodes)) {
			m.cut[[2]NodeID{id, other + 1}], m.cut[[2]NodeID{other + 1, id}] = true, true
		}
	}
}
