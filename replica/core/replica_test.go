package core_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
)

// group is some replicas whose disks sync at once and whose network delivers what the test allows.
type group struct {
	t       *testing.T
	now     time.Time
	nodes   map[paxos.NodeID]*core.Replica
	wake    map[paxos.NodeID]time.Time
	cut     map[paxos.NodeID]bool // replicas whose messages are lost both ways
	replies []core.Reply
	seen    map[paxos.NodeID]*record
	stopped map[paxos.NodeID]error
	deaf    map[paxos.NodeID]bool // replicas that no SumReport reaches
	behind  map[paxos.NodeID]*paxos.Behind
}

func newGroup(t *testing.T, n int, changes ...func(*core.Config)) *group {
	g := &group{
		t: t, now: time.Unix(100, 0), nodes: map[paxos.NodeID]*core.Replica{}, wake: map[paxos.NodeID]time.Time{},
		cut: map[paxos.NodeID]bool{}, seen: map[paxos.NodeID]*record{},
		stopped: map[paxos.NodeID]error{}, deaf: map[paxos.NodeID]bool{},
		behind: map[paxos.NodeID]*paxos.Behind{},
	}
	cfg := core.DefaultConfig()
	cfg.ChecksumEvery, cfg.ChecksumRows = time.Second, 2
	cfg.Sessions = session.Config{} // no client keeps them alive here
	cfg.Observer = new(record)
	for _, change := range changes {
		change(&cfg)
	}
	for i := range n {
		cfg.Paxos.Members = append(cfg.Paxos.Members, paxos.NodeID(i+1))
	}
	for _, id := range cfg.Paxos.Members {
		cfg.Paxos.ID, cfg.Paxos.Seed = id, 5
		if cfg.Observer != nil {
			g.seen[id] = new(record)
			cfg.Observer = g.seen[id]
		}
		g.nodes[id] = core.New(cfg, paxos.Recovered{}, nil, g.now)
		g.take(id)
	}
	return g
}

// take carries out the output of a replica at once: disks sync, messages arrive.
func (g *group) take(id paxos.NodeID) {
	out := g.nodes[id].TakeOutput()
	if out.Stop != nil {
		g.tellSum(id, out.Sum)
		g.stopped[id], g.cut[id] = out.Stop, true
		return
	}
	g.wake[id] = out.Wake
	g.replies = append(g.replies, out.Replies...)
	if out.Behind != nil {
		g.behind[id] = out.Behind
	}
	if len(out.Append) > 0 {
		g.nodes[id].Durable(g.now, out.First+paxos.LSN(len(out.Append))-1)
		g.take(id)
	}
	g.tellSum(id, out.Sum)
	for _, e := range out.Send {
		if g.cut[id] || g.cut[e.To] || g.nodes[e.To] == nil {
			continue
		}
		g.nodes[e.To].Step(g.now, id, e.Message)
		g.take(e.To)
	}
}

func (g *group) tellSum(from paxos.NodeID, r *core.SumReport) {
	for id := paxos.NodeID(1); r != nil && int(id) <= len(g.nodes); id++ {
		if id != from && !g.cut[id] && !g.cut[from] && !g.deaf[id] {
			g.nodes[id].SumReport(g.now, from, *r)
			g.take(id)
		}
	}
}

// pass lets time go by.
func (g *group) pass(d time.Duration) {
	for end := g.now.Add(d); g.now.Before(end); {
		g.now = g.now.Add(10 * time.Millisecond)
		for id := paxos.NodeID(1); int(id) <= len(g.nodes); id++ {
			if !g.now.Before(g.wake[id]) {
				g.nodes[id].Advance(g.now)
				g.take(id)
			}
		}
	}
}

// master returns the replica that serves; the test fails unless exactly one does.
func (g *group) master() paxos.NodeID {
	var found []paxos.NodeID
	for id := paxos.NodeID(1); int(id) <= len(g.nodes); id++ {
		if g.nodes[id].Serving() != nil && !g.cut[id] {
			found = append(found, id)
		}
	}
	require.Len(g.t, found, 1)
	return found[0]
}

func (g *group) ask(id paxos.NodeID, q api.Request) []core.Reply {
	g.replies = nil
	g.request(id, q)
	g.take(id)
	return g.replies
}

// request names the epoch that the replica is in.
func (g *group) request(id paxos.NodeID, q api.Request) {
	if q.Session != 0 {
		q.Epoch = g.nodes[id].Master().Epoch
	}
	g.nodes[id].Request(g.now, 9, "ann", q)
}

func (g *group) open(id paxos.NodeID) api.SessionID {
	r := g.ask(id, api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{1, 2}}})
	require.Len(g.t, r, 1)
	return r[0].Result.Session
}

func TestAWriteIsAppliedEverywhereWithOneChecksum(t *testing.T) {
	g := newGroup(t, 3)
	g.pass(3 * time.Second)
	m := g.master()
	s := g.open(m)
	r := g.ask(m, api.Request{ID: 2, Session: s, Seq: 1, Op: api.Put{Key: "a", Value: "1"}})
	require.Len(t, r, 1)
	require.Equal(t, api.OK, r[0].Code)
	require.Equal(t, uint32(m), r[0].Master)
	require.Equal(t, g.nodes[m].Serving().Epoch, r[0].Epoch)
	g.pass(time.Second)

	sums := map[paxos.Slot]db.Sum{}
	for id := paxos.NodeID(1); id <= 3; id++ {
		require.NotEmpty(t, g.seen[id].applied)
		for _, a := range g.seen[id].applied {
			if sum, ok := sums[a.Slot]; ok {
				require.Equal(t, sum, a.Sum, "slot %d at node %d", a.Slot, id)
			}
			sums[a.Slot] = a.Sum
		}
	}
}

func TestTheFirstCommandOfATenureIsItsEpoch(t *testing.T) {
	g := newGroup(t, 3)
	g.pass(3 * time.Second)
	first := g.master()
	was := *g.nodes[first].Serving()
	g.cut[first] = true
	g.pass(5 * time.Second)
	require.Nil(t, g.nodes[first].Serving(), "no quorum answers it")
	second := g.master()
	require.NotEqual(t, first, second)
	now := *g.nodes[second].Serving()
	require.Greater(t, now.Epoch, was.Epoch)
	require.True(t, was.Ballot.Less(now.Ballot))

	var epochs []api.Epoch
	for _, a := range g.seen[second].applied {
		for _, c := range a.Commands {
			for _, e := range c.Effects {
				if e, ok := e.(command.EpochBegan); ok {
					epochs = append(epochs, e.Epoch.Number)
				}
			}
		}
	}
	require.IsIncreasing(t, epochs)
	require.Len(t, epochs, 2)
}

func TestAReplicaThatDoesNotLeadNamesTheOneThatDoes(t *testing.T) {
	g := newGroup(t, 3)
	g.pass(3 * time.Second)
	m := g.master()
	other := m%3 + 1
	r := g.ask(other, api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{1, 2}}})
	require.Len(t, r, 1)
	require.Equal(t, api.NotMaster, r[0].Code)
	require.Equal(t, uint32(m), r[0].Master)
}

func TestACallThatWaitsWhenTheTenureEndsIsToldSo(t *testing.T) {
	g := newGroup(t, 3)
	g.pass(3 * time.Second)
	m := g.master()
	s := g.open(m)
	g.cut[m] = true
	require.Empty(t, g.ask(m, api.Request{ID: 2, Session: s, Seq: 1, Op: api.Put{Key: "a", Value: "1"}}))
	g.pass(5 * time.Second)
	require.Len(t, g.replies, 1)
	require.Equal(t, api.NotMaster, g.replies[0].Code)

	// The same call again, at the next master: executed once, if at all before.
	g.cut[m] = false
	g.pass(3 * time.Second)
	now := g.master()
	r := g.ask(now, api.Request{ID: 3, Session: s, Seq: 1, Op: api.Put{Key: "a", Value: "1"}})
	require.Len(t, r, 1)
	require.Equal(t, api.OK, r[0].Code)
	executed := 0
	for _, a := range g.seen[now].applied {
		for _, c := range a.Commands {
			if call, ok := c.Command.(command.Call); ok && call.Seq == 1 && c.Verdict == command.Executed {
				executed++
			}
		}
	}
	require.Equal(t, 1, executed)
}

func TestCommandsOfOneInputShareASlot(t *testing.T) {
	g := newGroup(t, 1)
	g.pass(3 * time.Second)
	s := g.open(1)
	before := len(g.seen[1].applied)
	for seq := api.Seq(1); seq <= 5; seq++ {
		g.request(1, api.Request{ID: uint64(seq), Session: s, Seq: seq, Op: api.Put{Key: fmt.Sprint(seq), Value: "x"}})
	}
	g.take(1)
	require.Len(t, g.seen[1].applied, before+1)
	require.Len(t, g.seen[1].applied[before].Commands, 5)
	_, ok := g.nodes[1].View().Get("no such row")
	require.False(t, ok)
}

func TestARestartRebuildsTheRowsFromTheLog(t *testing.T) {
	cfg := core.DefaultConfig()
	cfg.Paxos.ID, cfg.Paxos.Members = 1, []paxos.NodeID{1}
	rec := paxos.Recovered{Boot: 3, Promise: paxos.Ballot{Round: 4, Node: 1}, Next: 9, Records: []paxos.Record{
		paxos.Voted{Slot: 1, Ballot: paxos.Ballot{Round: 4, Node: 1}, Value: paxos.Batch(command.Append(nil, command.Epoch{Master: 1}))},
		paxos.Settled{Slots: paxos.Range{From: 1, To: 2}},
	}}
	seen := new(record)
	cfg.Observer = seen
	n := core.New(cfg, rec, nil, time.Unix(1, 0))
	out := n.TakeOutput()
	require.Len(t, out.Applied, 1)
	require.Equal(t, command.Executed, seen.applied[0].Commands[0].Verdict)
	require.Nil(t, n.Serving(), "an epoch of another life")
	require.EqualValues(t, 1, n.Master().Epoch)
}

// moved returns a group in which node 3 was away while all slots so far were chosen, and nodes 1 and 2
// have dropped them from their logs.
func moved(t *testing.T) *group {
	g := newGroup(t, 3)
	g.pass(3 * time.Second)
	if g.master() == 3 {
		g.nodes[3].Resign(g.now)
		g.take(3)
		g.nodes[1].Campaign(g.now)
		g.take(1)
		g.pass(time.Second)
	}
	require.NotEqual(t, paxos.NodeID(3), g.master())
	g.cut[3] = true
	s := g.open(g.master())
	for seq := api.Seq(1); seq <= 5; seq++ {
		g.ask(g.master(), api.Request{ID: 2, Session: s, Seq: seq, Op: api.Put{Key: fmt.Sprint(seq), Value: "x"}})
	}
	g.pass(time.Second)
	return g
}

func TestASnapshotReplacesTheRowsAndTheLogGoesOn(t *testing.T) {
	g := moved(t)
	h, view := g.nodes[1].Snapshot()
	require.Equal(t, h.Slot, g.nodes[1].Status().Applied)
	require.Equal(t, []paxos.NodeID{1, 2, 3}, h.Members)
	require.EqualValues(t, g.nodes[1].Master().Epoch, h.Epoch)
	for id := paxos.NodeID(1); id <= 2; id++ {
		g.nodes[id].Truncate(g.now, h.Slot+1)
		g.take(id)
	}
	g.cut[3] = false
	g.pass(time.Second)
	require.NotNil(t, g.behind[3], "no records will help it")
	require.EqualValues(t, h.Slot+1, g.behind[3].Floor)

	var stream bytes.Buffer
	_, err := view.WriteTo(&stream)
	require.NoError(t, err)
	rows, err := db.Load(&stream)
	require.NoError(t, err)
	g.seen[3].applied = nil
	require.True(t, g.nodes[3].Install(g.now, h, rows))
	g.nodes[3].TakeOutput()
	require.Equal(t, []core.Installed{{Handle: h, Sum: view.Checksum()}}, g.seen[3].installed)
	require.Equal(t, h.Slot, g.nodes[3].Status().Applied)
	require.EqualValues(t, h.Epoch, g.nodes[3].Master().Epoch)
	require.False(t, g.nodes[3].Install(g.now, h, rows), "once is enough")

	g.pass(5 * time.Second)
	s := g.open(g.master())
	g.ask(g.master(), api.Request{ID: 2, Session: s, Seq: 1, Op: api.Put{Key: "later", Value: "y"}})
	g.pass(3 * time.Second)
	sums := map[paxos.Slot]db.Sum{}
	for _, a := range g.seen[1].applied {
		sums[a.Slot] = a.Sum
	}
	require.Greater(t, len(g.seen[3].applied), 2)
	for _, a := range g.seen[3].applied {
		require.Equal(t, sums[a.Slot], a.Sum, "slot %d", a.Slot)
	}
	require.Equal(t, h.Slot+1, g.seen[3].applied[0].Slot)
}

func TestARestartGoesOnFromASnapshot(t *testing.T) {
	g := moved(t)
	h, _ := g.nodes[1].Snapshot()
	var stream bytes.Buffer
	_, err := g.nodes[1].View().WriteTo(&stream)
	require.NoError(t, err)
	rows, err := db.Load(&stream)
	require.NoError(t, err)
	cfg := core.DefaultConfig()
	cfg.Paxos.ID, cfg.Paxos.Members = 1, []paxos.NodeID{1, 2, 3}
	rec := paxos.Recovered{Boot: 2, Promise: h.Ballot, Snapshot: h, Floor: h.Slot + 1, Next: 30}
	n := core.New(cfg, rec, rows, g.now)
	require.Equal(t, h.Slot, n.Status().Applied)
	require.EqualValues(t, h.Epoch, n.Master().Epoch)
	require.Empty(t, n.TakeOutput().Applied)

	other := cfg
	other.Paxos.Lease.Grant += time.Second
	require.ErrorContains(t, core.New(other, rec, rows, g.now).TakeOutput().Stop, "lease grant")

	for name, spoil := range map[string]func(*paxos.Handle){
		"epoch":   func(h *paxos.Handle) { h.Epoch++ },
		"members": func(h *paxos.Handle) { h.Members = h.Members[:2] },
		"ballot":  func(h *paxos.Handle) { h.Ballot.Round++ },
	} {
		bad := rec
		spoil(&bad.Snapshot)
		require.Panics(t, func() { core.New(cfg, bad, rows, g.now) }, name)
	}
}
