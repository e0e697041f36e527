package paxos

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// Each file of testdata is one claim of the papers, played on nodes whose
// messages, disks and clock move only by its commands:
//
//	cluster nodes=N [window=N] [page=N] [batch=N] [show=(KIND...)]   all up, empty, booted
//	        [lease=DURATION] [rho=PPM]
//	campaign N                     the election time-out of N runs out
//	propose N COMMAND...           clients ask N
//	resign N                       an operator asks N to step down
//	deliver A->B [KIND] [n=N]      messages in flight arrive, in the order sent
//	drop A->B [KIND] [n=N]         they are lost
//	dup A->B [KIND] [n=N]          they are in flight twice
//	disk N [n=N]                   the disk of N syncs what it was given, or the first n
//	crash N, restart N [sync=no]   what was not synced is lost
//	        [lease=DURATION]       N is configured with another Grant from now on
//	tick DURATION [N...]           time passes
//	stabilize [N...]               all disks and messages among N... until nothing moves;
//	                               prints what was chosen and who leads
//	state, log N                   who does what; what the disk of N holds, * not synced
//	snapshot N slot=S [below=B]    N has a snapshot of slot S, and forgets the slots below
//	                               B (S+1), in memory and on disk
//	install N slot=S               N is given a snapshot of slot S from elsewhere
//	lose N slot=S                  the disk of N loses the value of its vote (N is down)
//	expect                         what must be true, whatever the lines say (-rewrite
//	                               does not touch it), one a line:
//	    N leads | campaigns | follows       N log 1=a 2=noop    chosen and handed out
//	    N promised B                        N vote S=VALUE@B | S=none
//	    flies A->B KIND                     absent A->B KIND
//	    N holds DURATION | N holds not      N has read authority for so much longer
//
// Every file ends, or is interrupted by, its negative half: what must not happen.
// Boot numbers and heartbeats are shown only where a claim is about them.
func TestGoldenTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			var g *group
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
				if d.Cmd == "cluster" {
					g = cluster(t, d)
					return "ok"
				}
				g.t, g.out = t, nil
				g.command(d)
				if len(g.out) == 0 {
					return "ok"
				}
				return strings.Join(g.out, "\n")
			})
		})
	}
}

func cluster(t *testing.T, d *datadriven.TestData) *group {
	g := &group{t: t}
	nodes := g.number(d, "nodes", 3)
	g = newGroup(t, nodes, func(c *Config) {
		c.PageVotes = g.number(d, "page", 100)
		c.Window = g.number(d, "window", 100)
		c.MaxBatchCommands = g.number(d, "batch", 1)
		c.Lease = Lease{Grant: g.duration(d, "lease"), Rho: PPM(g.number(d, "rho", 0))}
	})
	for _, a := range d.CmdArgs {
		if a.Key == "show" {
			g.show = a.Vals
		}
	}
	return g
}

func (g *group) command(d *datadriven.TestData) {
	switch d.Cmd {
	case "campaign":
		n := g.up(g.ids(d)[0])
		n.Campaign(g.now)
		g.take(n.cfg.ID)
	case "propose":
		g.propose(d)
	case "resign":
		n := g.up(g.ids(d)[0])
		n.Resign(g.now)
		g.take(n.cfg.ID)
	case "deliver":
		for _, w := range g.choose(d) {
			g.deliver(w)
		}
	case "drop":
		for _, w := range g.choose(d) {
			g.printf(w.from, "dropped %v -> %d", w.m, w.to)
		}
	case "dup":
		for _, w := range g.choose(d) {
			g.bag = append(g.bag, w, w)
		}
	case "disk":
		g.sync(g.ids(d)[0], g.number(d, "n", 1<<20))
	case "crash":
		g.crash(g.ids(d)[0])
	case "restart":
		if d.HasArg("lease") {
			g.box(g.ids(d)[0]).cfg.Lease.Grant = g.duration(d, "lease")
		}
		g.start(g.ids(d)[0], !d.HasArg("sync"))
	case "tick":
		g.tick(d)
	case "stabilize":
		g.stabilize(g.ids(d))
		g.out = slices.DeleteFunc(g.out, func(l string) bool {
			return !strings.Contains(l, " chosen slot") && !strings.Contains(l, " tenure ")
		})
	case "state":
		g.state()
	case "log":
		g.log(g.ids(d)[0])
	case "snapshot":
		slot := g.number(d, "slot", 0)
		g.snapshot(g.ids(d)[0], Slot(slot), Slot(g.number(d, "below", slot+1)))
	case "install":
		g.install(g.ids(d)[0], Slot(g.number(d, "slot", 0)))
	case "lose":
		g.lose(g.ids(d)[0], Slot(g.number(d, "slot", 0)))
	case "expect":
		for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
			g.expect(strings.Fields(line))
		}
	default:
		require.Fail(g.t, "unknown command", "%s: %s", d.Pos, d.Cmd)
	}
}

// ids are the arguments that are numbers; all running nodes if there are none.
func (g *group) ids(d *datadriven.TestData) (ids []NodeID) {
	for _, a := range d.CmdArgs {
		if x, err := strconv.Atoi(a.Key); err == nil {
			ids = append(ids, NodeID(x))
		}
	}
	if len(ids) > 0 {
		return ids
	}
	for i, b := range g.boxes {
		if b.node != nil {
			ids = append(ids, NodeID(i+1))
		}
	}
	return ids
}

// number is the value of an argument KEY=NUMBER.
func (g *group) number(d *datadriven.TestData, key string, otherwise int) int {
	for _, a := range d.CmdArgs {
		if a.Key == key {
			x, err := strconv.Atoi(a.SingleVal(g.t))
			require.NoError(g.t, err, d.Pos)
			return x
		}
	}
	return otherwise
}

// duration is the value of an argument KEY=DURATION, or 0.
func (g *group) duration(d *datadriven.TestData, key string) (by time.Duration) {
	for _, a := range d.CmdArgs {
		if a.Key == key {
			var err error
			by, err = time.ParseDuration(a.SingleVal(g.t))
			require.NoError(g.t, err, d.Pos)
		}
	}
	return by
}

// choose takes the messages a command names out of the bag; there must be some.
func (g *group) choose(d *datadriven.TestData) (ws []wire) {
	kind, n := "", g.number(d, "n", 1<<20)
	for _, a := range d.CmdArgs {
		if len(a.Vals) == 0 && !strings.Contains(a.Key, "->") {
			kind = a.Key
		}
	}
	for _, a := range d.CmdArgs {
		if from, to, ok := link(a.Key); ok {
			picked := g.picked(from, to, kind, n)
			require.NotEmpty(g.t, picked, "%s: no %s in flight on %s", d.Pos, kind, a.Key)
			ws = append(ws, picked...)
		}
	}
	return ws
}

func link(s string) (from, to NodeID, ok bool) {
	n, err := fmt.Sscanf(s, "%d->%d", &from, &to)
	return from, to, err == nil && n == 2
}

func (g *group) propose(d *datadriven.TestData) {
	id := g.ids(d)[0]
	for _, a := range d.CmdArgs[1:] {
		if err := g.up(id).Propose(g.now, []byte(a.Key)); err != nil {
			g.printf(id, "refuses %s: %v", a.Key, err)
		}
	}
	g.take(id)
}

func (g *group) tick(d *datadriven.TestData) {
	by, err := time.ParseDuration(d.CmdArgs[0].Key)
	require.NoError(g.t, err)
	g.now = g.now.Add(by)
	for _, id := range g.ids(d) {
		g.up(id).Advance(g.now)
		g.take(id)
	}
}

func (g *group) state() {
	for i, b := range g.boxes {
		id := NodeID(i + 1)
		if b.node == nil {
			g.printf(id, "down")
			continue
		}
		s := b.node.Status()
		what := "no leader"
		switch {
		case s.Role != Follower:
			what = fmt.Sprintf("%v at %v", s.Role, s.Ballot)
		case s.Leader != 0:
			what = fmt.Sprintf("follows %d", s.Leader)
		}
		g.printf(id, "%s, promised %v, open %d, pending %d", what, s.Promised, s.FirstOpen, s.Pending)
	}
}

func (g *group) log(id NodeID) {
	d := &g.box(id).disk
	g.printf(id, "promised %v", d.rec.Promise)
	for _, r := range d.rec.Records {
		g.printf(id, "  %v", r)
	}
	for i, r := range d.pending {
		g.printf(id, "* #%d %v", d.first+LSN(i), r)
	}
}

func (g *group) lose(id NodeID, s Slot) {
	require.Nil(g.t, g.box(id).node, "node %d is up: a disk is read at start", id)
	found := false
	for i, r := range g.box(id).disk.rec.Records {
		if v, ok := r.(Voted); ok && v.Slot == s {
			found = true
			u := Unreadable{Slot: s, Ballot: v.Ballot}
			g.box(id).disk.rec.Records[i] = u
			g.printf(id, "%v", u)
		}
	}
	require.True(g.t, found, "node %d has no vote in slot %d", id, s)
}

// expect fails unless one claim is true.
func (g *group) expect(words []string) {
	claim := strings.Join(words, " ")
	if from, to, ok := link(words[1]); ok {
		flies := slices.ContainsFunc(g.bag, func(w wire) bool {
			return w.from == from && w.to == to && strings.HasPrefix(fmt.Sprint(w.m), strings.Join(words[2:], " "))
		})
		require.Equal(g.t, words[0] == "flies", flies, claim)
		return
	}
	id, err := strconv.Atoi(words[0])
	require.NoError(g.t, err, claim)
	b := g.box(NodeID(id))
	roles := map[string]Role{"leads": Leader, "campaigns": Candidate, "follows": Follower}
	switch words[1] {
	case "leads", "campaigns", "follows":
		require.Equal(g.t, roles[words[1]], b.node.Status().Role, claim)
	case "holds":
		left := b.node.Lease().Sub(g.now)
		if words[2] == "not" {
			require.False(g.t, g.now.Before(b.node.Lease()), "%s: it does, for %v", claim, left)
			return
		}
		require.Equal(g.t, words[2], left.String(), claim)
	case "promised":
		require.Equal(g.t, words[2], b.node.Status().Promised.String(), claim)
	case "log":
		var got []string
		for _, e := range b.delivered {
			got = append(got, fmt.Sprintf("%d=%s", e.Slot, g.name(e.Value)))
		}
		require.Equal(g.t, words[2:], append([]string{}, got...), claim)
	case "vote":
		require.Equal(g.t, words[2], g.vote(b.node, words[2]), claim)
	default:
		require.Fail(g.t, "unknown claim", claim)
	}
}

// vote prints a node's vote in the slot that claim begins with.
func (g *group) vote(n *Node, claim string) string {
	var s Slot
	_, err := fmt.Sscanf(claim, "%d=", &s)
	require.NoError(g.t, err)
	v := n.acceptor.votes.get(s)
	switch {
	case v == nil || v.ballot.IsZero():
		return fmt.Sprintf("%d=none", s)
	case v.lost:
		return fmt.Sprintf("%d=lost@%v", s, v.ballot)
	}
	return fmt.Sprintf("%d=%s@%v", s, g.name(v.value), v.ballot)
}
