package session_test

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
)

// modelCell is what a machine may meet: three replicas, at times a master among
// them, a log in which a request may lie long after its master was deposed, and
// at most one execution for each (session, seq). It judges in the order of
// replica/command.
type modelCell struct {
	t        *rapid.T
	epoch    api.Epoch
	master   uint32 // 0: nobody
	sessions map[api.SessionID]*modelSession
	openers  map[api.Nonce]api.SessionID
	log      []proposal // proposed, not applied

	executed map[string]api.Result // by value, which names a call of the test
	waits    func(api.Seq) bool    // somebody waits for this call
}

type modelSession struct {
	seen    api.Seq
	answers map[api.Seq]api.Result
}

type proposal struct {
	q     api.Request
	at    uint32 // the master that proposed it
	guard api.Epoch
}

func newModelCell(t *rapid.T) *modelCell {
	return &modelCell{
		t: t, epoch: 1, master: 1, sessions: map[api.SessionID]*modelSession{},
		openers: map[api.Nonce]api.SessionID{}, executed: map[string]api.Result{},
	}
}

// receive takes a request in. It answers at once, or proposes; a master may also
// be too busy, and then or at any other time a replica may guess wrong about who
// is master.
func (c *modelCell) receive(to uint32, q api.Request) (api.Reply, bool) {
	if code := q.Check(); code != api.OK {
		c.t.Fatalf("the machine sent what must be refused as %v: %+v", code, q)
	}
	if to != c.master {
		p := q.Answer(c.epoch, api.Result{Code: api.NotMaster})
		p.Master = rapid.SampledFrom([]uint32{0, c.master, c.master, c.master, 1, 2, 3, 9}).Draw(c.t, "hint")
		return p, true
	}
	if rapid.IntRange(0, 9).Draw(c.t, "busy") == 0 {
		return q.Answer(c.epoch, api.Result{Code: api.Busy}), true
	}
	c.log = append(c.log, proposal{q: q, at: to, guard: c.epoch})
	return api.Reply{}, false
}

// apply applies what is the i-th of the log. A master of the same tenure
// answers, and whoever sees its proposal aborted.
func (c *modelCell) apply(i int) (api.Reply, uint32, bool) {
	p := c.log[i]
	c.log = append(c.log[:i], c.log[i+1:]...)
	r := c.judge(p)
	return p.q.Answer(c.epoch, r), p.at, r.Code == api.Aborted || p.guard == c.epoch && p.at == c.master
}

func (c *modelCell) judge(p proposal) api.Result {
	q := p.q
	if o, ok := q.Op.(api.OpenSession); ok {
		return c.openSession(o.Nonce, p.guard)
	}
	s := c.sessions[q.Session]
	if s == nil {
		return api.Result{Code: api.NoSession}
	}
	if q.Seq <= s.seen {
		require.False(c.t, c.waits(q.Seq), "call %d is waited for, and Seen is %d", q.Seq, s.seen)
		return api.Result{Code: api.Stale}
	}
	if r, again := s.answers[q.Seq]; again {
		return r
	}
	if p.guard != c.epoch {
		return api.Result{Code: api.Aborted}
	}
	s.seen = max(s.seen, q.Seen)
	for seq := range s.answers {
		if seq <= s.seen {
			delete(s.answers, seq)
		}
	}
	s.answers[q.Seq] = c.execute(q)
	require.LessOrEqual(c.t, len(s.answers), modelWindow, "stored answers")
	return s.answers[q.Seq]
}

func (c *modelCell) openSession(n api.Nonce, guard api.Epoch) api.Result {
	id, known := c.openers[n]
	switch {
	case known && c.sessions[id] != nil:
		return api.Result{Code: api.OK, Session: id}
	case known:
		return api.Result{Code: api.NoSession}
	case guard != c.epoch:
		return api.Result{Code: api.Aborted}
	}
	id = api.SessionID(len(c.openers)*10 + 10)
	c.openers[n] = id
	c.sessions[id] = &modelSession{answers: map[api.Seq]api.Result{}}
	return api.Result{Code: api.OK, Session: id}
}

// execute executes q. Calls whose value says so are refused instead, as any
// replica at any time would.
func (c *modelCell) execute(q api.Request) api.Result {
	if _, ends := q.Op.(api.EndSession); ends {
		delete(c.sessions, q.Session)
		return api.Result{Code: api.OK}
	}
	value := q.Op.(api.Put).Value
	if strings.HasPrefix(value, "huge") {
		return api.Result{Code: api.TooLarge}
	}
	_, twice := c.executed[value]
	require.False(c.t, twice, "%s is executed twice", value)
	code := rapid.SampledFrom([]api.Code{api.OK, api.Conflict, api.NotFound}).Draw(c.t, "code")
	c.executed[value] = api.Result{Code: code, Value: fmt.Sprintf("answer to %s", value)}
	return c.executed[value]
}
