package events

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/tree"
	"github.com/chubbycell/chubby/sim"
)

// Checker checks events (S13) in one run.
type Checker struct {
	world   *sim.World
	top     api.Number // number of the last command applied
	epoch   api.Epoch  // the one that the last of such commands began
	nodes   map[api.Ref]*history
	held    map[api.HandleID]bool // handles that have held a lock
	watches map[api.Ref][]*Watch
	ended   map[api.SessionID]bool

	// Room says how many events of a node, and of a session, a master keeps until it sends them. In place of more it
	// must say that the client must read again. It is for reports alone; zero: unknown.
	Room struct{ Node, Session int }

	// Counters, for reports and for situations that runs should reach.
	Told, ReadAgain, Replaced, Wanted uint64
}

// New returns the checker of a run that has not begun.
func New(w *sim.World) *Checker {
	return &Checker{
		world: w, nodes: map[api.Ref]*history{}, held: map[api.HandleID]bool{},
		watches: map[api.Ref][]*Watch{}, ended: map[api.SessionID]bool{},
	}
}

// eventKey is what an event tells, without its cause.
type eventKey struct {
	kind   client.EventKind
	child  string
	change client.Change
}

// happened is something that a command did to a node.
type happened struct {
	eventKey
	by  api.Number
	at  time.Duration     // true time of the command
	gen client.ContentGen // of the contents, if they were written
}

// history is what has happened to a node, in order.
type history struct{ all []happened }

// by returns what a command did of this kind.
func (h *history) by(n api.Number, w eventKey) (happened, bool) {
	i, _ := slices.BinarySearchFunc(h.all, n, func(x happened, n api.Number) int { return int(min(1, max(-1, int64(x.by-n)))) })
	for ; i < len(h.all) && h.all[i].by == n; i++ {
		if h.all[i].eventKey == w {
			return h.all[i], true
		}
	}
	return happened{}, false
}

// OnCommand reports a command that was applied for the first time.
func (c *Checker) OnCommand(a *command.Applied) {
	c.top = a.Number
	for _, e := range a.Effects {
		switch e := e.(type) {
		case command.EpochBegan:
			c.epoch = e.Epoch.Number
		case command.SessionEnded:
			c.ended[e.Session] = true
		case command.TreeChanged:
			c.onTree(a.Number, e.Effect)
		case command.LockChanged:
			if g, ok := e.Effect.(lock.Granted); ok {
				c.held[g.Owner.Handle] = true
			}
		}
	}
}

func (c *Checker) onTree(n api.Number, e tree.Effect) {
	switch e := e.(type) {
	case tree.ContentsChanged:
		c.record(e.Node, happened{eventKey: eventKey{kind: client.EventContents}, by: n, gen: e.Gen})
	case tree.LockTaken:
		c.record(e.Node, happened{eventKey: eventKey{kind: client.EventLockAcquired}, by: n})
	case tree.Deleted:
		c.record(e.Node, happened{eventKey: eventKey{kind: client.EventInvalid}, by: n})
	case tree.ChildChanged:
		change := map[tree.Change]client.Change{
			tree.ChildCreated: client.ChildAdded, tree.ChildModified: client.ChildChanged, tree.ChildDeleted: client.ChildRemoved,
		}[e.Change]
		c.record(e.Directory, happened{eventKey: eventKey{client.EventChildren, e.Name, change}, by: n})
	}
}

func (c *Checker) record(n api.Ref, x happened) {
	h := c.nodes[n]
	if h == nil {
		h = &history{}
		c.nodes[n] = h
	}
	x.at = c.world.Now()
	h.all = append(h.all, x)
	for _, w := range c.watches[n] {
		w.owe(x)
	}
}
