package cache_test

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

const modelLease = 200 * time.Millisecond

// modelMaster is a master that keeps the contract of caches, written from decision 0052: it registers
// who may cache what, tells a client to drop a path before a change of it, and makes the change when that
// is acknowledged or the client's lease is over. Its clock is the client's.
type modelMaster struct {
	w       *model
	epoch   api.Epoch
	rows    map[api.Path]string
	session api.SessionID // 0: it is over
	acked   api.Epoch     // by the client
	serves  bool          // the client has acknowledged the epoch, or is over
	end     time.Time     // of its lease
	answers map[api.Seq]api.Result
	through api.Seq

	registered map[api.Path]bool
	events     []api.Event // not acknowledged
	last       api.EventNumber
	drops      api.DropNumber
	since      time.Time // when the oldest drop of events was queued
	parked     *api.Request
	receipt    time.Time
	waiting    []modelChange // of other clients, until the drop is acknowledged
	own        []api.Request // changes of the client in the log
}

type modelChange struct {
	path  api.Path
	value string
	drop  api.EventNumber // that it waits for; 0: none
}

func newModelMaster(w *model) *modelMaster {
	m := &modelMaster{w: w, epoch: 1, rows: map[api.Path]string{}, answers: map[api.Seq]api.Result{}, registered: map[api.Path]bool{}, serves: true}
	for i := range modelFiles {
		m.rows[modelPath(i)] = "first"
	}
	return m
}

func (m *modelMaster) reply(q api.Request, p api.Reply) {
	p.ID, p.Session, p.Seq, p.Epoch, p.Master = q.ID, q.Session, q.Seq, m.epoch, 1
	m.w.replies = append(m.w.replies, p)
}

func (m *modelMaster) answer(q api.Request, code api.Code) {
	m.reply(q, api.Reply{Result: api.Result{Code: code}})
}

func (m *modelMaster) receive(q api.Request) {
	keep, keeps := q.Op.(api.KeepAlive)
	_, opens := q.Op.(api.OpenSession)
	switch {
	case opens:
		if m.session == 0 && m.last == 0 {
			m.session, m.acked, m.end = 7, m.epoch, m.w.now.Add(modelLease)
		}
		m.reply(q, api.Reply{Result: api.Result{Code: api.OK, Session: 7}})
	case q.Epoch < m.epoch:
		m.answer(q, api.OldEpoch)
	case m.session == 0:
		m.answer(q, api.NoSession)
	case keeps:
		m.keepAlive(q, keep)
	case !m.serves:
		m.answer(q, api.Recovering)
	case q.Seq <= m.through:
		m.answer(q, api.Stale)
	default:
		m.call(q)
	}
}

func (m *modelMaster) call(q api.Request) {
	m.through = max(m.through, q.AckedThrough)
	if r, again := m.answers[q.Seq]; again {
		m.reply(q, api.Reply{Result: r})
		return
	}
	switch o := q.Op.(type) {
	case api.SetContents:
		delete(m.registered, pathOf(o.Handle)) // its library drops it by itself
		m.own = append(m.own, q)
	case api.GetContents:
		for _, c := range m.own {
			if c.Seq <= q.AckedThrough { // what the rows say is not final
				m.answer(q, api.Busy)
				return
			}
		}
		m.read(q, pathOf(o.Handle))
	}
}

func pathOf(t api.Token) api.Path {
	p, err := api.ParsePath(string(t[1:]))
	if err != nil {
		panic(err)
	}
	return p
}

func (m *modelMaster) read(q api.Request, p api.Path) {
	r := api.Result{Code: api.OK, Found: true, Value: m.rows[p], Detail: api.NodeStat{Stat: api.Stat{Kind: api.File, Instance: 1, Lock: 9}}}
	m.answers[q.Seq] = r
	a := api.Reply{Result: r}
	if q.MayCache && m.acked == m.epoch && m.w.now.Before(m.end) && !m.isHeld(p) {
		m.registered[p] = true
		a.Cacheable, a.Drops = true, m.drops
	}
	m.reply(q, a)
}

func (m *modelMaster) isHeld(p api.Path) bool {
	for _, c := range m.waiting {
		if c.path == p {
			return true
		}
	}
	for _, q := range m.own {
		if pathOf(api.HandleOf(q.Op)) == p {
			return true
		}
	}
	return false
}

// change is a change that another client asks for.
func (m *modelMaster) change(p api.Path, value string) {
	if !m.serves {
		return
	}
	c := modelChange{path: p, value: value}
	if m.registered[p] && m.session != 0 {
		m.w.reached["change waited"]++
		delete(m.registered, p)
		if len(m.events) == 0 {
			m.since = m.w.now
		}
		m.last++
		m.drops++
		m.events = append(m.events, api.Event{Kind: api.EventDrop, Node: api.Ref{Path: p}, Drop: m.drops})
		c.drop = m.last
		if m.drops > 1 {
			m.w.reached["later drop"]++
		}
	}
	for _, other := range m.waiting { // one that is held already waits for the same drop
		if other.path == p {
			c.drop = max(c.drop, other.drop)
		}
	}
	m.waiting = append(m.waiting, c)
	m.goOn()
}

// goOn makes the changes that wait for nothing any more.
func (m *modelMaster) goOn() {
	left := m.waiting[:0:0]
	for _, c := range m.waiting {
		if c.drop > m.last-api.EventNumber(len(m.events)) && m.session != 0 {
			left = append(left, c)
			continue
		}
		m.rows[c.path] = c.value
	}
	m.waiting = left
}

// apply applies a change of the client, or loses it.
func (m *modelMaster) apply(pick func(int) int) {
	if len(m.own) == 0 {
		return
	}
	i := pick(len(m.own))
	q := m.own[i]
	m.own = append(m.own[:i:i], m.own[i+1:]...)
	if _, again := m.answers[q.Seq]; again || q.Epoch != m.epoch || m.session == 0 {
		return
	}
	m.w.reached["own change applied"]++
	p := pathOf(api.HandleOf(q.Op))
	m.rows[p] = q.Op.(api.SetContents).Contents
	r := api.Result{Code: api.OK, Detail: api.NodeStat{Stat: api.Stat{Kind: api.File, Instance: 1}}}
	m.answers[q.Seq] = r
	m.reply(q, api.Reply{Result: r})
}

func (m *modelMaster) keepAlive(q api.Request, o api.KeepAlive) {
	if o.AckedEpoch == m.epoch && m.acked != m.epoch {
		m.acked, m.serves = m.epoch, true
	}
	if first := m.last - api.EventNumber(len(m.events)); m.acked == m.epoch && o.AckedEvents > first {
		m.events = m.events[o.AckedEvents-first:]
		m.since = m.w.now
		m.goOn()
	}
	if m.parked == nil || m.parked.ID < q.ID {
		m.parked, m.receipt = &q, m.w.now
	}
	if o.Now || m.acked != m.epoch || len(m.events) > 0 {
		m.answerKeepAlive()
	}
}

// answerKeepAlive extends the lease, but not beyond one lease after the oldest drop that is not
// acknowledged.
func (m *modelMaster) answerKeepAlive() {
	if m.parked == nil || m.session == 0 {
		return
	}
	q := *m.parked
	m.parked = nil
	to := m.w.now.Add(modelLease)
	if limit := m.since.Add(modelLease); len(m.events) > 0 && limit.Before(to) {
		m.w.reached["cut short"]++
		to = limit
	}
	if to.After(m.end) {
		m.end = to
	}
	l := api.Leased{Lease: m.end.Sub(m.receipt), Failover: m.acked != m.epoch}
	if !l.Failover {
		l.Events, l.LastEvent = append([]api.Event(nil), m.events...), m.last
	}
	m.reply(q, api.Reply{Result: api.Result{Code: api.OK, Detail: l}})
}

// advance ends the session when its lease is over.
func (m *modelMaster) advance() {
	if m.session != 0 && !m.w.now.Before(m.end) {
		m.session, m.serves = 0, true
		m.goOn()
	}
}

// failover makes a master that knows nothing of the caches: it serves when the client has
// acknowledged its epoch.
func (m *modelMaster) failover() {
	m.epoch++
	m.registered, m.events, m.last, m.drops = map[api.Path]bool{}, nil, 0, 0
	m.parked, m.waiting = nil, nil
	m.serves = m.session == 0
	if m.session != 0 {
		m.end = m.w.now.Add(modelLease)
	}
}
