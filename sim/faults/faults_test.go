package faults

import (
	"bytes"
	"path"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/worldtest"
	"github.com/chubbycell/chubby/wal/vfs"
)

// quiet is a machine that does nothing.
type quiet struct{}

func (quiet) Start(*sim.Env)                      {}
func (quiet) Receive(time.Time, sim.Addr, []byte) {}
func (quiet) Wake(time.Time)                      {}

// idle is a cluster in which no replica runs.
type idle struct{ Cluster }

func (idle) Retire(*sim.Machine)             {}
func (idle) Core(*sim.Machine) *core.Replica { return nil }

// toldFacts are facts that a test sets.
type toldFacts struct {
	Facts
	delays  int
	passed  model.Call
	boot    paxos.Boot // the last boot of which a log has a record
	promise paxos.Ballot
}

func (f *toldFacts) DelaysOf(api.Ref) int       { return f.delays }
func (f *toldFacts) IsPassed(k model.Call) bool { return k == f.passed }

func (f *toldFacts) LastNoted(paxos.NodeID) (paxos.Boot, paxos.Ballot) { return f.boot, f.promise }

// someFaults returns the faults of a world of three replicas and two clients, none of which does
// anything.
func someFaults(t *testing.T) (*Faults, *toldFacts) {
	w := worldtest.New(t)
	f := &toldFacts{}
	p := plan.New(plan.Options{Seed: 3, Replicas: 3, Clients: 2, Faults: []string{}})
	p.Lull = 0
	c := New(Env{Plan: &p, World: w.World, Events: &event.Stream{}, Budget: damage.New(3, time.Hour), Cluster: idle{}, Facts: f})
	var replicas, clients []*sim.Machine
	for range 3 {
		replicas = append(replicas, w.Add(sim.MachineConfig{Process: func() sim.Process { return quiet{} }, Disk: p.Disk}))
	}
	for i := range 2 {
		clients = append(clients, w.Add(sim.MachineConfig{Addr: sim.FirstClient + sim.Addr(i), Process: func() sim.Process { return quiet{} }}))
	}
	c.Begin(replicas, clients)
	return c, f
}

// writeFile makes a file on the disk of a machine.
func writeFile(t *testing.T, m *sim.Machine, file string) {
	mem := m.Disk().Mem()
	require.NoError(t, mem.MkdirAll(path.Dir(file)))
	f, err := mem.Create(file)
	require.NoError(t, err)
	_, err = f.WriteAt(bytes.Repeat([]byte("rows"), 100), 0)
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.NoError(t, f.Close())
}

// At most mostSaid messages are kept for the next life of a machine.
func TestFewMessagesAreKept(t *testing.T) {
	c, _ := someFaults(t)
	e := &echoing{to: c.clients[0].Addr()}
	c.echoes = append(c.echoes, e)
	for range 2 * mostSaid {
		c.OnSend(1, e.to, []byte("x"))
		c.OnSend(1, c.clients[1].Addr(), []byte("x"))
	}
	require.Len(t, e.said, mostSaid)
}

// An answer to the first call of one life is delivered again when the next life makes its first
// call.
func TestAnAnswerOfOneLifeComesWhenTheNextWaitsForOne(t *testing.T) {
	c, _ := someFaults(t)
	client, replica := c.clients[0].Addr(), c.replicas[0].Addr()
	old := api.Reply{Session: 7, Seq: 1, Result: api.Result{Code: api.OK}}
	e := &echoing{to: client, said: []saying{{from: replica, wire: api.AppendReply(nil, old)}}}
	require.False(t, (&echoing{to: replica, said: e.said}).answers())
	require.True(t, e.answers())
	c.recalled = append(c.recalled, e)
	c.OnRequest(c.clients[1].Addr(), replica, api.Request{Session: 8, Seq: 1})
	c.OnRequest(client, replica, api.Request{Session: 8, Seq: 2})
	c.OnRequest(client, replica, api.Request{Session: 7, Seq: 1})
	require.Len(t, e.said, 1, "no call waits for it")
	c.OnRequest(client, replica, api.Request{Session: 8, Seq: 1})
	require.Empty(t, e.said)
}

// The network holds back all copies of one write, and nothing else, until an answer makes the state
// without that write final.
func TestAWriteComesAfterItsClientHasGivenItUp(t *testing.T) {
	c, f := someFaults(t)
	client, to := c.clients[0].Addr(), c.replicas[0].Addr()
	sent := func(session api.SessionID, seq api.Seq, op api.Op) []byte {
		return api.AppendRequest(nil, api.Request{Session: session, Seq: seq, Op: op})
	}
	write, read := api.Put{Key: "k", Value: "v"}, api.Get{Key: "k"}
	require.False(t, c.Delays(client, to, sent(7, 5, write)), "nothing has struck")
	l := &heldWrite{from: client}
	c.heldWrites = append(c.heldWrites, l)
	for name, wire := range map[string][]byte{
		"a read":          sent(7, 5, read),
		"no session":      sent(0, 0, api.OpenSession{Nonce: api.Nonce{1, 1}}),
		"no request":      []byte("x"),
		"to open a node":  sent(7, 5, api.Open{Path: "f", Rights: api.RightRead}),
		"a lock":          sent(7, 5, api.Acquire{Handle: "x", Mode: api.Shared}),
		"a handle closed": sent(7, 5, api.CloseHandle{Handle: "x"}),
	} {
		require.False(t, c.Delays(client, to, wire), name)
	}
	require.False(t, c.Delays(c.clients[1].Addr(), to, sent(7, 5, write)), "of another client")
	require.True(t, c.Delays(client, to, sent(7, 5, write)))
	require.False(t, c.Delays(client, to, sent(7, 6, write)), "another write")
	require.True(t, c.Delays(client, c.replicas[1].Addr(), sent(7, 5, write)), "a copy elsewhere")

	c.OnAnswer()
	require.Len(t, c.heldWrites, 1, "the client waits for it still")
	f.passed = model.Call{Session: 7, Seq: 5}
	c.OnAnswer()
	require.Empty(t, c.heldWrites)
	require.Len(t, l.copies, 2)
	require.EqualValues(t, 1, c.Outlived)
	require.False(t, c.Delays(client, to, sent(7, 5, write)))
}

// Some answers with events are lost, but not all, and no other answers.
func TestNewsIsLost(t *testing.T) {
	c, _ := someFaults(t)
	from, to := c.replicas[0].Addr(), c.clients[0].Addr()
	answer := func(events ...api.Event) []byte {
		return api.AppendReply(nil, api.Reply{ID: 1, Session: 7, Epoch: 1, Result: api.Result{
			Code: api.OK, Detail: api.Leased{Lease: time.Second, Events: events, LastEvent: api.EventNumber(len(events))},
		}})
	}
	news := answer(api.Event{Kind: api.EventContents, Node: api.Ref{Instance: 1}, Cause: 1})
	c.OnSend(from, to, news)
	require.Zero(t, c.NewsLost, "nothing has struck")
	c.Strike("lose-news", c.world.Draw("test", 1))
	for range 40 {
		c.OnSend(from, to, answer())
		c.OnSend(from, c.replicas[1].Addr(), news)
		c.OnSend(from, to, []byte("x"))
	}
	require.Zero(t, c.NewsLost)
	for range 40 {
		c.OnSend(from, to, news)
	}
	require.Greater(t, c.NewsLost, uint64(5))
	require.Less(t, c.NewsLost, uint64(35))
	c.Heal()
	before := c.NewsLost
	c.OnSend(from, to, news)
	require.Equal(t, before, c.NewsLost)
}

// After some answers with events, their KeepAlive comes again. From the moment it has come until the replica
// answers it with events, the client's messages are lost.
func TestAKeepAliveComesAgainAfterNews(t *testing.T) {
	c, _ := someFaults(t)
	from, to := c.clients[0].Addr(), c.replicas[0].Addr()
	isCut := func() bool { r := c.lostNews.repeated[from]; return r != nil && r.mend != nil }
	keep := func(id uint64) api.Request { return api.Request{ID: id, Session: 7, Epoch: 1, Op: api.KeepAlive{}} }
	news := func(id uint64) []byte {
		return api.AppendReply(nil, api.Reply{ID: id, Session: 7, Epoch: 1, Result: api.Result{Code: api.OK, Detail: api.Leased{
			Lease: time.Second, Events: []api.Event{{Kind: api.EventContents, Node: api.Ref{Instance: 1}, Cause: 1}}, LastEvent: 1,
		}}})
	}
	c.Strike("lose-news", c.world.Draw("test", 1))
	id := uint64(0)
	for range 40 {
		id++
		c.OnRequest(from, to, keep(id))
		c.OnSend(to, from, news(id+1000))
		require.Empty(t, c.lostNews.repeated, "an answer to another KeepAlive")
		if c.OnSend(to, from, news(id)); c.lostNews.repeated[from] != nil {
			break
		}
	}
	require.NotNil(t, c.lostNews.repeated[from], "none in 40 answers")
	c.OnRequest(from, to, api.Request{ID: 99, Session: 7, Seq: 1, Op: api.Get{Key: "k"}})
	c.OnRequest(from, c.replicas[1].Addr(), keep(id))
	require.False(t, isCut(), "the copy has not come")
	c.OnRequest(from, to, keep(id))
	require.True(t, isCut())
	require.EqualValues(t, 1, c.NewsRepeated)
	lost := c.NewsLost
	c.OnSend(to, from, news(id))
	require.False(t, isCut())
	require.Equal(t, lost, c.NewsLost, "the answer to the copy is lost by the fault")
	require.Empty(t, c.lostNews.repeated)

	for c.lostNews.repeated[from] == nil {
		id++
		c.OnRequest(from, to, keep(id))
		c.OnSend(to, from, news(id))
	}
	c.OnRequest(from, to, keep(id+1))
	require.Empty(t, c.lostNews.repeated, "the next KeepAlive has overtaken the copy")
	require.False(t, isCut())
}

// A cacheable answer arrives after the next message to the same client that may make it stale, and
// nothing else is held back.
func TestAnswersThatMayBeCachedAreOvertaken(t *testing.T) {
	c, _ := someFaults(t)
	from, to := c.replicas[0].Addr(), c.clients[0].Addr()
	answer := func(cacheable bool, seq api.Seq, events ...api.Event) []byte {
		p := api.Reply{ID: 1, Session: 7, Seq: seq, Epoch: 1, Cacheable: cacheable, Result: api.Result{Code: api.OK}}
		if seq == 0 {
			p.Detail = api.Leased{Lease: time.Second, Events: events, LastEvent: api.EventNumber(len(events))}
		}
		return api.AppendReply(nil, p)
	}
	drop := api.Event{Kind: api.EventDropAll, Cause: 1, Drop: 1}
	c.OnSend(from, to, answer(true, 1))
	c.Strike("late-answer", c.world.Draw("test", 1))
	for _, wire := range [][]byte{answer(false, 1), answer(false, 0), answer(false, 0, drop), []byte("x")} {
		c.OnSend(from, to, wire)
	}
	require.Empty(t, c.lateAnswers.held)
	for range 20 {
		c.OnSend(from, to, answer(true, 1))
	}
	require.Len(t, c.lateAnswers.held, 1, "one at a time")
	c.OnSend(from, c.clients[1].Addr(), answer(false, 2))
	c.OnSend(from, to, answer(false, 0))
	require.Zero(t, c.Overtaken)
	c.OnSend(from, to, answer(false, 0, drop))
	require.EqualValues(t, 1, c.Overtaken)
	c.world.RunFor(time.Second)
	require.Empty(t, c.lateAnswers.held)
	c.Heal()
	require.Nil(t, c.lateAnswers)
}

// If a snapshot goes bad while a peer fetches it, the part already fetched stays as it was.
func TestASnapshotRotsWhileItIsServed(t *testing.T) {
	c, _ := someFaults(t)
	m := c.replicas[0]
	file := damage.DataDir + "/snapshots/00000000000000000100.snap"
	writeFile(t, m, file)
	slot, ok := damage.SnapshotIn(file)
	require.True(t, ok)
	was, err := m.Disk().Mem().Contents(file)
	require.NoError(t, err)
	rotServed(c, c.replicas[1], c.world.Draw("test", 0))
	strike := c.transfers.onPiece[len(c.transfers.onPiece)-1]
	given := func(s paxos.Slot) piece {
		return piece{source: m, Piece: driver.Piece{ID: driver.SnapshotID{Handle: paxos.Handle{Slot: s}}, Offset: 10, Data: "piece"}}
	}
	require.False(t, strike(given(slot-1)), "it is not the newest")
	now, err := m.Disk().Mem().Contents(file)
	require.NoError(t, err)
	require.Equal(t, was, now)
	require.True(t, strike(given(slot)))
	now, err = m.Disk().Mem().Contents(file)
	require.NoError(t, err)
	require.Equal(t, was[:15], now[:15])
	require.NotEqual(t, was[15:], now[15:])
}

// A strike comes once, with the first command of its kind: when that is proposed, or when it is
// applied, as drawn.
func TestAStrikeWaitsForItsMoment(t *testing.T) {
	for _, applied := range []bool{false, true} {
		c, _ := someFaults(t)
		struck := 0
		c.moments = []moment{{kind: order[command.Sweep], applied: applied, strike: func() { struck++ }}}
		other := []command.Command{command.ConfirmLeadership{}, command.NodeCommand{Op: command.Acquire{}}}
		sweep := []command.Command{command.ConfirmLeadership{}, command.Sweep{}}

		c.OnStep(other, ran(other))
		require.Zero(t, struck)
		if applied {
			c.OnStep(sweep, nil)
		} else {
			c.OnStep(nil, ran(sweep))
		}
		require.Zero(t, struck, "not that of it")
		c.OnStep(sweep, ran(sweep))
		require.Equal(t, 1, struck)
		c.OnStep(sweep, ran(sweep))
		require.Equal(t, 1, struck)
	}
}

func ran(commands []command.Command, effects ...command.Effect) []core.Applied {
	var all []command.Applied
	for _, c := range commands {
		all = append(all, command.Applied{Command: c, Effects: effects})
	}
	return []core.Applied{{}, {Commands: all}}
}

// One command belongs to each kind. No command belongs to two kinds, except those that are listed
// twice to be twice as likely.
func TestMomentsAreOfAllKinds(t *testing.T) {
	for _, c := range []command.Command{
		command.NodeCommand{Op: command.OpenNode{}}, command.NodeCommand{Op: command.CloseHandle{}}, command.NodeCommand{Op: command.Fail{}},
		command.DelayOver{}, command.LongestLease{}, command.Backup{}, command.Call{Op: api.Put{}}, command.Call{Op: api.EndSession{}},
	} {
		met := 0
		for _, is := range kinds {
			if is(c) {
				met++
			}
		}
		require.Equal(t, 1, met, "%T %+v", c, c)
	}
}

// A strike may wait for a second delay of a lock. The first delay does not count.
func TestASecondDelayIsAMoment(t *testing.T) {
	c, f := someFaults(t)
	struck := 0
	c.moments = []moment{{strike: func() { struck++ }}}
	n := api.Ref{Instance: 3}
	began := command.LockChanged{Effect: lock.DelayBegan{Lock: n, Freed: 7, Delay: 100}}
	f.delays = 1
	c.OnStep(nil, ran([]command.Command{command.Expire{}}, began))
	require.Zero(t, struck)
	f.delays = 2
	c.OnStep(nil, ran([]command.Command{command.Expire{}}, began))
	require.Equal(t, 1, struck)
}

// A strike that waits in vain is dropped when too many wait.
func TestFewStrikesWait(t *testing.T) {
	c, _ := someFaults(t)
	d := c.world.Draw("test", 0)
	for range 3 * mostMoments {
		awaitMoment(c, d, func() {})
	}
	require.Len(t, c.moments, mostMoments)
}

// An old promise is put back only if the log shows that it is old. Then the replica must stop.
func TestAnOldPromiseDoomsItsReplica(t *testing.T) {
	c, facts := someFaults(t)
	m := c.replicas[0]
	s := &decayed{Disk: damage.Disk{Mem: m.Disk().Mem()}, c: c, m: m, id: 1}
	disk, _, _, err := store.Open(s.Mem, damage.DataDir, store.Options{Salt: func() uint64 { return 77 << 50 }})
	require.NoError(t, err)
	promise := func(at paxos.LSN, rs ...paxos.Record) {
		require.NoError(t, disk.Append(at, rs))
		require.NoError(t, disk.Sync())
	}
	old, later := paxos.Ballot{Round: 1, Node: 1}, paxos.Ballot{Round: 2, Node: 2}
	promise(1, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: old})
	facts.boot, facts.promise = 1, old
	was, image := s.Register()
	require.NotEmpty(t, image)
	promise(3, paxos.Promised{Ballot: later})
	now, _ := s.Register()

	s.putBack(was, image)
	require.False(t, c.budget.IsDoomed(1), "nothing shows that it is old")
	found, _ := s.Register()
	require.Equal(t, now, found)

	facts.promise = later
	s.putBack(was, image)
	require.True(t, c.budget.IsDoomed(1))
	require.False(t, c.budget.IsDoomed(2))
	for _, suffix := range ondisk.Copies {
		b, err := s.Mem.Contents(damage.Registers[0] + suffix)
		require.NoError(t, err)
		require.Equal(t, image, b)
	}
	s.Mem.Crash(vfs.Seeded(1))
	_, _, _, err = store.Open(s.Mem, damage.DataDir, store.Options{Salt: func() uint64 { return 1 }})
	require.ErrorIs(t, err, store.ErrForgot, "it must")
}

// This package implements each kind of fault that the plan names, and no other.
func TestEveryKindOfThePlanIsThere(t *testing.T) {
	require.Len(t, strikes, len(plan.Faults(nil)))
	for _, f := range plan.Faults(nil) {
		require.NotNil(t, strikeNamed(f.Name, nil), f.Name)
	}
}
