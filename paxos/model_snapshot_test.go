package paxos

// truncate makes a snapshot of what a node has applied durable, or of less, and
// drops from its disk and memory slots that it covers. The machine may stop in
// between.
func (m *model) truncate(id NodeID) {
	r := m.member(id)
	if r.node == nil {
		return
	}
	was := r.disk.rec.Snapshot.Slot
	applied := r.node.Status().Applied
	if applied <= was {
		return
	}
	h := Handle{Slot: was + 1 + Slot(m.c.pick("snapshot", int(applied-was))), Members: r.cfg.Members}
	below := h.Slot + 1 - Slot(m.c.pick("margin", min(4, int(h.Slot)+1)))
	r.disk.snapshot(h, below)
	m.seen["slots truncated"]++
	if m.c.pick("told", 4) > 0 {
		r.node.Truncate(r.now, below)
		m.taken(id)
	} else {
		m.crash(id)
	}
}

// install gives a node that lacks slots the snapshot of another one, if that has
// one that helps. It says whether there was something to do.
func (m *model) install(id NodeID) bool {
	r := m.member(id)
	if r.node == nil || r.lacks == 0 {
		return false
	}
	for i := range m.nodes {
		h := m.nodes[(int(id)+i)%len(m.nodes)].disk.rec.Snapshot
		if h.Slot < r.lacks || h.Slot <= r.disk.rec.Snapshot.Slot {
			continue
		}
		r.lacks = 0
		m.known(id, h.Slot+1)
		r.disk.snapshot(h, h.Slot+1)
		if !m.calm && m.c.pick("installed", 8) == 0 {
			m.crash(id)
			return true
		}
		if r.node.Installed(r.now, h) {
			r.next = h.Slot + 1
		}
		m.taken(id)
		return true
	}
	return false
}
