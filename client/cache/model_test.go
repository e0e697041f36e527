package cache_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/client/cache"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// model is one client, made of a session.Machine and a Table, a master that keeps the contract of
// replica/api (model_master_test.go), and a network between them that loses, delays, duplicates and
// reorders. Other clients are changes that the master makes. A read from the Table is compared with
// the rows: what was changed before the read began must not be read.
type model struct {
	t       *rapid.T
	master  *modelMaster
	m       *session.Machine
	table   *cache.Table
	now     time.Time
	calls   map[session.Token]*modelCall
	loose   map[session.Token]api.Path
	order   []session.Token // of calls not ended
	wake    time.Time
	reached map[string]int

	requests []api.Request
	replies  []api.Reply
	written  int
}

// modelCall is a call of the client under way: a read or a change of one file.
type modelCall struct {
	path   api.Path
	read   *cache.Read
	change bool
}

const modelFiles = 2

func modelPath(i int) api.Path {
	p, err := api.ParsePath(fmt.Sprintf("/f%d", i))
	if err != nil {
		panic(err)
	}
	return p
}

func token(p api.Path) api.Token { return api.Token("h" + p.String()) }

func newModel(t *rapid.T, reached map[string]int) *model {
	x := rapid.Uint64().Draw(t, "seed")
	w := &model{
		t: t, table: cache.New(cache.Limits{Entries: 100, Bytes: 1 << 20}), now: time.Unix(1000, 0), reached: reached,
		calls: map[session.Token]*modelCall{}, loose: map[session.Token]api.Path{},
	}
	w.master = newModelMaster(w)
	m, err := session.New(session.Config{
		Replicas: []uint32{1}, Draw: func() uint64 { x++; return scatter(x) }, AnswerWait: 50 * time.Millisecond,
		RetryMin: 5 * time.Millisecond, RetryMax: 100 * time.Millisecond, Grace: 300 * time.Millisecond,
	})
	require.NoError(t, err)
	w.m = m
	w.m.Open(w.now)
	for range 10 {
		w.look()
		w.calm()
	}
	return w
}

// scatter spreads rapid's draws evenly; rapid prefers small numbers.
func scatter(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// start begins a read or a change, as package client does.
func (w *model) start(p api.Path, change bool) {
	c := &modelCall{path: p, change: change}
	var tok session.Token
	if change {
		w.written++
		w.table.BeginChange(p)
		tok = w.m.Start(w.now, api.SetContents{Handle: token(p), Contents: fmt.Sprint("own ", w.written)})
	} else {
		c.read = w.table.BeginRead()
		tok = w.m.StartCacheable(w.now, api.GetContents{Handle: token(p)})
	}
	w.calls[tok] = c
	w.order = append(w.order, tok)
}

// look carries out what the machine wants: answers, then events, then messages.
func (w *model) look() {
	out := w.m.TakeOutput()
	w.wake = out.Wake
	for _, d := range out.Done {
		w.end(d)
	}
	for _, t := range out.Settled {
		w.reached["settled"]++
		w.table.EndChange(true, w.loose[t])
		delete(w.loose, t)
	}
	for _, e := range out.Events {
		w.reached[e.Kind.String()]++
		switch {
		case e.Kind == session.EventDrop && e.Node.Kind == api.EventDrop:
			w.table.Drop(e.Node.Node.Path)
		case e.Kind != session.EventSafe:
			w.table.DropAll()
		}
	}
	for _, e := range out.Send {
		w.requests = append(w.requests, e.Request)
	}
}

func (w *model) end(d session.Done) {
	c := w.calls[d.Token]
	switch {
	case c.change && d.Outcome == session.Unknown && d.Why == session.Cancelled:
		w.loose[d.Token] = c.path
	case c.change:
		w.table.EndChange(true, c.path)
	default:
		w.table.EndRead(c.read)
		if d.Cacheable {
			s := d.Result.Detail.(api.NodeStat).Stat
			if w.table.KeepContents(c.read, api.Ref{Path: c.path, Instance: 1}, d.Result.Value, s) {
				w.reached["kept"]++
			} else {
				w.reached["not kept"]++
			}
		}
	}
	for i, t := range w.order {
		if t == d.Token {
			w.order = append(w.order[:i:i], w.order[i+1:]...)
		}
	}
}

// check reads all that may be read from the Table.
func (w *model) check() {
	s := w.m.Status()
	if s.State != session.Open || s.Lease != session.Valid || !w.now.Before(s.Bound) {
		return
	}
	for i := range modelFiles {
		p := modelPath(i)
		if got, _, ok := w.table.Contents(api.Ref{Path: p, Instance: 1}); ok {
			w.reached["hit"]++
			require.Equal(w.t, w.master.rows[p], got, "%v was changed before this read began", p)
		}
	}
}

func (w *model) pass(d time.Duration) {
	w.now = w.now.Add(d)
	w.check() // before the machine has heard that it is later
	w.master.advance()
	w.m.Advance(w.now)
}

// act does one thing.
func (w *model) act() {
	r := scatter(rapid.Uint64Range(0, 1<<30).Draw(w.t, "act"))
	pick := func(n int) int { r = scatter(r + 1); return int(r % uint64(n)) }
	file := modelPath(pick(modelFiles))
	switch what := pick(100); {
	case what < 16:
		w.start(file, false)
	case what < 20:
		w.start(file, true)
	case what < 22:
		if len(w.order) > 0 {
			w.m.Cancel(w.now, w.order[pick(len(w.order))])
		}
	case what < 26:
		w.written++
		w.master.change(file, fmt.Sprint("other ", w.written))
	case what < 27:
		w.master.failover()
	case what < 33:
		w.pass(time.Duration(pick(30)) * time.Millisecond)
	case what < 34:
		w.pass(time.Duration(pick(250)) * time.Millisecond)
	case what < 38:
		if !w.wake.IsZero() {
			w.pass(max(0, w.wake.Sub(w.now)))
		}
	case what < 42:
		w.master.apply(pick)
	case what < 46:
		w.master.answerKeepAlive()
	case what < 50:
		w.calm()
	case what < 74:
		if n := len(w.requests); n > 0 {
			i := pick(n)
			w.master.receive(w.requests[i])
			if pick(4) > 0 { // else it is duplicated
				w.requests = append(w.requests[:i:i], w.requests[i+1:]...)
			}
		}
	default:
		if n := len(w.replies); n > 0 {
			i := pick(n)
			p := w.replies[i]
			if pick(4) > 0 {
				w.replies = append(w.replies[:i:i], w.replies[i+1:]...)
			}
			w.m.Receive(w.now, 1, p)
		}
	}
	w.look()
	w.check()
	if len(w.requests) > 20 { // lost
		w.requests = w.requests[1:]
	}
	if len(w.replies) > 20 {
		w.replies = w.replies[1:]
	}
}

// calm delivers what is on its way, in order.
func (w *model) calm() {
	requests := w.requests
	w.requests = nil
	for _, q := range requests {
		w.master.receive(q)
	}
	for _, p := range w.replies {
		w.m.Receive(w.now, 1, p)
		w.look()
		w.check()
	}
	w.replies = nil
}

func modelRun(reached map[string]int) func(*rapid.T) {
	return func(t *rapid.T) {
		w := newModel(t, reached)
		for range rapid.IntRange(20, 200).Draw(t, "steps") {
			w.act()
		}
	}
}

// TestNothingIsReadThatWasChangedBefore is the contract of caches at the client's side.
func TestNothingIsReadThatWasChangedBefore(t *testing.T) {
	rapid.Check(t, modelRun(map[string]int{}))
}

// A fixed set of runs reaches what matters. Random runs would miss it now and then.
func TestTheModelHasBeenWhereItMatters(t *testing.T) {
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "300"} {
		was := flag.Lookup(name).Value.String()
		require.NoError(t, flag.Set(name, value))
		t.Cleanup(func() { _ = flag.Set(name, was) })
	}
	reached := map[string]int{}
	rapid.Check(t, modelRun(reached))
	t.Log(reached)
	for _, want := range []string{
		"kept", "not kept", "hit", "drop", "settled", "failover", "jeopardy", "safe", "expired",
		"change waited", "own change applied", "cut short", "later drop",
	} {
		require.NotZero(t, reached[want], "%s: %v", want, reached)
	}
}
