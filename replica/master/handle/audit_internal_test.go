package handle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

// The audit finds each invariant of the table when it is broken.
func TestTheAuditFindsWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		want string
		do   func(x *Table, of *session, h Handle)
	}{
		"a handle too many counted": {"I-H1", func(x *Table, _ *session, _ Handle) { x.total++ }},
		"more than the total":       {"I-H1", func(x *Table, _ *session, _ Handle) { x.limits.Total = 0 }},
		"more than a session may":   {"I-H1", func(x *Table, _ *session, _ Handle) { x.limits.PerSession = 0 }},
		"of another session":        {"I-H2", func(_ *Table, of *session, h Handle) { of.open[0].Session++ }},
		"without a right":           {"I-H2", func(_ *Table, of *session, h Handle) { of.open[0].Rights = 0 }},
		"never given out":           {"I-H2", func(x *Table, _ *session, _ Handle) { x.given = 0 }},
		"a tie never made": {"I-H2", func(_ *Table, of *session, h Handle) {
			of.open[0].Fence, of.open[0].Tie = api.Sequencer{Node: h.Node, Mode: api.Shared, Gen: 1}, Tie{5, 1}
		}},
		"of a later epoch":         {"I-H2", func(x *Table, _ *session, _ Handle) { x.epoch = 4 }},
		"a call that was seen":     {"I-H3", func(_ *Table, of *session, _ Handle) { of.seen = 1 }},
		"a call beyond the window": {"I-H3", func(_ *Table, of *session, h Handle) { of.calls.put(givenOut{api.MaxWindow + 1, h.ID}) }},
		"a call of an older epoch": {"I-H3", func(_ *Table, of *session, _ Handle) { of.calls.put(givenOut{2, api.HandleID{Epoch: 4, Counter: 1}}) }},
		"open and closed":          {"I-H4", func(_ *Table, of *session, h Handle) { of.gone = map[api.HandleID]struct{}{h.ID: {}} }},
		"closed in this epoch": {"I-H4", func(_ *Table, of *session, _ Handle) {
			of.gone = map[api.HandleID]struct{}{{Epoch: 5, Counter: 9}: {}}
		}},
		"shut and remembering": {"I-H4", func(_ *Table, of *session, _ Handle) {
			of.gone, of.shut = map[api.HandleID]struct{}{{Epoch: 4, Counter: 9}: {}}, true
		}},
		"an opener too many": {"I-H5", func(x *Table, _ *session, h Handle) { x.openers[h.Node]++ }},
		"a watcher too few":  {"I-H6", func(x *Table, _ *session, h Handle) { x.watchers.remove(h) }},
		"a watcher too many": {"I-H6", func(x *Table, _ *session, h Handle) {
			h.ID.Counter++
			x.watchers.add(h)
		}},
		"a poisoned watcher":   {"I-H6", func(_ *Table, of *session, h Handle) { of.open[0].poisoned = true }},
		"openers of no handle": {"I-H5", func(x *Table, _ *session, _ Handle) { x.openers[api.Ref{Instance: 9}] = 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := NewSealer(Secret{1})
			require.NoError(t, err)
			x := New(5, s, Limits{PerSession: 1, Total: 1, Closed: 1})
			_, h, v := x.Open(Opening{Session: 1, Seq: 1, Node: api.Ref{Instance: 1}, Kind: api.Directory, Ephemeral: true, Rights: api.RightRead, Events: api.WantContents})
			require.Equal(t, Good, v)
			require.NoError(t, x.Audit())
			c.do(x, x.sessions[1], h)
			require.ErrorContains(t, x.Audit(), c.want)
		})
	}
}

// Once handles have been closed, the limit holds again for all: no other handle gets the room beyond it
// that Keep has used.
func TestTheBoundFallsWhenWhatIsKeptFitsAgain(t *testing.T) {
	s, err := NewSealer(Secret{1})
	require.NoError(t, err)
	old := New(4, s, Limits{PerSession: 9, Total: 9, Closed: 9})
	x := New(5, s, Limits{PerSession: 9, Total: 2, Closed: 9})
	var tokens []api.Token
	for seq := api.Seq(1); seq <= 4; seq++ {
		token, _, _ := old.Open(Opening{Session: 1, Seq: seq, Node: api.Ref{Instance: 1}, Kind: api.File, Rights: api.RightRead})
		tokens = append(tokens, token)
		_, v := x.Keep(1, token)
		require.Equal(t, Good, v)
		require.NoError(t, x.Audit())
	}
	one := Handle{ID: api.HandleID{Epoch: 4, Counter: 9}, Session: 1, Node: api.Ref{Instance: 1}, Kind: api.File, Rights: api.RightRead}
	for _, within := range []bool{false, false, true, true} {
		_, v := x.Close(1, tokens[0])
		require.Equal(t, Good, v)
		tokens = tokens[1:]
		require.NoError(t, x.Audit())
		x.put(x.session(1), one) // even if there is no room
		if within {
			require.NoError(t, x.Audit(), "%d open", x.total)
		} else {
			require.ErrorContains(t, x.Audit(), "I-H1", "%d open", x.total)
		}
		x.drop(x.session(1), one)
		require.NoError(t, x.Audit())
	}
}
