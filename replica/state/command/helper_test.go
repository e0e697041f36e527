package command_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// cell is a replica reduced to its rows: it applies one command a slot.
type cell struct {
	t  require.TestingT
	db *db.DB
}

func newCell(t require.TestingT) *cell { return &cell{t, db.New()} }

func (c *cell) raw(b string) command.Applied {
	tx := c.db.Begin()
	a := command.Apply(tx, b)
	tx.Commit()
	return a
}

func (c *cell) apply(cmd command.Command) command.Applied {
	return c.raw(string(command.Append(nil, cmd)))
}

// epoch begins the next epoch.
func (c *cell) epoch() api.Epoch {
	n := uint64(rows.GetEpoch(c.db).Number) + 1
	a := c.apply(command.Epoch{Master: 1, Ballot: rows.Ballot{Round: n, Node: 1}})
	require.Equal(c.t, command.Executed, a.Verdict)
	return rows.GetEpoch(c.db).Number
}

// open opens a session without a principal in the present epoch.
func (c *cell) open(nonce uint64) api.SessionID { return c.openAs(nonce, "") }

func (c *cell) openAs(nonce uint64, who api.Principal) api.SessionID {
	a := c.apply(command.Call{Guard: c.guard(), Op: api.OpenSession{Nonce: api.Nonce{nonce}}, Principal: who})
	require.Equal(c.t, api.OK, a.Result.Code)
	return a.Result.Session
}

func (c *cell) guard() api.Epoch { return rows.GetEpoch(c.db).Number }

// user reads a user row directly, without a command.
func (c *cell) user(key string) string {
	value, ok := c.db.Get(rows.UserKey(key))
	if !ok {
		return "<none>"
	}
	return value
}

// world is a founded cell in its first epoch, with a session of ann's and one of
// bob's. Every principal may do anything in it, except below /acl, and the nodes
// whose names say otherwise.
type world struct {
	*cell
	ann, bob api.SessionID
	seq      map[api.SessionID]api.Seq
}

func newWorld(t testing.TB) *world {
	w := &world{cell: newCell(t), seq: map[api.SessionID]api.Seq{}}
	w.epoch()
	require.Equal(t, command.Executed, w.apply(command.Found{Guard: 1, Founding: founding(), Secret: [32]byte{1}}).Verdict)
	w.ann, w.bob = w.openAs(1, "ann"), w.openAs(2, "bob")
	return w
}

func founding() tree.Founding {
	all := api.ACLNames{Read: "all", Write: "all", Change: "all"}
	return tree.Founding{Root: all, ACL: all, Limits: tree.DefaultLimits(), Files: []tree.FoundingFile{
		{Name: "all", Contents: "*\n"}, {Name: "ann", Contents: "ann\n"}, {Name: "bob", Contents: "bob\n"},
	}}
}

// next makes the next call of a session.
func (w *world) next(id api.SessionID, d command.NodeOp) command.NodeCommand {
	w.seq[id]++
	return command.NodeCommand{Guard: w.guard(), Session: id, Seq: w.seq[id], Op: d}
}

// act applies a node operation. All rows must pass the audit after it.
func (w *world) act(id api.SessionID, d command.NodeOp) command.Applied {
	a := w.apply(w.next(id, d))
	require.NoError(w.t, command.Audit(w.db))
	return a
}

// code is act, and returns only the code.
func (w *world) code(id api.SessionID, d command.NodeOp) api.Code { return w.act(id, d).Result.Code }

// make makes a node of ann's.
func (w *world) make(where string, kind api.NodeKind) api.Ref {
	return w.made(w.ann, command.OpenNode{Path: path(where), Rights: api.RightRead, Create: api.CreateMust, Kind: kind})
}

func (w *world) made(id api.SessionID, d command.OpenNode) api.Ref {
	a := w.act(id, d)
	require.Equal(w.t, api.OK, a.Result.Code)
	return a.Result.Detail.(api.Opened).Node
}

// handle is one of the handles that a master gave out.
func handle(n uint64) api.HandleID { return api.HandleID{Epoch: 1, Counter: n} }

// some returns commands of each kind that has a guard, with each node operation, about the file n; most of
// them would be executed. All node commands are of ann's session.
func (w *world) some(n api.Ref) (all []command.Command) {
	g, h := w.guard(), handle(1)
	names := api.ACLNames{Read: "all", Write: "ann", Change: "ann"}
	for _, d := range []command.NodeOp{
		command.OpenNode{Path: path("/new"), Rights: api.RightRead, Create: api.CreateMust, Kind: api.File, Ephemeral: true, Contents: "v"},
		command.OpenNode{Path: n.Path, Rights: api.RightWrite},
		command.GetContents{Node: n},
		command.GetStat{Node: n},
		command.ReadDir{Node: n},
		command.SetContents{Node: n, Contents: "new"},
		command.SetACL{Node: n, Names: names},
		command.Acquire{Node: n, Handle: h, Mode: api.Shared, Delay: 7},
		command.Release{Node: n, Handle: h, Acquisition: 8},
		command.CancelAcquire{Node: n, Handle: h, Call: w.seq[w.ann] + 1},
		command.CloseHandle{Node: n, Handle: h},
		command.GetSequencer{Node: n, Handle: h},
		command.CheckSequencer{Node: n, Sequencer: api.Sequencer{Node: n, Mode: api.Shared, Gen: 6}},
		command.Fail{Code: api.HandleClosed},
		command.DeleteNode{Node: n},
	} {
		all = append(all, w.next(w.ann, d))
	}
	return append(all, command.Found{Guard: g, Founding: founding(), Secret: [32]byte{1}},
		command.Expire{Guard: g, Session: w.bob},
		command.FailHandle{Guard: g, Session: w.ann, Handle: h},
		command.DelayOver{Guard: g, Node: n, Freed: 9},
		command.Sweep{Guard: g, Node: n},
		command.LongestLease{Guard: g, Lease: time.Second},
		command.ConfirmLeadership{Guard: g},
		command.Backup{Guard: g, Done: rows.Backup{Slot: 1 << 40}},
		command.SetLimits{Guard: g, Nodes: tree.Limits{Principal: tree.Usage{Nodes: 8}}, Sessions: 9},
		command.Constant{Guard: g, Name: "n", Value: "v"},
		command.Call{Guard: g, Session: w.bob, Seq: 1, Op: api.Put{Key: "k"}},
		command.Call{Guard: g, Op: api.OpenSession{Nonce: api.Nonce{77}}})
}
