package master_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// crowd is a master with many sessions, each of which has a KeepAlive waiting.
type crowd struct {
	b   *testing.B
	m   *master.Master
	db  *db.DB
	now time.Time
	ids []api.SessionID
	id  uint64

	acked api.Seq // AckedThrough in the KeepAlives of all sessions
}

const crowded = 90_000

func newCrowd(b *testing.B, size int) (c *crowd, bytes float64) {
	return newCrowdWith(b, size, plain())
}

func newCrowdWith(b *testing.B, size int, cfg master.Config) (c *crowd, bytes float64) {
	cfg.Sessions = session.DefaultConfig()
	cfg.Sessions.IdleAfter, cfg.MaxPending, cfg.Unobserved = 0, 1<<20, true
	c = &crowd{b: b, m: master.New(cfg, 0), db: db.New(), now: time.Unix(1000, 0)}
	all := []command.Command{command.Epoch{Master: 2}, command.LongestLease{Guard: 1, Lease: time.Minute}}
	for i := range uint64(size) {
		all = append(all, command.Call{Guard: 1, Op: api.OpenSession{Nonce: api.Nonce{1, i}}, Principal: "ann"})
	}
	for _, x := range all {
		c.apply(x)
	}
	for id := range rows.Sessions(c.db) {
		c.ids = append(c.ids, id)
	}
	before := heap()
	c.m.Tenure(master.Tenure{Leader: 1, Ballot: ballot(1), Mine: true})
	c.settle() // the epoch begins, and the cell is founded if cfg has a secret
	for i := range c.ids {
		c.keepAlive(i)
	}
	c.m.TakeOutput(time.Time{}, plenty)
	return c, float64(heap()-before) / float64(size)
}

func heap() int64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

func (c *crowd) at() master.At {
	return master.At{Now: c.now, Lease: c.now.Add(time.Second), Rows: c.db}
}

func (c *crowd) apply(x command.Command) {
	tx := c.db.Begin()
	a := command.Apply(tx, string(command.Append(nil, x)))
	tx.Commit()
	if a.Verdict != command.Executed {
		c.b.Fatal(a)
	}
	c.m.Applied(c.at(), a)
}

func (c *crowd) keepAlive(i int) {
	c.id++
	q := api.Request{ID: c.id, Session: c.ids[i], AckedThrough: c.acked, Epoch: 2, Op: api.KeepAlive{AckedEpoch: 2}}
	c.m.Request(c.at(), master.Addr(i), "ann", q)
}

// BenchmarkKeepAlives measures a KeepAlive: it is taken in, waits, and is answered when it is due.
func BenchmarkKeepAlives(b *testing.B) {
	c, bytes := newCrowd(b, crowded)
	var replies []master.Reply
	for b.Loop() {
		for len(replies) == 0 {
			c.now = c.m.Wake(c.at())
			c.m.Advance(c.at())
			replies = c.m.TakeOutput(time.Time{}, plenty).Replies
		}
		c.keepAlive(int(replies[0].To))
		replies = replies[1:]
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "keepalives/s")
	b.ReportMetric(bytes, "bytes/session")
}

// BenchmarkIdleSessionsWithAFile measures the memory that the master uses for a session that has opened a
// file and then made no call.
func BenchmarkIdleSessionsWithAFile(b *testing.B) {
	const size = 20_000
	var bytes float64
	for b.Loop() {
		before := heap()
		cfg := plain()
		cfg.Secret, cfg.Founding = [32]byte{1}, tree.OpenFounding()
		c, _ := newCrowdWith(b, size, cfg)
		for i := range c.ids { // all acknowledge the epoch, and the master serves
			c.keepAlive(i)
		}
		c.settle()
		for i, id := range c.ids {
			c.id++
			c.m.Request(c.at(), master.Addr(i), "ann", api.Request{
				ID: c.id, Session: id, Seq: 1, Epoch: 2, Op: api.Open{Path: "f", Rights: api.RightRead, Create: api.CreateMay, Kind: api.File},
			})
			c.settle()
		}
		if n := c.m.CountHandles(c.ids[size-1]); n != 1 {
			b.Fatalf("%d open handles, not 1", n)
		}
		c.acked = 1
		for i := range c.ids {
			c.keepAlive(i)
		}
		c.settle()
		bytes = float64(heap()-before) / size
		runtime.KeepAlive(c)
	}
	b.ReportMetric(bytes, "bytes/session")
}

// settle applies all proposals, until there are none.
func (c *crowd) settle() {
	for {
		out := c.m.TakeOutput(c.now, plenty)
		for _, r := range out.Replies {
			if r.Result.Code != api.OK {
				c.b.Fatal(r.Result)
			}
		}
		if len(out.Propose) == 0 {
			return
		}
		for _, p := range out.Propose {
			tx := c.db.Begin()
			a := command.Apply(tx, string(p.Command))
			tx.Commit()
			c.m.Applied(c.at(), a)
		}
	}
}

// BenchmarkPutsBesideALongQueue measures a Put while a thousand clients of one principal wait for the log,
// each with one call.
func BenchmarkPutsBesideALongQueue(b *testing.B) {
	const size = 1000
	c, _ := newCrowd(b, size)
	for i := range c.ids { // all acknowledge the epoch, and the master serves
		c.keepAlive(i)
	}
	c.m.TakeOutput(c.now, plenty)
	seqs := map[api.SessionID]api.Seq{}
	ask := func(id api.SessionID) {
		seqs[id]++
		c.id++
		c.m.Request(c.at(), 1, "ann", api.Request{
			ID: c.id, Session: id, Seq: seqs[id], AckedThrough: seqs[id] - 1, Epoch: 2, Op: api.Put{Key: "k", Value: "v"},
		})
	}
	for _, id := range c.ids {
		ask(id)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range c.m.TakeOutput(c.now, 1).Propose {
			tx := c.db.Begin()
			a := command.Apply(tx, string(p.Command))
			tx.Commit()
			c.m.Applied(c.at(), a)
			if call, ok := a.Command.(command.Call); ok {
				ask(call.Session)
			}
		}
	}
	if n := c.m.Status().Waiting; n < size-2 {
		b.Fatalf("%d commands wait, not %d", n, size)
	}
}
