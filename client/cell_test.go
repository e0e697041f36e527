package client_test

import (
	"sort"
	"strings"
	"sync"

	"github.com/chubbycell/chubby/replica/api"
)

// cell is a cell of three replicas as a client sees it: rows, at most one
// execution for each (session, seq), and one master at a time.
type cell struct {
	mu       sync.Mutex
	master   uint32
	sessions map[api.SessionID]map[api.Seq]api.Result
	openers  map[api.Nonce]api.SessionID
	rows     map[string]string
	executed int

	// refuse, if set, may answer in the cell's place.
	refuse func(to uint32, q api.Request) (api.Reply, bool)
}

func newCell() *cell {
	return &cell{
		master: 2, rows: map[string]string{},
		sessions: map[api.SessionID]map[api.Seq]api.Result{}, openers: map[api.Nonce]api.SessionID{},
	}
}

// handle is what the replica to does with a message.
func (c *cell) handle(to uint32, msg []byte) []byte {
	q, err := api.DecodeRequest(msg)
	if err != nil {
		panic(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuse != nil {
		if p, ok := c.refuse(to, q); ok {
			return api.AppendReply(nil, p)
		}
	}
	p := q.Answer(1, api.Result{Code: api.NotMaster})
	p.Master = c.master
	if to == c.master {
		p.Result = c.judge(q)
	}
	return api.AppendReply(nil, p)
}

func (c *cell) judge(q api.Request) api.Result {
	if code := q.Check(); code != api.OK {
		return api.Result{Code: code}
	}
	if o, ok := q.Op.(api.OpenSession); ok {
		id, known := c.openers[o.Nonce]
		if !known {
			id = api.SessionID(len(c.openers) + 1)
			c.openers[o.Nonce] = id
			c.sessions[id] = map[api.Seq]api.Result{}
		}
		return api.Result{Code: api.OK, Session: id}
	}
	answers, alive := c.sessions[q.Session]
	if !alive {
		return api.Result{Code: api.NoSession}
	}
	if r, again := answers[q.Seq]; again {
		return r
	}
	answers[q.Seq] = c.execute(q)
	return answers[q.Seq]
}

func (c *cell) execute(q api.Request) api.Result {
	c.executed++
	ok := api.Result{Code: api.OK}
	switch o := q.Op.(type) {
	case api.EndSession:
		delete(c.sessions, q.Session)
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

// set changes the cell under its lock.
func (c *cell) set(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}
