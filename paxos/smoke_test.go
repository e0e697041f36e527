package paxos

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/draw"
)

// bag is a group of nodes whose messages lie in a bag: any may be delivered,
// lost or delivered twice, disks sync any prefix, and nodes crash.
type bag struct {
	t     *testing.T
	draws draw.Stream
	now   time.Time
	cfgs  []Config
	nodes []*Node
	disks []*disk
	msgs  []wire
	log   map[Slot]Value
}

func newBag(t *testing.T, n int, seed uint64) *bag {
	b := &bag{t: t, draws: draw.New(seed).Stream("bag", 0), now: time.Unix(0, 0), log: map[Slot]Value{}}
	var ids []NodeID
	for i := range n {
		ids = append(ids, NodeID(i+1))
	}
	for i := range n {
		cfg := DefaultConfig()
		cfg.ID, cfg.Members, cfg.Seed = ids[i], ids, seed
		cfg.PageVotes, cfg.Window, cfg.FetchSlots = b.draws.Int(3)+1, b.draws.Int(8)+1, b.draws.Int(3)+1
		b.cfgs = append(b.cfgs, cfg)
		b.disks = append(b.disks, &disk{first: 1})
		b.nodes = append(b.nodes, nil)
		b.start(i)
	}
	return b
}

func (b *bag) start(i int) {
	b.nodes[i] = New(b.cfgs[i], b.disks[i].rec, b.now)
	b.take(i)
}

func (b *bag) take(i int) {
	out := b.nodes[i].TakeOutput()
	b.disks[i].write(b.t, out)
	for _, e := range out.Send {
		b.msgs = append(b.msgs, wire{from: NodeID(i + 1), to: e.To, m: e.Message})
	}
	for _, e := range out.Chosen {
		if v, ok := b.log[e.Slot]; ok {
			require.Equal(b.t, v, e.Value, "slot %d", e.Slot)
		}
		b.log[e.Slot] = e.Value
	}
	if len(out.Chosen) > 0 {
		b.nodes[i].Applied(out.Chosen[len(out.Chosen)-1].Slot)
	}
}

func (b *bag) sync(i int, n int) { b.disks[i].sync(n) }

func (b *bag) step() {
	i := b.draws.Int(len(b.nodes))
	n := b.nodes[i]
	switch b.draws.Weighted([]uint32{60, 25, 8, 6, 1}) {
	case 0:
		if len(b.msgs) == 0 {
			return
		}
		k := b.draws.Int(len(b.msgs))
		w := b.msgs[k]
		if !b.draws.Chance(1, 10) {
			b.msgs[k] = b.msgs[len(b.msgs)-1]
			b.msgs = b.msgs[:len(b.msgs)-1]
		}
		if b.draws.Chance(1, 20) {
			return
		}
		m, err := DecodeMessage(string(AppendMessage(nil, w.m)))
		require.NoError(b.t, err)
		require.Equal(b.t, w.m, m)
		i = int(w.to) - 1
		b.nodes[i].Step(b.now, w.from, m)
	case 1:
		k := b.draws.Int(len(b.disks[i].pending) + 1)
		b.sync(i, k)
		n.Durable(b.now, b.disks[i].first-1)
	case 2:
		b.now = b.now.Add(b.draws.Duration(0, 200*time.Millisecond))
		n.Advance(b.now)
	case 3:
		_ = n.Propose(b.now, fmt.Appendf(nil, "c%d", b.draws.Count()))
	case 4:
		d := b.disks[i]
		b.sync(i, b.draws.Int(len(d.pending)+1))
		d.pending = nil
		b.start(i)
		return
	}
	b.take(i)
}

func TestSmokeBag(t *testing.T) {
	slots := 0
	for seed := range uint64(300) {
		b := newBag(t, 3+2*int(seed%2), seed)
		for range 2000 {
			b.step()
		}
		slots += len(b.log)
	}
	t.Log("slots", slots)
	require.Greater(t, slots, 1000)
}
