package nodeops_test

import (
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

var secret = [32]byte{1, 31: 2}

// name names a call; all its copies have the same.
type name struct {
	session api.SessionID
	seq     api.Seq
}

// world is a cell of one replica, without its log: the test says when the commands that
// Ops proposes are applied. Every principal may do anything in it, except below /acl and
// with nodes whose ACL names say otherwise.
type world struct {
	t         rapid.TB
	cfg       nodeops.Config
	db        *db.DB
	now       time.Time
	authority bool
	calls     *calls.Table
	ops       *nodeops.Ops
	who       map[api.SessionID]api.Principal
	log       []command.Command   // proposed
	said      func(nodeops.Reply) // called with each answer
	proposed  func(command.Command)
	applied   func(command.Applied) // called before Ops is told
	refuses   func() bool           // whether the log takes nothing
	quiet     bool                  // no audits, which would take too long
}

func newWorld(t rapid.TB, cfg nodeops.Config) *world {
	w := &world{
		t: t, cfg: cfg, db: db.New(), now: time.Unix(1000, 0), authority: true, who: map[api.SessionID]api.Principal{},
		said: func(nodeops.Reply) {}, proposed: func(command.Command) {},
		applied: func(command.Applied) {}, refuses: func() bool { return false },
	}
	w.epoch()
	w.upkeep(command.Found{Guard: 1, Founding: founding(), Secret: secret})
	w.begin()
	w.ops.Serving(w.now)
	return w
}

func founding() tree.Founding {
	all := api.ACLNames{Read: "all", Write: "all", Change: "all"}
	return tree.Founding{Root: all, ACL: all, Limits: tree.DefaultLimits(), Files: []tree.FoundingFile{
		{Name: "all", Contents: "*\n"}, {Name: "ann", Contents: "ann\n"}, {Name: "bob", Contents: "bob\n"},
	}}
}

func (w *world) guard() api.Epoch { return rows.GetEpoch(w.db).Number }

func (w *world) at() nodeops.At {
	at := nodeops.At{Now: w.now, Rows: w.db}
	if w.authority {
		at.Lease = w.now.Add(1)
	}
	return at
}

// epoch begins the next epoch.
func (w *world) epoch() {
	n := uint64(w.guard()) + 1
	require.Equal(w.t, command.Executed, w.apply(command.Epoch{Master: 1, Ballot: rows.Ballot{Round: n, Node: 1}}).Verdict)
}

// begin puts new Ops in place of the old one.
func (w *world) begin() {
	s, err := handle.NewSealer(secret)
	require.NoError(w.t, err)
	w.calls = calls.New()
	w.ops = nodeops.New(w.cfg, w.guard(), s, w.calls, w.at())
}

// failover ends the epoch. Commands that were proposed and not applied are lost, and the new
// Ops does not serve yet.
func (w *world) failover() {
	w.epoch()
	w.log = nil
	w.begin()
}

func (w *world) session(who api.Principal) api.SessionID {
	nonce := api.Nonce{uint64(len(w.who) + 1)}
	id := w.upkeep(command.Call{Guard: w.guard(), Op: api.OpenSession{Nonce: nonce}, Principal: who}).Result.Session
	w.who[id] = who
	return id
}

// upkeep applies a command that Ops has not proposed, and requires that it is executed.
func (w *world) upkeep(c command.Command) command.Applied {
	a := w.apply(c)
	require.Equal(w.t, command.Executed, a.Verdict, "%+v: %v", c, a.Result.Code)
	return a
}

// apply applies a command to the rows, and tells Ops.
func (w *world) apply(c command.Command) command.Applied {
	tx := w.db.Begin()
	a := command.Apply(tx, string(command.Append(nil, c)))
	tx.Commit()
	w.applied(a)
	if w.ops != nil {
		w.ops.Applied(w.at(), a)
		w.take()
	}
	return a
}

// take carries out the output of Ops.
func (w *world) take() {
	out := w.ops.TakeOutput()
	for _, c := range out.Propose {
		w.proposed(c)
	}
	for _, r := range out.Replies {
		w.said(r)
	}
	for _, c := range out.Propose {
		if !w.refuses() {
			w.log = append(w.log, c)
			continue
		}
		w.ops.Refused(w.at(), c, api.Busy)
		w.take()
	}
	if !w.quiet {
		require.NoError(w.t, w.calls.Audit())
		require.NoError(w.t, w.ops.Audit(w.db))
	}
}

// step applies the first command that is proposed.
func (w *world) step() command.Applied {
	c := w.log[0]
	w.log = w.log[1:]
	return w.apply(c)
}

// slot applies all proposed commands as one slot of the log: the rows have all of them
// when Ops is told of the first one.
func (w *world) slot() {
	tx := w.db.Begin()
	var all []command.Applied
	for _, c := range w.log {
		all = append(all, command.Apply(tx, string(command.Append(nil, c))))
	}
	tx.Commit()
	w.log = nil
	for _, a := range all {
		w.applied(a)
		w.ops.Applied(w.at(), a)
	}
	w.take()
}

// drain applies proposed commands until there are none.
func (w *world) drain() {
	for len(w.log) > 0 {
		w.step()
	}
}

// refuse tells Ops that the log does not take the first proposed command.
func (w *world) refuse(code api.Code) {
	c := w.log[0]
	w.log = w.log[1:]
	w.ops.Refused(w.at(), c, code)
	w.take()
}

func (w *world) ask(c calls.Request) {
	c.Principal = w.who[c.Session]
	w.ops.Ask(w.at(), c, calls.Destination{})
	w.take()
}

// pass lets time pass.
func (w *world) pass(d time.Duration) {
	w.now = w.now.Add(d)
	w.ops.Advance(w.at())
	w.take()
}

func path(s string) api.Path {
	p, err := api.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}
