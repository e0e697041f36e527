package client_test

import (
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// cell is a cell of three replicas as a client sees it: rows, files and locks
// (cell_node_test.go, cell_lock_test.go), at most one execution for each (session,
// seq), leases of sessions (cell_lease_test.go), and one master at a time.
type cell struct {
	mu       sync.Mutex
	master   uint32
	epoch    api.Epoch
	sessions map[api.SessionID]map[api.Seq]api.Result
	openers  map[api.Nonce]api.SessionID
	rows     map[string]string
	executed int
	number   uint64 // of commands
	nodes    map[string]*node
	handles  map[api.Token]*handle
	locks    map[string]*lock
	waiting  []request
	leases   leases
	caching  caching
	out      []func() // answers, to be given as soon as mu is free

	// refuse, if set, may answer in the cell's place.
	refuse func(to uint32, q api.Request) (api.Reply, bool)
	now    func() time.Time
	after  func(time.Duration, func())
}

// request is one that came in, and how to answer it.
type request struct {
	q     api.Request
	reply func([]byte)
}

func newCell() *cell {
	c := &cell{
		master: 2, epoch: 1, rows: map[string]string{}, nodes: map[string]*node{}, handles: map[api.Token]*handle{},
		locks: map[string]*lock{}, sessions: map[api.SessionID]map[api.Seq]api.Result{},
		openers: map[api.Nonce]api.SessionID{}, leases: newLeases(), caching: newCaching(),
		now: time.Now, after: func(d time.Duration, f func()) { time.AfterFunc(d, f) },
	}
	c.create("", api.Directory, false, "")
	return c
}

// handle is what the replica to does with a message. It may answer later, or never.
func (c *cell) handle(to uint32, msg []byte, reply func([]byte)) {
	q, err := api.DecodeRequest(msg)
	if err != nil {
		panic(err)
	}
	c.set(func() {
		if c.refuse != nil {
			if p, ok := c.refuse(to, q); ok {
				c.out = append(c.out, func() { reply(api.AppendReply(nil, p)) })
				return
			}
		}
		r := request{q, reply}
		if to != c.master {
			c.answer(r, api.Result{Code: api.NotMaster})
			return
		}
		c.process(r)
	})
}

// set changes the cell under its lock.
func (c *cell) set(f func()) {
	c.mu.Lock()
	f()
	out := c.out
	c.out = nil
	c.mu.Unlock()
	for _, f := range out {
		f()
	}
}

func (c *cell) answer(r request, res api.Result) {
	p := r.q.Answer(c.epoch, res)
	p.Master = c.master
	c.out = append(c.out, func() { r.reply(api.AppendReply(nil, p)) })
}

func (c *cell) process(r request) {
	q := r.q
	if code := q.Check(); code != api.OK {
		c.answer(r, api.Result{Code: code})
		return
	}
	if o, ok := q.Op.(api.OpenSession); ok {
		id, known := c.openers[o.Nonce]
		if !known {
			id = api.SessionID(len(c.openers) + 1)
			c.openers[o.Nonce] = id
			c.sessions[id] = map[api.Seq]api.Result{}
			c.leases.begin(id, c.epoch, c.now())
		}
		c.answer(r, api.Result{Code: api.OK, Session: id})
		return
	}
	answers, alive := c.sessions[q.Session]
	beat, keeps := q.Op.(api.KeepAlive)
	switch {
	case q.Epoch < c.epoch:
		c.answer(r, api.Result{Code: api.OldEpoch})
		return
	case !alive:
		c.answer(r, api.Result{Code: api.NoSession})
		return
	case keeps && c.leases.none:
		c.answer(r, api.Result{Code: api.Invalid})
		return
	case keeps:
		c.keepAlive(r, beat)
		return
	}
	if res, again := answers[q.Seq]; again {
		c.answer(r, res)
		return
	}
	if c.caching.on && c.bar(r) {
		return
	}
	res := c.execute(q)
	if res.Code == api.Parked {
		c.wait(r)
	} else {
		answers[q.Seq] = res
	}
	if c.cacheable(q, res) {
		p := q.Answer(c.epoch, res)
		p.Master, p.Cacheable, p.Drops = c.master, true, c.caching.drops[q.Session]
		c.out = append(c.out, func() { r.reply(api.AppendReply(nil, p)) })
	} else {
		c.answer(r, res)
	}
	c.wake()
}

func (c *cell) execute(q api.Request) api.Result {
	c.executed++
	ok := api.Result{Code: api.OK}
	switch o := q.Op.(type) {
	case api.EndSession:
		c.endSession(q.Session)
	case api.Get:
		return c.row(o.Key)
	case api.Put:
		c.rows[o.Key] = o.Value
	case api.Delete:
		if _, there := c.rows[o.Key]; !there {
			return api.Result{Code: api.NotFound}
		}
		delete(c.rows, o.Key)
	case api.CompareAndSet:
		have, there := c.rows[o.Key]
		if there == o.Absent || have != o.Expect {
			return api.Result{Code: api.Conflict, Found: there, Value: have}
		}
		c.rows[o.Key] = o.Value
	case api.List:
		for k, v := range c.rows {
			if strings.HasPrefix(k, o.Prefix) {
				ok.Pairs = append(ok.Pairs, api.Pair{Key: k, Value: v})
			}
		}
		sort.Slice(ok.Pairs, func(i, j int) bool { return ok.Pairs[i].Key < ok.Pairs[j].Key })
	default:
		return c.executeOnNode(q)
	}
	return ok
}

func (c *cell) row(key string) api.Result {
	v, there := c.rows[key]
	if !there {
		return api.Result{Code: api.NotFound}
	}
	return api.Result{Code: api.OK, Found: true, Value: v}
}
