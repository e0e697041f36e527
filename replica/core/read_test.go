package core_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// reading is a cell with one row, and a session that reads it.
type reading struct {
	*group
	m       paxos.NodeID
	session api.SessionID
	seq     api.Seq
}

func newReading(t *testing.T) *reading {
	r := &reading{group: newGroup(t, 3)}
	r.pass(3 * time.Second)
	r.m = r.master()
	r.session = r.open(r.m)
	r.put("1")
	return r
}

func (r *reading) put(value string) []core.Reply {
	r.seq++
	return r.ask(r.m, api.Request{ID: uint64(r.seq), Session: r.session, Seq: r.seq, Op: api.Put{Key: "a", Value: value}})
}

func (r *reading) get() []core.Reply {
	r.seq++
	return r.ask(r.m, api.Request{ID: uint64(r.seq), Session: r.session, Seq: r.seq, Op: api.Get{Key: "a"}})
}

func (r *reading) top(id paxos.NodeID) paxos.Slot { return r.nodes[id].Status().Applied }

func TestAMasterWithALeaseReadsWithoutTheLog(t *testing.T) {
	r := newReading(t)
	before := r.top(r.m)
	got := r.get()
	require.Len(t, got, 1)
	require.Equal(t, api.Result{Code: api.OK, Found: true, Value: "1"}, got[0].Result)
	require.Equal(t, r.nodes[r.m].Serving().Epoch, got[0].Epoch)
	require.Equal(t, before, r.top(r.m))
	require.EqualValues(t, 1, r.nodes[r.m].Reads().Local)
	require.Equal(t, api.OK, r.put("2")[0].Code)
	require.Equal(t, "2", r.get()[0].Value)
}

// When the lease is over, a read goes through the log, and is answered when its command is applied.
func TestAMasterWithoutALeaseReadsThroughTheLog(t *testing.T) {
	r := newReading(t)
	end := r.nodes[r.m].Lease()
	require.True(t, r.now.Before(end))
	r.cut[r.m] = true
	r.now = end.Add(-1)
	require.Len(t, r.get(), 1, "a nanosecond before")
	r.now = end
	require.Empty(t, r.get(), "at the end of the lease")
	require.NotNil(t, r.nodes[r.m].Serving(), "it does not know better")
	c := r.nodes[r.m].Reads()
	require.EqualValues(t, 1, c.Logged)
	require.EqualValues(t, 1, c.Drifted, "the grants themselves run a little longer")
	r.now = end.Add(100 * time.Millisecond)
	require.Empty(t, r.get())
	require.EqualValues(t, 1, r.nodes[r.m].Reads().Drifted)

	r.cut[r.m] = false
	before := r.top(r.m)
	r.pass(500 * time.Millisecond)
	require.Greater(t, r.top(r.m), before)
}

func TestAReplicaThatDoesNotServeReadsNothing(t *testing.T) {
	r := newReading(t)
	r.nodes[r.m].Resign(r.now)
	r.take(r.m)
	got := r.get()
	require.Equal(t, api.NotMaster, got[len(got)-1].Code)
	require.Zero(t, r.nodes[r.m].Reads().Local)
}

// The first master of a cell writes the replicated constants.
func TestTheFirstMasterWritesTheConstants(t *testing.T) {
	g := newGroup(t, 3)
	g.pass(3 * time.Second)
	for id := paxos.NodeID(1); id <= 3; id++ {
		grant, ok := rows.GetConstant(g.nodes[id].View(), "lease grant")
		require.True(t, ok)
		require.Equal(t, core.DefaultConfig().Paxos.Lease.Grant.String(), grant)
		rho, ok := rows.GetConstant(g.nodes[id].View(), "lease rho")
		require.True(t, ok)
		require.Equal(t, "1000", rho)
	}
	first := g.master()
	g.cut[first] = true
	g.pass(5 * time.Second)
	written := 0
	for _, a := range g.seen[g.master()].applied {
		for _, c := range a.Commands {
			if _, ok := c.Command.(command.Constant); ok {
				written++
			}
		}
	}
	require.Equal(t, 2, written, "once, by the first")
}

// With KeepGrant a replica that was part of a cell keeps the lease grant of that cell, even if the default has
// changed since: that of the rows or, without one, that of its earlier lives.
func TestTheGrantOfACellIsKept(t *testing.T) {
	cfg := core.DefaultConfig()
	cfg.Paxos.ID, cfg.Paxos.Members = 1, []paxos.NodeID{1}
	cfg.Paxos.Lease.Grant = 700 * time.Millisecond
	all := db.New()
	tx := all.Begin()
	rows.SetConstant(tx, "lease grant", "2s")
	tx.Commit()
	at := paxos.Handle{Slot: 3, Members: cfg.Paxos.Members}
	for _, c := range []struct {
		name string
		keep bool
		rec  paxos.Recovered
		rows *db.DB
		want time.Duration
		stop bool
	}{
		{"a new cell", true, paxos.Recovered{}, nil, 700 * time.Millisecond, false},
		{"founded with a second", true, paxos.Recovered{Boot: 1, Grant: time.Second, Next: 2}, nil, time.Second, false},
		{"founded without leases", true, paxos.Recovered{Boot: 1, Next: 2}, nil, 0, false},
		{"a snapshot says 2 s", true, paxos.Recovered{Boot: 1, Grant: time.Minute, Snapshot: at, Next: 2}, all, 2 * time.Second, false},
		{"configured", false, paxos.Recovered{Boot: 1, Grant: time.Second, Next: 2}, nil, 700 * time.Millisecond, false},
		{"configured otherwise", false, paxos.Recovered{Boot: 1, Grant: time.Second, Snapshot: at, Next: 2}, all, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg.KeepGrant = c.keep
			out := core.New(cfg, c.rec, c.rows, time.Unix(1, 0)).TakeOutput()
			if c.stop {
				require.ErrorIs(t, out.Stop, core.ErrConstant)
				return
			}
			require.NoError(t, out.Stop)
			booted, ok := out.Append[0].(paxos.Booted)
			require.True(t, ok)
			require.Equal(t, max(c.want, c.rec.Grant), booted.Grant, "the longest of all lives")
			for _, e := range out.Send {
				if h, ok := e.Message.(paxos.Heartbeat); ok {
					require.Equal(t, c.want, h.Lease.Grant)
				}
			}
		})
	}
}

// MaxSessions is a replicated constant, unless it is 0.
func TestTheBoundOfSessionsIsAConstant(t *testing.T) {
	for sessions, value := range map[int]string{0: "", 3: "3"} {
		g := newGroup(t, 3, func(c *core.Config) { c.MaxSessions = sessions })
		g.pass(3 * time.Second)
		have, _ := rows.GetConstant(g.nodes[2].View(), rows.ConstantSessions)
		require.Equal(t, value, have)
	}
	b := paxos.Ballot{Round: 4, Node: 1}
	value := paxos.Batch(command.Append(nil, command.Epoch{Master: 1}), command.Append(nil, command.Constant{Guard: 1, Name: rows.ConstantSessions, Value: "3"}))
	rec := paxos.Recovered{Boot: 3, Promise: b, Next: 9, Records: []paxos.Record{
		paxos.Voted{Slot: 1, Ballot: b, Value: value}, paxos.Settled{Slots: paxos.Range{From: 1, To: 2}},
	}}
	cfg := core.DefaultConfig()
	cfg.Paxos.ID, cfg.Paxos.Members = 1, []paxos.NodeID{1}
	for sessions, stops := range map[int]bool{0: false, 3: false, 4: true} {
		cfg.MaxSessions = sessions
		require.Equal(t, stops, core.New(cfg, rec, nil, time.Unix(1, 0)).TakeOutput().Stop != nil, sessions)
	}
	cfg.MaxSessions = rows.MaxSessions + 1
	require.ErrorContains(t, cfg.Validate(), "MaxSessions")
}

// A replica that is configured otherwise than its cell stops, whether it finds the constant in the log or
// on its own disk.
func TestAReplicaThatWasConfiguredOtherwiseStops(t *testing.T) {
	b := paxos.Ballot{Round: 4, Node: 1}
	value := paxos.Batch(
		command.Append(nil, command.Epoch{Master: 1}),
		command.Append(nil, command.Constant{Guard: 1, Name: "lease grant", Value: "2s"}),
	)
	cfg := core.DefaultConfig()
	cfg.Paxos.ID, cfg.Paxos.Members, cfg.Paxos.Lease.Grant = 1, []paxos.NodeID{1}, time.Second
	rec := paxos.Recovered{Boot: 3, Promise: b, Next: 9, Records: []paxos.Record{
		paxos.Voted{Slot: 1, Ballot: b, Value: value}, paxos.Settled{Slots: paxos.Range{From: 1, To: 2}},
	}}
	out := core.New(cfg, rec, nil, time.Unix(1, 0)).TakeOutput()
	require.ErrorIs(t, out.Stop, core.ErrConstant)
	require.EqualError(t, out.Stop, `replica 1 stops: configured otherwise than the cell: constant "lease grant" is 2s in this cell and 1s in its configuration: they must be equal`)

	cfg.Paxos.Lease.Grant = 2 * time.Second
	require.NoError(t, core.New(cfg, rec, nil, time.Unix(1, 0)).TakeOutput().Stop)

	n := core.New(cfg, paxos.Recovered{}, nil, time.Unix(1, 0))
	out = n.TakeOutput()
	require.NoError(t, out.Stop)
	cfg.Paxos.Members = []paxos.NodeID{1, 2}
	cfg.Paxos.Lease.Grant = time.Second
	n = core.New(cfg, paxos.Recovered{}, nil, time.Unix(1, 0))
	n.Durable(time.Unix(1, 0), n.TakeOutput().First)
	n.Step(time.Unix(1, 0), 2, paxos.FetchReply{From: 1, Values: []paxos.Value{value}, FirstOpen: 2})
	require.ErrorContains(t, n.TakeOutput().Stop, "lease grant")
}
