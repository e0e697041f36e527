package master

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// startNodeOps makes the memory of nodes of this epoch, unless the cell is not founded yet.
func (m *Master) startNodeOps(at At) {
	secret, ok := rows.GetSecret(at.Rows)
	if !ok {
		return
	}
	sealer, err := handle.NewSealer(secret)
	if err != nil {
		return // cannot happen: Found refuses a secret that is all zeroes
	}
	cfg := m.cfg.NodeOps
	cfg.Silent = !m.sessions.HasLeases()
	m.ops = nodeops.New(cfg, m.epoch, sealer, m.calls, at)
}

// isOnNode reports whether an op is for nodeops: it uses a handle, or opens one.
func isOnNode(op api.Op) bool {
	switch op.(type) {
	case api.OpenSession, api.EndSession, api.Get, api.Put, api.Delete, api.CompareAndSet, api.List, api.KeepAlive:
		return false
	}
	return true
}

// ask hands a call to nodeops, which answers its newest duplicate. A request with the number of a
// call on a row whose command is under way is a duplicate of that call instead.
func (m *Master) ask(at At, from Addr, who api.Principal, q api.Request) {
	c := m.calls.Of(q.Session, q.Seq)
	waits := c != nil && c.Awaited
	switch {
	case m.ops == nil:
		m.answerTo(from, q, api.Result{Code: api.Invalid})
		return
	case c != nil && c.State == calls.Logged:
		m.ack(at, q)
		m.enter(at, from, who, q)
		return
	case !waits && m.isBusy(who):
		m.answerTo(from, q, noPlaceResult(at))
		return
	case !waits:
		m.sessions.Used(at.Now, q.Session)
	}
	first := len(m.out.Replies)
	m.ops.Ask(at, calls.Request{
		Session: q.Session, Seq: q.Seq, Seen: q.AckedThrough, Principal: who, Op: q.Op,
		MayCache: q.MayCache && m.sessions.MayCache(at.Now, q.Session),
	}, destination(from, q))
	m.collect(at)
	if at.HasAuthority() && !m.cfg.Unobserved {
		m.noteAlone(at, first, q)
	}
}

// noteAlone tells observers of an answer that was given at once, with authority.
func (m *Master) noteAlone(at At, first int, q api.Request) {
	for _, p := range m.out.Replies[first:] {
		if p.Session == q.Session && p.Seq == q.Seq && p.Code.IsDefinite() {
			m.out.Reads = append(m.out.Reads, Read{Session: p.Session, Seq: p.Seq, Result: p.Result, Now: at.Now})
		}
	}
}

// collect sends the answers of nodeops, and queues its commands. A KeepAlive of a session that has
// new events becomes due.
func (m *Master) collect(at At) {
	out := m.ops.TakeOutput()
	for _, r := range out.Replies {
		m.onNodeReply(at, r)
	}
	if m.sessions != nil {
		for _, s := range out.Told {
			m.noteLate(s)
			m.sessions.Hurry(at.Now, s)
		}
	}
	for _, c := range out.Propose {
		who, k := m.ownerOf(c)
		m.join(who, Proposal{Command: command.Append(nil, c), what: forNode, key: k, own: c})
	}
}

// onNodeReply sends an answer to a call on a node; a call that is parked goes on waiting.
func (m *Master) onNodeReply(at At, r nodeops.Reply) {
	if r.Result.Code != api.Parked && m.sessions != nil {
		m.sessions.Used(at.Now, r.Session)
	}
	m.answer(r.To, r.Session, r.Seq, r.Result)
	p := &m.out.Replies[len(m.out.Replies)-1]
	p.Cacheable, p.Drops = r.Cacheable, r.Drops
}

// present passes the tokens of a KeepAlive to nodeops, unless the session has acknowledged the epoch.
func (m *Master) present(at At, q api.Request, op api.KeepAlive) {
	if s, _ := m.sessions.Get(q.Session); s.HasAcked || m.ops == nil {
		return
	}
	for _, token := range op.Tokens {
		m.ops.Present(at, q.Session, token)
	}
}

// onEpochAcked frees the locks of handles that a session did not present.
func (m *Master) onEpochAcked(at At, id api.SessionID) {
	if m.ops != nil {
		m.ops.EpochAcked(at, id)
		m.collect(at)
	}
}

// NodeOps describes what the present master knows of nodes in use, for reports; ok is false if this
// replica is not the master, or its cell is not founded yet.
func (m *Master) NodeOps() (s nodeops.Status, ok bool) {
	if m.ops == nil {
		return nodeops.Status{}, false
	}
	return m.ops.Status(), true
}

// Caches describes what the present master knows of the caches of its clients, for reports; zero if
// this replica is not the master.
func (m *Master) Caches() nodeops.CacheStatus {
	if m.ops == nil {
		return nodeops.CacheStatus{}
	}
	return m.ops.Caches()
}
