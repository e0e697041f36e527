package paxos

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"
)

// model is a group of nodes whose messages lie in a bag, and an observer who
// sees all disks. Whatever can happen happens, by choice: any message is
// delivered, lost, doubled or left for later, any prefix of what was written is
// synced, nodes crash with any part of the rest, values rot, links are cut,
// clocks run at different rates, outputs are taken late. The observer asks, after
// every step, what the papers promise.
type model struct {
	t     require.TestingT
	c     chooser
	swarm swarm
	nodes []*member
	bag   []wire
	calm  bool // healed: nothing crashes any more
	cut   map[[2]NodeID]bool

	votes    map[voteKey]Value  // on any disk, ever
	voters   map[voteKey]uint64 // the members that had it on disk
	chosen   map[Slot]Vote      // by a quorum of disks; the lowest ballot known
	prefix   Slot               // all slots below are chosen
	commands map[string]Slot    // proposed; where handed out, or 0
	total    Counters           // of lives that ended
	seen     map[string]int     // how often something worth seeing happened
}

type voteKey struct {
	slot   Slot
	ballot Ballot
}

// member is one machine.
type member struct {
	cfg   Config
	now   time.Time
	node  *Node // nil while it is down
	disk  disk
	wake  time.Time
	next  Slot   // to be handed out in this life
	told  Ballot // highest promise that left the machine
	frail bool   // its disk may lose values
	lacks Slot   // what no records will bring: a snapshot of this slot would
}

// chooser makes the choices of a run: rapid, which shrinks them, or a seed.
type chooser interface {
	// pick is any of 0..n-1.
	pick(what string, n int) int
}

// swarm is what one run is inclined to: each run favours some faults and leaves
// out others, because faults hide each other.
type swarm struct {
	deliver, sync, wait, rouse, propose, crash, start, cut, coup int // weights of the inputs
	truncate, install                                            int
	lose, double, late                                           int // in 8: of messages, and of outputs taken late
	order                                                        int // 0: any message, 1: mostly the oldest, 2: mostly the newest
	slow                                                         int // kind of message that takes long: see kind
	frail                                                        int // 0: no disk loses values, 1: a minority, 2: any
	lease                                                        time.Duration
}

func newModel(t require.TestingT, c chooser) *model {
	m := &model{
		t: t, c: c, cut: map[[2]NodeID]bool{}, votes: map[voteKey]Value{}, voters: map[voteKey]uint64{},
		chosen: map[Slot]Vote{}, prefix: 1, commands: map[string]Slot{}, seen: map[string]int{},
	}
	oneOf := func(what string, xs ...int) int { return xs[c.pick(what, len(xs))] }
	m.swarm = swarm{
		deliver: oneOf("deliver", 25, 60, 200), sync: oneOf("sync", 10, 30, 90), wait: oneOf("wait", 1, 5, 10), rouse: oneOf("rouse", 0, 1, 3, 12),
		propose: oneOf("propose", 2, 10), crash: oneOf("crash", 0, 1, 2, 4), start: oneOf("start", 1, 5), cut: oneOf("cut", 0, 1, 3), coup: oneOf("coup", 0, 1, 4),
		truncate: oneOf("truncate", 0, 2, 8), install: oneOf("install", 1, 4),
		lose: oneOf("lose", 0, 0, 1, 3), double: oneOf("double", 0, 1, 4), late: oneOf("late", 0, 0, 2, 4),
		order: oneOf("order", 0, 1, 2), slow: oneOf("slow", -1, -1, kindAccept, kindAccept, kindAccepted, kindAccepted, kindPromise, kindChosen, kindFetchReply), frail: oneOf("frail", 0, 0, 1, 2),
	}
	m.swarm.lease = time.Duration(oneOf("lease", 0, 200, 500, 2000)) * time.Millisecond
	ids := make([]NodeID, oneOf("nodes", 3, 3, 5, 5, 7))
	for i := range ids {
		ids[i] = NodeID(i + 1)
	}
	for _, id := range ids {
		cfg := DefaultConfig()
		cfg.ID, cfg.Members, cfg.Seed = id, ids, uint64(c.pick("seed", 1<<20))
		cfg.PageVotes, cfg.FetchSlots = oneOf("page", 1, 2, 100), oneOf("fetch", 1, 3, 100)
		cfg.Window, cfg.MaxBatchCommands = oneOf("window", 1, 3, 8), oneOf("batch", 1, 1, 3)
		cfg.Lease = Lease{Grant: m.swarm.lease, Rho: modelRho}
		frail := m.swarm.frail == 2 || m.swarm.frail == 1 && int(id) <= (len(ids)-1)/2
		m.nodes = append(m.nodes, &member{cfg: cfg, now: time.Unix(int64(id)*1000, 0), disk: disk{first: 1}, frail: frail})
		m.start(id)
	}
	return m
}

func (m *model) member(id NodeID) *member { return m.nodes[id-1] }

func (m *model) failf(format string, args ...any) { require.Fail(m.t, fmt.Sprintf(format, args...)) }

// modelRho bounds the rate errors of the clocks in wait: they run at 20/20 to
// 26/20, which is within 131,000 ppm of 23/20.
const modelRho = 131_000

// step is one input to one node, and a look at who holds what.
func (m *model) step() {
	m.input()
	m.checkLeases()
}

func (m *model) input() {
	w, x := &m.swarm, m.c
	id := NodeID(x.pick("node", len(m.nodes)) + 1)
	weights := []int{w.deliver, w.sync, w.wait, w.rouse, w.propose, w.crash, w.start, w.cut, w.coup, w.truncate, w.install}
	switch weighted(x, weights) {
	case 0:
		m.deliver()
	case 1:
		m.sync(id, x.pick("synced", len(m.member(id).disk.pending)+1))
	case 2:
		m.wait()
	case 3:
		m.rouse(id)
	case 4:
		m.propose(id)
	case 5:
		m.crash(id)
	case 6:
		if m.member(id).node == nil {
			m.start(id)
		}
	case 7:
		m.cutLinks(id)
	case 8:
		m.coup(id)
	case 9:
		m.truncate(id)
	case 10:
		m.install(id)
	}
}

func weighted(x chooser, weights []int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	k := x.pick("input", sum)
	for i, w := range weights {
		if k < w {
			return i
		}
		k -= w
	}
	panic("unreachable: the weights add up")
}

// deliver takes a message out of the bag, or a copy of it; where nothing is on
// its way, time passes.
func (m *model) deliver() {
	if len(m.bag) == 0 {
		m.wait()
		return
	}
	k := m.c.pick("message", len(m.bag))
	switch oldest := m.c.pick("eager", 4) > 0; {
	case oldest && m.swarm.order == 1:
		k = 0
	case oldest && m.swarm.order == 2:
		k = len(m.bag) - 1
	}
	w := m.bag[k]
	if kind(w.m) == m.swarm.slow && m.c.pick("hurry", 10) > 0 {
		return
	}
	if m.c.pick("doubled", 8) >= m.swarm.double || len(m.bag) > 300 {
		m.bag = append(m.bag[:k], m.bag[k+1:]...)
	}
	if m.c.pick("lost", 8) < m.swarm.lose || m.cut[[2]NodeID{w.from, w.to}] {
		return
	}
	m.hand(w)
}

// kind is the number of a message on the wire, where the model tells it apart.
func kind(m Message) int {
	switch m.(type) {
	case Prepare:
		return kindPrepare
	case Promise:
		return kindPromise
	case Accept:
		return kindAccept
	case Accepted:
		return kindAccepted
	case Chosen:
		return kindChosen
	case FetchReply:
		return kindFetchReply
	}
	return 0 // never slow
}

func (m *model) hand(w wire) {
	r := m.member(w.to)
	if r.node == nil {
		return
	}
	b := AppendMessage(nil, w.m)
	decoded, err := DecodeMessage(string(b))
	require.NoError(m.t, err, "%v", w.m)
	require.Equal(m.t, w.m, decoded)
	r.node.Step(r.now, w.from, decoded)
	m.taken(w.to)
}

// taken takes the output of a node, or leaves it for later.
func (m *model) taken(id NodeID) {
	if m.swarm.late == 0 || m.c.pick("late", 8) >= m.swarm.late {
		m.take(id)
	}
}

// wait lets all clocks run, each a little differently.
func (m *model) wait() {
	ms := m.c.pick("ms", 40) + 1
	for i, r := range m.nodes {
		r.now = r.now.Add(time.Duration(ms) * time.Millisecond * time.Duration(20+i) / 20)
		if r.node != nil && !r.wake.IsZero() && !r.now.Before(r.wake) {
			r.node.Advance(r.now)
			m.taken(NodeID(i + 1))
		}
	}
}

// rouse lets the time of one node run up to what it waits for, or hurries it.
func (m *model) rouse(id NodeID) {
	r := m.member(id)
	if r.node == nil || r.wake.IsZero() {
		return
	}
	if m.swarm.lease > 0 { // where clocks may not jump
		r.node.Campaign(r.now)
		m.taken(id)
		return
	}
	if r.now.Before(r.wake) {
		r.now = r.wake
	}
	r.node.Advance(r.now)
	m.taken(id)
}

// propose asks a leader, if there is one, else any node.
func (m *model) propose(id NodeID) {
	for i := range m.nodes {
		at := (int(id) - 1 + i) % len(m.nodes)
		if n := m.nodes[at].node; n != nil && n.lead != nil {
			id = NodeID(at + 1)
			break
		}
	}
	r := m.member(id)
	if r.node == nil {
		return
	}
	for range m.c.pick("commands", 3) + 1 {
		command := fmt.Sprintf("%d", len(m.commands)+1)
		if r.node.Propose(r.now, []byte(command)) == nil {
			m.commands[command] = 0
		}
	}
	m.taken(id)
}

// sync makes a prefix of what a node wrote durable, and tells it.
func (m *model) sync(id NodeID, n int) {
	r := m.member(id)
	if r.node == nil || n == 0 {
		return
	}
	m.persist(id, n)
	r.node.Durable(r.now, r.disk.first-1)
	m.taken(id)
}

// persist makes a prefix of what a node wrote durable.
func (m *model) persist(id NodeID, n int) {
	r := m.member(id)
	for _, rec := range r.disk.pending[:n] {
		switch rec := rec.(type) {
		case Voted:
			m.observe(id, rec)
		case Promised:
			if !r.disk.rec.Promise.Less(rec.Ballot) {
				m.failf("node %d: promise on disk goes from %v to %v", id, r.disk.rec.Promise, rec.Ballot)
			}
		}
	}
	r.disk.sync(n)
}
