package sim

import (
	"errors"
	"time"

	"github.com/chubbycell/chubby/wal"
)

// GroupConfig describes replicas that run one protocol.
type GroupConfig struct {
	Replicas int
	New      func(c NodeConfig) Node   // returns a new node for each life of a replica
	State    func() StateMachine       // applies the chosen commands; nil: nothing does
	Clock    func(a Addr) ClockConfig  // nil: true clocks
	Disk     DiskConfig                // of every replica
	Segment  int64                     // size of a log segment in bytes; 0: 16 KiB
	OnChosen func(node Addr, c Chosen) // for additional checkers; may be nil
	Rule     VoteRule                  // of the protocol, for S1; used if its Node is a Voter
}

// Group is the replicas of one protocol in a world. Each has a machine of its own, with a Node, its
// log on a simulated disk, and a StateMachine. A Group checks S1 and S6 as it runs; if the Node is
// a Voter, it checks S1 over durable votes too.
type Group struct {
	cfg       GroupConfig
	w         *World
	members   []Addr
	agreement *Agreement
	checksums *Checksums
}

// NewGroup adds the replicas of a group to a world and starts them.
func NewGroup(w *World, cfg GroupConfig) *Group {
	if cfg.Segment == 0 {
		cfg.Segment = 16 << 10
	}
	g := &Group{cfg: cfg, w: w, agreement: NewAgreement(w, cfg.Replicas, cfg.Rule), checksums: NewChecksums(w)}
	for range cfg.Replicas {
		c := MachineConfig{Process: func() Process { return &member{g: g} }, Disk: cfg.Disk}
		if cfg.Clock != nil {
			c.Clock = cfg.Clock(Addr(len(w.machines.replicas) + 1))
		}
		g.members = append(g.members, w.Add(c).addr)
	}
	for _, m := range g.Machines() {
		m.Start()
	}
	return g
}

// Members returns the addresses of the replicas.
func (g *Group) Members() []Addr { return append([]Addr(nil), g.members...) }

// Machines returns the machines of the replicas.
func (g *Group) Machines() []*Machine {
	var ms []*Machine
	for _, a := range g.members {
		ms = append(ms, g.w.Machine(a))
	}
	return ms
}

// Agreement returns the group's property S1.
func (g *Group) Agreement() *Agreement { return g.agreement }

// Checksums returns the group's property S6.
func (g *Group) Checksums() *Checksums { return g.checksums }

// Node returns the node of a replica, or nil while the replica is down or recovers.
func (g *Group) Node(a Addr) Node {
	if p, ok := g.w.Machine(a).Process().(*member); ok {
		return p.node
	}
	return nil
}

// State returns the state machine of a replica, or nil while the replica is down or recovers.
func (g *Group) State(a Addr) StateMachine {
	if p, ok := g.w.Machine(a).Process().(*member); ok && p.replica != nil {
		return p.replica.state
	}
	return nil
}

// member is one life of a replica: it runs the Node.
type member struct {
	g       *Group
	env     *Env
	node    Node
	log     *wal.Log
	replica *replica

	queue    [][]byte // records not yet handed to a log job
	first    uint64   // number of the first of them
	synced   uint64   // records that the node knows to be durable
	wanted   uint64   // records that must become durable
	busy     bool
	unsynced [][]byte // records written since the last sync
}

// Start recovers the log on a coroutine, and then starts the node.
func (p *member) Start(env *Env) {
	p.env = env
	env.Go("recover", func() {
		log, rec, err := wal.Open(env.FS(), "log", wal.Options{SegmentSize: p.g.cfg.Segment})
		if err == nil && len(rec.Damaged) > 0 {
			err = errors.New("the log is damaged: this replica no longer knows what it promised")
		}
		if err != nil {
			env.Fail(err)
			return
		}
		records := make([][]byte, len(rec.Entries))
		for i, e := range rec.Entries {
			records[i] = []byte(e.Data)
		}
		p.log = log
		env.Post(func(now time.Time) { p.startNode(now, records) })
	})
}

func (p *member) startNode(now time.Time, records [][]byte) {
	p.synced = uint64(len(records))
	p.first = p.synced + 1
	p.node = p.g.cfg.New(NodeConfig{
		Self: p.env.Self(), Members: p.g.Members(), Now: now, Records: records, Seed: p.env.Draw("node").Uint64(),
	})
	if p.g.cfg.State != nil {
		p.replica = newReplica(p)
	}
	p.reportVotes(records)
	p.handleOutput()
}

// Receive passes a message to the node, or a request to the state machine.
func (p *member) Receive(now time.Time, from Addr, msg []byte) {
	switch {
	case p.node == nil:
		return // the log is still recovering; the sender retries
	case !from.IsClient():
		p.node.Step(now, from, msg)
	case p.replica != nil:
		p.replica.onRequest(now, from, msg)
	}
	p.handleOutput()
}

// Wake advances the node's time.
func (p *member) Wake(now time.Time) {
	p.node.Advance(now)
	p.handleOutput()
}

// handleOutput does what the node's output requires.
func (p *member) handleOutput() {
	out := p.node.TakeOutput()
	for _, m := range out.Send {
		p.env.Send(m.To, m.Msg)
	}
	if len(out.Append) > 0 {
		if out.First != p.first+uint64(len(p.queue)) {
			p.g.w.Break("I-A4", "replica %s: records from %d on, but the next free number is %d",
				p.env.Self(), out.First, p.first+uint64(len(p.queue)))
			return
		}
		p.queue = append(p.queue, out.Append...)
	}
	p.wanted = max(p.wanted, out.SyncTo)
	for _, c := range out.Chosen {
		p.onChosen(c)
	}
	p.env.WakeAt(out.Wake)
	p.write()
}

func (p *member) onChosen(c Chosen) {
	p.g.agreement.OnChosen(p.env.Self(), c.Slot, c.Value)
	if p.g.cfg.OnChosen != nil {
		p.g.cfg.OnChosen(p.env.Self(), c)
	}
	if p.replica != nil {
		p.replica.apply(c)
	}
}

// write starts a log job for the waiting records. It runs one job at a time.
func (p *member) write() {
	if p.busy || len(p.queue) == 0 && p.wanted <= p.synced {
		return
	}
	p.busy = true
	batch, first := p.queue, p.first
	p.queue, p.first = nil, first+uint64(len(batch))
	sync := p.wanted > p.synced
	p.env.Go("log", func() {
		if err := p.store(batch, first, sync); err != nil {
			p.env.Fail(err)
			return
		}
		p.env.Post(func(now time.Time) { p.onWritten(now, batch, first, sync) })
	})
}

// store is a log job: plain calls of the log, each an event.
func (p *member) store(batch [][]byte, first uint64, sync bool) error {
	entries := make([]wal.Entry, len(batch))
	for i, b := range batch {
		entries[i] = wal.Entry{LSN: wal.LSN(first) + wal.LSN(i), Kind: 1, Data: string(b)}
	}
	if err := p.log.Append(entries...); err != nil {
		return err
	}
	p.unsynced = append(p.unsynced, batch...)
	if !sync {
		return nil
	}
	if err := p.log.Sync(); err != nil {
		return err
	}
	p.reportVotes(p.unsynced) // durable from here on, even if the node dies before it learns of it
	p.unsynced = nil
	return nil
}

func (p *member) onWritten(now time.Time, batch [][]byte, first uint64, sync bool) {
	p.busy = false
	if sync {
		p.synced = first + uint64(len(batch)) - 1
		p.node.Durable(now, p.synced)
	}
	p.handleOutput()
}

// reportVotes reports to the agreement property the votes that the disk holds now.
func (p *member) reportVotes(records [][]byte) {
	v, ok := p.node.(Voter)
	if !ok || p.env.Dead() {
		return
	}
	for _, r := range records {
		for _, vote := range v.Votes(r) {
			p.g.agreement.OnVote(p.env.Self(), vote)
		}
	}
}
