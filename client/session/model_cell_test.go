package session_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
)

// modelCell is the cell of the model: three replicas, at times with a master, a log that may
// hold a request long after its master was deposed, and at most one execution for each
// (session, seq). It checks requests in the order of replica/state/command. Its leases and locks are in model_lease_test.go and
// model_lock_test.go.
type modelCell struct {
	t          *rapid.T
	epoch      api.Epoch
	master     uint32 // 0: none
	recovering bool   // the master takes KeepAlives only
	sessions   map[api.SessionID]*modelSession
	openers    map[api.Nonce]api.SessionID
	log        []proposal // proposed, not applied

	executed  map[string]api.Result // by value, which names a call of the test
	isAwaited func(api.Seq) bool    // a caller waits for this call

	leases bool                               // sessions have them
	clock  func(replica uint32) time.Duration // what the replica's clock shows
	parked []parkedKeepAlive
	locks  modelLocks
}

type modelSession struct {
	seen    api.Seq
	answers map[api.Seq]api.Result
	end     time.Duration // of its lease, on the master's clock
	flushed bool          // has acknowledged the present epoch
}

type proposal struct {
	q     api.Request
	at    uint32 // the master that proposed it
	guard api.Epoch
}

func newModelCell(t *rapid.T) *modelCell {
	return &modelCell{
		t: t, epoch: 1, master: 1, sessions: map[api.SessionID]*modelSession{},
		openers: map[api.Nonce]api.SessionID{}, executed: map[string]api.Result{}, locks: newModelLocks(),
	}
}

// receive handles a request. It answers at once, or proposes. A master may also be too busy,
// and a replica may name a wrong master at any time.
func (c *modelCell) receive(to uint32, q api.Request) (api.Reply, bool) {
	if code := q.Check(); code != api.OK {
		c.t.Fatalf("the machine sent what must be refused as %v: %+v", code, q)
	}
	refuse := func(code api.Code) (api.Reply, bool) { return q.Answer(c.epoch, api.Result{Code: code}), true }
	_, opens := q.Op.(api.OpenSession)
	beat, keeps := q.Op.(api.KeepAlive)
	switch {
	case to != c.master:
		p := q.Answer(c.epoch, api.Result{Code: api.NotMaster})
		p.Master = rapid.SampledFrom([]uint32{0, c.master, c.master, c.master, 1, 2, 3, 9}).Draw(c.t, "hint")
		return p, true
	case rapid.IntRange(0, 9).Draw(c.t, "busy") == 0:
		return refuse(api.Busy)
	case !opens && q.Epoch < c.epoch:
		return refuse(api.OldEpoch)
	case keeps:
		return c.receiveKeepAlive(q, beat)
	case c.recovering:
		return refuse(api.Recovering)
	}
	if r, answered := c.receiveHandle(q); answered {
		return q.Answer(c.epoch, r), true
	}
	c.log = append(c.log, proposal{q: q, at: to, guard: c.epoch})
	return api.Reply{}, false
}

// apply applies the i-th proposal of the log. A master of the same tenure answers, and so does
// a replica whose own proposal was aborted.
func (c *modelCell) apply(i int) (api.Reply, uint32, bool) {
	p := c.log[i]
	c.log = append(c.log[:i], c.log[i+1:]...)
	r := c.judge(p)
	present := p.guard == c.epoch && p.at == c.master
	if present {
		r = c.addToken(p.q, r)
		if o, closes := p.q.Op.(api.CloseHandle); closes && r.Code == api.OK { // in an earlier epoch, perhaps
			c.locks.closeHandle(o.Handle)
		}
	}
	c.wakeWaiters()
	return p.q.Answer(c.epoch, r), p.at, r.Code == api.Aborted || present
}

func (c *modelCell) judge(p proposal) api.Result {
	q := p.q
	if o, ok := q.Op.(api.OpenSession); ok {
		return c.openSession(o.Nonce, p)
	}
	s := c.sessions[q.Session]
	if s == nil {
		return api.Result{Code: api.NoSession}
	}
	if q.Seq <= s.seen {
		require.False(c.t, c.isAwaited(q.Seq), "call %d is waited for, and Seen is %d", q.Seq, s.seen)
		return api.Result{Code: api.Stale}
	}
	if r, again := s.answers[q.Seq]; again {
		return r
	}
	if p.guard != c.epoch {
		return api.Result{Code: api.Aborted}
	}
	s.seen = max(s.seen, q.AckedThrough)
	for seq := range s.answers {
		if seq <= s.seen {
			delete(s.answers, seq)
		}
	}
	r := c.execute(s, q)
	if r.Code != api.Parked {
		s.answers[q.Seq] = r
	}
	require.LessOrEqual(c.t, len(s.answers), 2*modelWindow, "stored answers")
	return r
}

func (c *modelCell) openSession(n api.Nonce, p proposal) api.Result {
	id, known := c.openers[n]
	switch {
	case known && c.sessions[id] != nil:
		return api.Result{Code: api.OK, Session: id}
	case known:
		return api.Result{Code: api.NoSession}
	case p.guard != c.epoch:
		return api.Result{Code: api.Aborted}
	}
	id = api.SessionID(len(c.openers)*10 + 10)
	c.openers[n] = id
	c.sessions[id] = &modelSession{answers: map[api.Seq]api.Result{}, end: c.clock(p.at) + modelLease, flushed: true}
	return api.Result{Code: api.OK, Session: id}
}

// execute executes q. Puts with certain values are refused instead, as any replica would at any
// time.
func (c *modelCell) execute(s *modelSession, q api.Request) api.Result {
	var value string
	switch o := q.Op.(type) {
	case api.EndSession:
		c.endSession(q.Session)
		return api.Result{Code: api.OK}
	case api.Put:
		value = o.Value
	default:
		return c.executeOnHandle(s, q)
	}
	if strings.HasPrefix(value, "huge") {
		return api.Result{Code: api.TooLarge}
	}
	_, twice := c.executed[value]
	require.False(c.t, twice, "%s is executed twice", value)
	code := rapid.SampledFrom([]api.Code{api.OK, api.Conflict, api.NotFound}).Draw(c.t, "code")
	c.executed[value] = api.Result{Code: code, Value: fmt.Sprintf("answer to %s", value)}
	return c.executed[value]
}
