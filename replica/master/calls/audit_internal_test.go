package calls

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

// The audit finds each invariant of the package comment when it is broken.
func TestAuditFinds(t *testing.T) {
	busy := func() (*Table, *Call) {
		table := New()
		table.Ack(7, 3)
		kept := table.Await(Key{Session: 7, Seq: 6}, Destination{})
		table.Keep(kept, api.Result{Code: api.LockHeld})
		c := table.Await(Key{Session: 7, Seq: 5}, Destination{})
		table.Propose(c, Attempt{Kind: Opens})
		table.Enqueue(c.Key, "ann")
		require.NoError(t, table.Audit())
		require.NoError(t, table.AuditCommands(1))
		return table, c
	}
	for what, c := range map[string]struct {
		want  string
		spoil func(t *Table, c *Call)
	}{
		"calls that are not counted":   {"I-C1: counted", func(t *Table, _ *Call) { t.totals.proposed++ }},
		"paths that are not counted":   {"I-C1: counted", func(t *Table, _ *Call) { clear(t.totals.opensAt) }},
		"answers that are not counted": {"I-C1: counted", func(t *Table, _ *Call) { t.sessions[7].kept = nil }},
		"Opens of a session":           {"I-C1: of session 7", func(t *Table, _ *Call) { t.sessions[7].counts.opens-- }},
		"an entry that says nothing":   {"has an empty entry", func(t *Table, _ *Call) { t.insert(&Call{Key: Key{Session: 7, Seq: 8}}) }},
		"the entry of another":         {"has the entry of another", func(t *Table, c *Call) { t.sessions[7].calls = []*Call{{Key: c.Key, Awaited: true}, c} }},
		"an answer beyond the window":  {"keeps the answer 300", func(t *Table, _ *Call) { t.Keep(&Call{Key: Key{Session: 7, Seq: 300}}, api.Result{}) }},
		"an answer, acknowledged":      {"I-C2: session 7 has acknowledged 20 and keeps", func(t *Table, _ *Call) { t.acked[7] = 20 }},
		"under way and answered":       {"I-C2: call 6 of session 7 is held and was answered", func(t *Table, _ *Call) { t.Hold(t.Await(Key{Session: 7, Seq: 6}, Destination{}), api.Path{}) }},
		"a wait that was given up":     {"and call 2 is parked", func(t *Table, _ *Call) { t.Park(&Call{Key: Key{Session: 7, Seq: 2}}) }},
		"a call without its command":   {"I-C3: call 5 of session 7 is proposed and has no command", func(t *Table, c *Call) { t.place(c, Nowhere) }},
		"a queue that has more":        {"I-C3: 0 commands of calls are in the queue, which holds 1", func(t *Table, c *Call) { t.Take(c.Key) }},
	} {
		table, call := busy()
		c.spoil(table, call)
		err := table.Audit()
		if err == nil {
			err = table.AuditCommands(1)
		}
		require.ErrorContains(t, err, c.want, what)
	}
}
