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
)

// crowd is a master with many sessions, each of which has a KeepAlive waiting.
type crowd struct {
	b   *testing.B
	m   *master.Master
	db  *db.DB
	now time.Time
	ids []api.SessionID
	id  uint64
}

const crowded = 90_000

func newCrowd(b *testing.B) (c *crowd, bytes float64) {
	cfg := plain()
	cfg.Sessions = session.DefaultConfig()
	cfg.Sessions.IdleAfter = 0
	c = &crowd{b: b, m: master.New(cfg, 0), db: db.New(), now: time.Unix(1000, 0)}
	all := []command.Command{command.Epoch{Master: 2}, command.LongestLease{Guard: 1, Lease: time.Minute}}
	for i := range uint64(crowded) {
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
	c.apply(command.Epoch{Master: 1, Ballot: ballot(1)})
	for i := range c.ids {
		c.keepAlive(i)
	}
	c.m.TakeOutput(time.Time{}, plenty)
	return c, float64(heap()-before) / crowded
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
	q := api.Request{ID: c.id, Session: c.ids[i], Epoch: 2, Op: api.KeepAlive{AckedEpoch: 2}}
	c.m.Request(c.at(), master.Addr(i), "ann", q)
}

// BenchmarkKeepAlives is what each KeepAlive costs: it is taken in, waits, and is
// answered when it is due.
func BenchmarkKeepAlives(b *testing.B) {
	c, bytes := newCrowd(b)
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
