package paxos

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// group is what a golden trace plays with: nodes whose messages, disks and
// clock move only when a command says so. Every line it prints begins with the
// id of the node concerned.
type group struct {
	t     *testing.T
	now   time.Time
	boxes []*box
	bag   []wire
	names map[string]string // by digest of a value: its commands
	show  []string          // kinds of lines that are hidden by default and wanted here
	out   []string
}

// wire is a message on its way.
type wire struct {
	from, to NodeID
	m        Message
}

// box is one machine: a disk, and a node while it runs.
type box struct {
	cfg       Config
	node      *Node // nil while it is down
	disk      disk
	held      []waitingMessage // as last looked at
	delivered []Entry          // in this life
}

// hidden are the lines that most claims are not about.
var hidden = []string{"heartbeat", "alive", "released", "sync", "boot"}

var holdNumber = regexp.MustCompile(`^hold#\d+ `)

var bootNumber = regexp.MustCompile(` boot \d+`)

func newGroup(t *testing.T, n int, tune func(*Config)) *group {
	g := &group{t: t, now: time.Unix(0, 0), names: map[string]string{}}
	ids := make([]NodeID, n)
	for i := range ids {
		ids[i] = NodeID(i + 1)
	}
	for _, id := range ids {
		cfg := DefaultConfig()
		cfg.ID, cfg.Members = id, ids
		tune(&cfg)
		g.boxes = append(g.boxes, &box{cfg: cfg, disk: disk{first: 1}})
		g.start(id, true)
	}
	g.out = nil
	return g
}

func (g *group) box(id NodeID) *box {
	require.True(g.t, 1 <= id && int(id) <= len(g.boxes), "there is no node %d", id)
	return g.boxes[id-1]
}

// up is the running node with this id.
func (g *group) up(id NodeID) *Node {
	require.NotNil(g.t, g.box(id).node, "node %d is down", id)
	return g.box(id).node
}

// start begins a process life; with sync, its boot record is durable.
func (g *group) start(id NodeID, sync bool) {
	b := g.box(id)
	require.Nil(g.t, b.node, "node %d is up", id)
	b.node, b.held, b.delivered = New(b.cfg, b.disk.rec, g.now), nil, nil
	g.printf(id, "follower promised %v next #%d", b.disk.rec.Promise, max(b.disk.rec.Next, 1))
	g.take(id)
	if sync {
		b.node.Durable(g.now, b.disk.sync(1))
		g.take(id)
	}
}

// crash ends a process life; what was not synced is gone, and so is what was
// held for it.
func (g *group) crash(id NodeID) {
	b, n := g.box(id), g.up(id)
	for i, r := range b.disk.pending {
		g.printf(id, "lost   #%d %v", b.disk.first+LSN(i), r)
	}
	for _, h := range n.outbox.waiting {
		g.printf(id, "lost   %v", h.Envelope)
	}
	b.disk.pending, b.node = nil, nil
}

// take prints and carries out what a node wants.
func (g *group) take(id NodeID) {
	b := g.box(id)
	out := b.node.TakeOutput()
	g.learnNames(&out)
	b.disk.write(g.t, out)
	b.delivered = append(b.delivered, out.Chosen...)
	if len(out.Chosen) > 0 {
		b.node.Applied(out.Chosen[len(out.Chosen)-1].Slot)
	}
	for _, l := range out.Lines() {
		if strings.HasPrefix(l, "send") || strings.HasPrefix(l, "chosen") || strings.HasPrefix(l, "tenure") {
			continue // printed below the held ones
		}
		g.printf(id, "%s", l)
	}
	g.printHeld(id)
	rest := Output{Send: out.Send, Chosen: out.Chosen, Tenure: out.Tenure}
	for _, l := range rest.Lines() {
		g.printf(id, "%s", l)
	}
	for _, e := range out.Send {
		g.bag = append(g.bag, wire{from: id, to: e.To, m: e.Message})
	}
}

// printHeld prints the messages that came to wait for the disk.
func (g *group) printHeld(id NodeID) {
	b, last, to := g.box(id), "", ""
	flush := func() {
		if last != "" {
			g.printf(id, "%s ->%s", last, to)
		}
	}
	for _, h := range b.node.outbox.waiting {
		g.learnName(h.Message)
		if slices.ContainsFunc(b.held, func(o waitingMessage) bool { return fmt.Sprint(o) == fmt.Sprint(h) }) {
			continue
		}
		if text := fmt.Sprintf("hold#%d %v", h.after, h.Message); text != last {
			flush()
			last, to = text, ""
		}
		to += fmt.Sprintf(" %d", h.To)
	}
	flush()
	b.held = slices.Clone(b.node.outbox.waiting)
}

// learnNames notes which commands are behind the digests in out.
func (g *group) learnNames(out *Output) {
	for _, r := range out.Append {
		switch r := r.(type) {
		case Voted:
			g.name(r.Value)
		case Learned:
			g.name(r.Value)
		}
	}
	for _, e := range out.Send {
		g.learnName(e.Message)
	}
	for _, e := range out.Chosen {
		g.name(e.Value)
	}
}

func (g *group) learnName(m Message) {
	switch m := m.(type) {
	case Accept:
		g.name(m.Value)
	case Promise:
		for _, v := range m.Votes {
			g.name(v.Value)
		}
	}
}

// name returns the commands of a value, as traces show it.
func (g *group) name(v Value) string {
	if v == Noop {
		return "noop"
	}
	var commands []string
	for _, c := range v.Commands {
		commands = append(commands, c)
	}
	g.names[v.String()] = strings.Join(commands, "+")
	return g.names[v.String()]
}

// printf adds a line, unless it is hidden.
func (g *group) printf(id NodeID, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	for _, kind := range hidden {
		if slices.Contains(g.show, kind) {
			continue
		}
		text := holdNumber.ReplaceAllString(line, "")
		if strings.HasPrefix(line, "send   "+kind) || strings.HasPrefix(text, kind) {
			return
		}
	}
	if !slices.Contains(g.show, "boot") {
		line = bootNumber.ReplaceAllString(line, "")
	}
	line = digests.ReplaceAllStringFunc(line, func(d string) string {
		if name := g.names[d]; name != "" {
			return name
		}
		return d
	})
	g.out = append(g.out, fmt.Sprintf("%d %s", id, line))
}

// picked removes the messages of a link from the bag, of one kind or of all, at
// most n of them.
func (g *group) picked(from, to NodeID, kind string, n int) []wire {
	var picked, rest []wire
	for _, w := range g.bag {
		if w.from == from && w.to == to && len(picked) < n && strings.HasPrefix(fmt.Sprint(w.m), kind) {
			picked = append(picked, w)
		} else {
			rest = append(rest, w)
		}
	}
	g.bag = rest
	return picked
}

// deliver hands a message to its receiver, if that is up.
func (g *group) deliver(w wire) {
	if n := g.box(w.to).node; n != nil {
		n.Step(g.now, w.from, w.m)
		g.take(w.to)
	}
}

// sync makes the first n written records of a node durable.
func (g *group) sync(id NodeID, n int) {
	b := g.box(id)
	n = min(n, len(b.disk.pending))
	if n > 0 {
		upto := b.disk.sync(n)
		g.printf(id, "durable #%d", upto)
		g.up(id).Durable(g.now, upto)
		g.take(id)
	}
}

// stabilize syncs and delivers until nothing is left to do among some nodes.
func (g *group) stabilize(ids []NodeID) {
	for busy := true; busy; {
		busy = false
		for _, id := range ids {
			if b := g.box(id); b.node != nil && len(b.disk.pending) > 0 {
				busy = true
				g.sync(id, len(b.disk.pending))
			}
			for _, to := range ids {
				for _, w := range g.picked(id, to, "", len(g.bag)) {
					busy = true
					g.deliver(w)
				}
			}
		}
	}
}

// snapshot makes a snapshot of a node durable, and truncates.
func (g *group) snapshot(id NodeID, slot, below Slot) {
	b := g.box(id)
	b.disk.snapshot(Handle{Slot: slot, Members: b.cfg.Members}, below)
	g.up(id).Truncate(g.now, below)
	g.take(id)
}

// install gives a node a snapshot, which is durable by then.
func (g *group) install(id NodeID, slot Slot) {
	b := g.box(id)
	h := Handle{Slot: slot, Members: b.cfg.Members}
	b.disk.snapshot(h, slot+1)
	g.printf(id, "installed %t", g.up(id).Installed(g.now, h))
	b.delivered = append(b.delivered, Entry{Slot: slot, Value: Batch([]byte("snapshot"))})
	g.take(id)
}
