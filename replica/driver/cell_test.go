package driver_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// cell is a cell whose disks take no time and whose messages arrive at once, unless
// a replica is cut off.
type cell struct {
	t       *testing.T
	every   paxos.Slot
	hosts   []*driver.Driver // by id less 1
	now     time.Time
	cut     map[paxos.NodeID]bool
	apart   func(a, b paxos.NodeID) bool // they do not hear each other; nil: all do
	mute    map[paxos.NodeID]bool        // it is heard, but says nothing of its sums
	sums    paxos.NodeID                 // it and the others exchange nothing but sums; 0: none
	wake    []time.Time
	mail    []post
	replies []api.Reply
	stopped map[paxos.NodeID]error
	written map[paxos.NodeID][]driver.WriteJob
	fails   error // of each snapshot that is written
	tune    []func(*driver.Config)
	saves   []saved
	save    func(saved) *driver.BackupDone // how a backup ends; nil: well
	hangs   bool                           // it does not end
}

type post struct {
	from, to paxos.NodeID
	wire     string
}

func newCell(t *testing.T, n int, every paxos.Slot, tune ...func(*driver.Config)) *cell {
	g := &cell{
		t: t, every: every, tune: tune, now: time.Unix(100, 0), wake: make([]time.Time, n), cut: map[paxos.NodeID]bool{}, mute: map[paxos.NodeID]bool{},
		stopped: map[paxos.NodeID]error{}, written: map[paxos.NodeID][]driver.WriteJob{},
	}
	g.hosts = make([]*driver.Driver, n)
	for _, id := range g.members() {
		g.start(id, paxos.Recovered{}, nil)
	}
	return g
}

func (g *cell) members() (ids []paxos.NodeID) {
	for i := range g.hosts {
		ids = append(ids, paxos.NodeID(i+1))
	}
	return ids
}

func (g *cell) start(id paxos.NodeID, rec paxos.Recovered, all *db.DB) {
	cfg := driver.DefaultConfig()
	cfg.Core.Paxos.ID, cfg.Core.Paxos.Members = id, g.members()
	cfg.Core.Paxos.Lease, cfg.Core.Sessions = paxos.Lease{}, session.Config{}
	cfg.Core.ChecksumEvery = time.Hour
	cfg.SnapshotEvery, cfg.KeepSlots = g.every, 2
	for _, f := range g.tune {
		f(&cfg)
	}
	h := driver.New(cfg)
	g.hosts[id-1] = h
	h.Start(g.now, rec, all, 0)
	g.act(id)
}

// act does what a driver wants until it wants nothing more but time and mail.
func (g *cell) act(id paxos.NodeID) {
	h := g.hosts[id-1]
	for {
		out := h.TakeOutput()
		if out.Stop != nil {
			g.stopped[id] = out.Stop
			return
		}
		g.wake[id-1] = out.Wake
		for _, m := range out.Peers {
			if !g.cut[id] && !g.cut[m.To] && !(g.apart != nil && g.apart(id, m.To)) && !(g.mute[id] && tellsSum(m.Wire)) && !((id == g.sums || m.To == g.sums) && !isOfSums(m.Wire)) {
				g.mail = append(g.mail, post{id, m.To, string(m.Wire)})
			}
		}
		for _, m := range out.Clients {
			p, err := api.DecodeReply(m.Wire)
			require.NoError(g.t, err)
			g.replies = append(g.replies, p)
		}
		if out.Log == nil && out.Bulk == nil && out.Backup == nil {
			return
		}
		if out.Backup != nil {
			s := saved{*out.Backup, id, g.now}
			g.saves = append(g.saves, s)
			done := g.save(s)
			if done == nil {
				done = &driver.BackupDone{Slot: s.Handle.Slot}
			}
			if !g.hangs {
				h.BackupDone(g.now, *done)
			}
		}
		if out.Log != nil {
			h.LogDone(g.now, nil)
		}
		if w, ok := out.Bulk.(driver.WriteJob); ok {
			g.written[id] = append(g.written[id], w)
			h.BulkDone(g.now, driver.WriteDone{Err: g.fails})
		}
	}
}

func tellsSum(wire []byte) bool {
	m, err := driver.DecodeTransfer(string(wire))
	_, tells := m.(driver.TellSum)
	return err == nil && tells
}

func isOfSums(wire []byte) bool {
	switch m, _ := driver.DecodeTransfer(string(wire)); m.(type) {
	case driver.AskSum, driver.TellSum:
		return true
	}
	return false
}

// pass lets time go by.
func (g *cell) pass(d time.Duration) {
	for end := g.now.Add(d); g.now.Before(end); g.now = g.now.Add(10 * time.Millisecond) {
		for _, id := range g.members() {
			if g.stopped[id] == nil && !g.now.Before(g.wake[id-1]) {
				g.hosts[id-1].Advance(g.now)
				g.act(id)
			}
		}
		for len(g.mail) > 0 {
			m := g.mail[0]
			g.mail = g.mail[1:]
			if g.stopped[m.to] == nil {
				g.hosts[m.to-1].PeerMessage(g.now, m.from, m.wire)
				g.act(m.to)
			}
		}
	}
}

// master is who serves.
func (g *cell) master() paxos.NodeID {
	for range 1000 {
		for _, id := range g.members() {
			if g.stopped[id] == nil && g.hosts[id-1].Core().Serving() != nil {
				return id
			}
		}
		g.pass(10 * time.Millisecond)
	}
	g.t.Fatal("no replica serves")
	return 0
}

// puts fills slots, one after the other, unless the master stops.
func (g *cell) puts(n int) {
	m := g.master()
	ask := func(q api.Request) api.Reply {
		g.replies = nil
		g.hosts[m-1].ClientMessage(g.now, 7, "ann", api.AppendRequest(nil, q))
		g.act(m)
		for i := 0; len(g.replies) == 0 && g.stopped[m] == nil; i++ {
			require.Less(g.t, i, 1000)
			g.pass(10 * time.Millisecond)
		}
		if g.stopped[m] != nil {
			return api.Reply{}
		}
		return g.replies[0]
	}
	opened := ask(api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{1, uint64(g.now.UnixNano())}}})
	for seq := api.Seq(1); seq < api.Seq(n) && g.stopped[m] == nil; seq++ {
		p := ask(api.Request{ID: 1, Session: opened.Result.Session, Seq: seq, AckedThrough: seq - 1, Epoch: opened.Epoch, Op: api.Put{Key: fmt.Sprint("k", seq%3), Value: fmt.Sprint(seq)}})
		require.True(g.t, p.Code == api.OK || g.stopped[m] != nil)
	}
}

func (g *cell) stray(id paxos.NodeID) { g.hosts[id-1].Core().CorruptRow(rows.UserKey("stray"), "row") }

// right checks that what was written of a slot is the same everywhere, and that
// there is something.
func (g *cell) right(ids ...paxos.NodeID) {
	sums := map[paxos.Slot]db.Sum{}
	for _, id := range ids {
		require.NotEmpty(g.t, g.written[id], "replica %d", id)
		for _, w := range g.written[id] {
			_, has := w.Rows.Get(rows.UserKey("stray"))
			require.False(g.t, has)
			if sum, ok := sums[w.Handle.Slot]; ok {
				require.Equal(g.t, sum, w.Rows.Recompute())
			}
			sums[w.Handle.Slot] = w.Rows.Recompute()
		}
	}
}

func TestSnapshotsAreWrittenWhereRowsAreTheSame(t *testing.T) {
	g := newCell(t, 3, 5)
	g.puts(40)
	g.pass(time.Second)
	g.right(1, 2, 3)
	require.Empty(t, g.stopped)
	require.Greater(t, len(g.written[1]), 4)
}

// Rows that went wrong reach no disk, be they the master's or another's: the replica
// stops, and the others go on writing snapshots.
func TestWrongRowsAreNeverWritten(t *testing.T) {
	for other := range paxos.NodeID(3) {
		g := newCell(t, 3, 20)
		g.puts(7)
		odd := (g.master()-1+other)%3 + 1
		g.stray(odd)
		before := len(g.written[odd])
		g.puts(30)
		g.pass(time.Second)
		require.Len(t, g.stopped, 1)
		require.ErrorIs(t, g.stopped[odd], core.ErrMinority)
		require.Len(t, g.written[odd], before)
		require.EqualValues(t, 1, g.hosts[odd-1].Counters().SumsInMinority)
		g.puts(30)
		g.pass(time.Second)
		g.right(odd%3+1, (odd+1)%3+1)
	}
}

// Rows that go wrong while their predecessors are being compared are not written
// in their place.
func TestWhatIsWrittenIsWhatWasCompared(t *testing.T) {
	g := newCell(t, 3, 20)
	g.mute = map[paxos.NodeID]bool{1: true, 2: true, 3: true}
	g.puts(25)
	odd := g.master()
	g.stray(odd)
	g.puts(5)
	require.Empty(t, g.written)
	clear(g.mute)
	g.pass(time.Second)
	g.right(1, 2, 3)
	require.EqualValues(t, 20, g.written[odd][0].Handle.Slot)
	require.Empty(t, g.stopped, "no comparison covers what came later")
	g.puts(20)
	g.pass(time.Second)
	require.ErrorIs(t, g.stopped[odd], core.ErrMinority)
	require.Len(t, g.written[odd], 1)
}

// Without the sums of a majority nothing is written, and no slot is dropped.
func TestWithoutAMajoritysWordNothingIsWritten(t *testing.T) {
	g := newCell(t, 3, 5)
	g.mute = map[paxos.NodeID]bool{1: true, 2: true, 3: true}
	g.puts(20)
	g.pass(5 * time.Second)
	require.Empty(t, g.written)
	require.Empty(t, g.stopped)
	for _, h := range g.hosts {
		require.Greater(t, h.Counters().SumsAskedAgain, uint64(3))
		require.LessOrEqual(t, h.Core().Status().Floor, paxos.Slot(1))
	}
	clear(g.mute)
	g.pass(5 * time.Second)
	g.right(1, 2, 3)
}

// Replica 4 of four hears the master alone: it learns all that is chosen.
// What it would keep for want of a majority's sums comes by way of the master.
func TestWhoHearsOneThatHearsAllIsToldByWayOfThat(t *testing.T) {
	g := newCell(t, 4, 5)
	m := g.master()
	lone := m%4 + 1
	g.apart = func(a, b paxos.NodeID) bool { return (a == lone) != (b == lone) && a != m && b != m }
	g.puts(40)
	g.pass(time.Second)
	g.right(1, 2, 3, 4)
	require.Greater(t, g.written[lone][len(g.written[lone])-1].Handle.Slot, paxos.Slot(30))
	require.NotZero(t, g.hosts[m-1].Counters().SumsRelayed)

	g.stray(lone)
	before := len(g.written[lone])
	g.puts(20)
	g.pass(5 * time.Second)
	require.Len(t, g.written[lone], before, "they did not say the same")
	require.ErrorIs(t, g.stopped[lone], core.ErrMinority)
}

// A message that no replica may relay, or have relayed, is dropped.
func TestOnlyWhoSaysAThingHasItRelayed(t *testing.T) {
	g := newCell(t, 3, 5)
	g.master()
	ask := driver.AskSum{Slot: 1}
	for name, c := range map[string]struct {
		from paxos.NodeID
		m    driver.Relay
		ok   bool
	}{
		"to pass on":                 {2, driver.Relay{From: 2, To: 3, M: ask}, true},
		"passed on":                  {2, driver.Relay{From: 3, To: 1, M: ask}, true},
		"its own, here":              {2, driver.Relay{From: 2, To: 1, M: ask}, false},
		"another's, to a third":      {2, driver.Relay{From: 3, To: 2, M: ask}, false},
		"this one's own":             {2, driver.Relay{From: 1, To: 3, M: ask}, false},
		"to one that is no member":   {2, driver.Relay{From: 2, To: 9, M: ask}, false},
		"from one that is no member": {2, driver.Relay{From: 9, To: 1, M: ask}, false},
	} {
		before := g.hosts[0].Counters().MalformedPeer
		g.hosts[0].PeerMessage(g.now, c.from, string(driver.AppendTransfer(nil, c.m)))
		require.Equal(t, c.ok, g.hosts[0].Counters().MalformedPeer == before, name)
	}
}

// A replica that comes back knows no sums of slots below its snapshot. A replica that
// waits for its sum takes the rows of a later slot.
func TestAPeerThatBeganLaterIsAskedOfALaterSlot(t *testing.T) {
	g := newCell(t, 3, 20)
	m := g.master()
	back, gone := m%3+1, (m+1)%3+1
	g.puts(4)
	g.pass(time.Second)
	require.Empty(t, g.written)
	g.cut[gone] = true
	g.mute[back] = true
	g.puts(20) // m asks for the sum of a slot, and no peer answers
	require.Empty(t, g.written[m])

	s, view := g.hosts[back-1].Core().Snapshot()
	var all = db.New()
	tx := all.Begin()
	for key, value := range view.Ascend("", "") {
		tx.Put(key, value)
	}
	tx.Commit()
	rec := paxos.Recovered{Boot: 1, Promise: g.hosts[back-1].Core().Status().Promised, Snapshot: s, Next: 1000, Floor: s.Slot + 1}
	g.start(back, rec, all)
	clear(g.mute)
	g.puts(10)
	g.pass(2 * time.Second)
	require.NotZero(t, g.hosts[m-1].Counters().SumsOutdated)
	g.right(m)
	require.Greater(t, g.written[m][0].Handle.Slot, s.Slot)
}

// The bulk job finds that the rows are not those that were compared.
func TestRowsThatChangeWhileTheyAreWrittenStop(t *testing.T) {
	g := newCell(t, 3, 20)
	g.fails = fmt.Errorf("writing: %w", db.ErrChanged)
	g.puts(30)
	g.pass(time.Second)
	require.NotEmpty(t, g.stopped)
	for id, err := range g.stopped {
		require.ErrorIs(t, err, core.ErrMemory)
		require.Len(t, g.written[id], 1)
	}
}
