package paxos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rig is one node on a disk that syncs when told, with the test in the part of
// its peers.
type rig struct {
	t         *testing.T
	cfg       Config
	node      *Node
	now       time.Time
	disk      disk
	sent      []Envelope
	delivered []Entry
	tenure    *Tenure
}

// disk keeps what was synced, and what was only written.
type disk struct {
	rec     Recovered
	pending []Record
	first   LSN // of pending
}

func (d *disk) write(t require.TestingT, out Output) {
	if len(out.Append) == 0 {
		return
	}
	require.Equal(t, d.first+LSN(len(d.pending)), out.First, "records are numbered without gaps")
	d.pending = append(d.pending, out.Append...)
}

// sync makes the first n written records durable and returns their last number.
func (d *disk) sync(n int) LSN {
	for _, r := range d.pending[:n] {
		switch r := r.(type) {
		case Booted:
			d.rec.Boot, d.rec.Grant = r.Boot, r.Grant
		case Promised:
			d.rec.Promise = r.Ballot
		default:
			d.rec.Records = append(d.rec.Records, r)
		}
	}
	d.pending = append([]Record(nil), d.pending[n:]...)
	d.first += LSN(n)
	d.rec.Next = d.first
	return d.first - 1
}

// snapshot is what a disk is when it has a snapshot: of the records before, those
// that speak of nothing at or above below are gone.
func (d *disk) snapshot(h Handle, below Slot) {
	d.rec.Snapshot, d.rec.Floor = h, max(d.rec.Floor, below)
	for len(d.rec.Records) > 0 && HighestSlot(d.rec.Records[0]) < d.rec.Floor {
		d.rec.Records = d.rec.Records[1:]
	}
}

// newRig boots node 1 of n and makes its boot record durable.
func newRig(t *testing.T, n int, tune ...func(*Config)) *rig {
	cfg := DefaultConfig()
	cfg.ID = 1
	for i := range n {
		cfg.Members = append(cfg.Members, NodeID(i+1))
	}
	for _, f := range tune {
		f(&cfg)
	}
	r := &rig{t: t, cfg: cfg, now: time.Unix(100, 0), disk: disk{first: 1}}
	r.boot()
	r.sync()
	return r
}

func (r *rig) boot() {
	r.disk.pending = nil
	r.node = New(r.cfg, r.disk.rec, r.now)
	r.sent, r.delivered, r.tenure = nil, nil, nil
	r.take()
}

// restart loses what was not synced.
func (r *rig) restart() {
	r.boot()
	r.sync()
}

func (r *rig) take() Output {
	out := r.node.TakeOutput()
	r.disk.write(r.t, out)
	r.sent = append(r.sent, out.Send...)
	r.delivered = append(r.delivered, out.Chosen...)
	if out.Tenure != nil {
		r.tenure = out.Tenure
	}
	return out
}

func (r *rig) step(from NodeID, ms ...Message) {
	for _, m := range ms {
		require.Empty(r.t, Invalid(m), "%v", m)
		r.node.Step(r.now, from, m)
	}
	r.take()
}

func (r *rig) sync() {
	if len(r.disk.pending) > 0 {
		r.node.Durable(r.now, r.disk.sync(len(r.disk.pending)))
		r.take()
	}
}

func (r *rig) pass(d time.Duration) {
	r.now = r.now.Add(d)
	r.node.Advance(r.now)
	r.take()
}

// campaign lets the election time-out run out and returns the ballot, which is
// above those of round 3.
func (r *rig) campaign() Ballot {
	r.node.election.observe(Ballot{Round: 3})
	r.pass(r.cfg.ElectionMax)
	require.Equal(r.t, Candidate, r.node.Status().Role)
	r.sync()
	return r.node.ownBallot()
}

// lead wins an election against peers that have nothing.
func (r *rig) lead() Ballot {
	b := r.campaign()
	for _, id := range r.cfg.Members[1:] {
		r.step(id, Promise{Ballot: b, Boot: r.node.boot, Page: Range{1, MaxSlot}, FirstOpen: 1})
	}
	require.Equal(r.t, Leader, r.node.Status().Role)
	return b
}

// above is a ballot of a peer above all that the node has seen.
func (r *rig) above(id NodeID) Ballot { return Ballot{Round: r.node.election.round + 1, Node: id} }

// lose has so many campaigns end by the Nack of a peer that has promised more.
func (r *rig) lose(times int) {
	for range times {
		if r.node.Status().Role == Follower {
			r.pass(r.node.election.deadline.Sub(r.now))
		}
		require.Equal(r.t, Candidate, r.node.Status().Role)
		r.step(2, Nack{Ballot: r.node.ownBallot(), Boot: r.node.boot, Promised: r.above(2)})
		require.Equal(r.t, Follower, r.node.Status().Role)
	}
}

// follow hears of a leader above all.
func (r *rig) follow(id NodeID) {
	r.step(id, Heartbeat{Ballot: r.above(id), Boot: 1, Seq: 1, FirstOpen: 1})
	require.Equal(r.t, id, r.node.Status().Leader)
}

func (r *rig) propose(command string) error {
	err := r.node.Propose(r.now, []byte(command))
	r.take()
	return err
}

// drain returns what was sent since the last call, as text.
func (r *rig) drain() []string {
	o := Output{Send: r.sent}
	r.sent = nil
	var lines []string
	for _, l := range o.Lines() {
		lines = append(lines, l[len("send   "):])
	}
	return lines
}

func val(command string) Value { return Batch([]byte(command)) }
