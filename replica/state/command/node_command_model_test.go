package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// S5, S8: a command is executed once, however its copies come, and the cell agrees with its twin in
// answers and rows. A listener that is told the effects only knows all holders.
func TestActsAreTheirTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cl := &cell{t: t, db: db.New()}
		cl.apply(command.Epoch{Master: 1, Ballot: rows.Ballot{Round: 1, Node: 1}})
		require.Equal(t, api.OK, cl.apply(command.Found{Guard: 1, Founding: founding(), Secret: [32]byte{1}}).Result.Code)
		w, told, times := newActTwin(), newTold(), map[callName]int{}
		d := &actDraft{T: t, db: cl.db, w: w, next: map[api.SessionID]api.Seq{}, calls: map[api.SessionID][]api.Seq{}}
		for range rapid.IntRange(1, 120).Draw(t, "commands") {
			c := d.command()
			d.sent = append(d.sent, c)
			a := cl.apply(c)
			want, executed := w.apply(c)
			require.Equal(t, want, a.Result, "%#v", c)
			require.Equal(t, executed, a.Verdict == command.Executed, "%#v", c)
			require.EqualValues(t, w.number, a.Number)
			require.NoError(t, command.Audit(cl.db), "%#v", c)
			d.note(a)
			told.hear(t, a)
			if act, ok := c.(command.NodeCommand); ok && executed {
				times[callName{act.Session, act.Seq}]++
			}
			if act, ok := c.(command.NodeCommand); ok && command.IsNodeRead(act.Op) && want.Code != api.Aborted {
				require.Equal(t, want, command.ReadNode(cl.db, act), "behind it, nothing else reads or changes")
			}
		}
		for name, n := range times {
			require.Equal(t, 1, n, "%v was executed %d times", name, n)
		}
		w.same(t, cl.db)
		told.same(t, cl.db)
	})
}

// same compares all that can be read.
func (w *actTwin) same(t *rapid.T, d *db.DB) {
	nodes := 0
	for n, s := range tree.Nodes(d) {
		nodes++
		require.Equal(t, w.stat(n.Path.String()), s)
		if s.Kind == api.File {
			contents, _, _ := tree.Contents(d, n)
			require.Equal(t, w.nodes[n.Path.String()].contents, contents)
		}
	}
	require.Len(t, w.nodes, nodes)
	holds, delays := 0, 0
	for n, l := range w.locks {
		for _, h := range lock.Holders(d, n) {
			require.Equal(t, l.holds[h.Owner], h.Hold)
		}
		holds, delays = holds+len(l.holds), delays+len(l.delays)
	}
	require.Len(t, lock.Holdings(d), holds)
	require.Len(t, lock.Delays(d), delays)
	for _, running := range lock.Delays(d) {
		require.Equal(t, w.lock(running.Lock).delays[running.Freed], running.Length)
	}
	require.EqualValues(t, len(w.seen), rows.GetTotals(d).Sessions)
}
