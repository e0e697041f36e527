package handle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

// Each invariant of the table is shown to fail.
func TestTheAuditFindsWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		want string
		do   func(x *Table, sh *shelf, h Handle)
	}{
		"a handle too many counted": {"I-H1", func(x *Table, _ *shelf, _ Handle) { x.total++ }},
		"more than the total":       {"I-H1", func(x *Table, _ *shelf, _ Handle) { x.limits.Total = 0 }},
		"more than a session may":   {"I-H1", func(x *Table, _ *shelf, _ Handle) { x.limits.PerSession = 0 }},
		"of another session":        {"I-H2", func(_ *Table, sh *shelf, h Handle) { sh.open[h.ID].Session++ }},
		"without a right":           {"I-H2", func(_ *Table, sh *shelf, h Handle) { sh.open[h.ID].Rights = 0 }},
		"never given out":           {"I-H2", func(x *Table, _ *shelf, _ Handle) { x.given = 0 }},
		"a tie never made": {"I-H2", func(_ *Table, sh *shelf, h Handle) {
			sh.open[h.ID].Fence, sh.open[h.ID].Tie = api.Sequencer{Node: h.Node, Mode: api.Shared, Gen: 1}, Tie{5, 1}
		}},
		"of a later epoch":         {"I-H2", func(x *Table, _ *shelf, _ Handle) { x.epoch = 4 }},
		"a call that was seen":     {"I-H3", func(_ *Table, sh *shelf, _ Handle) { sh.seen = 1 }},
		"a call beyond the window": {"I-H3", func(_ *Table, sh *shelf, h Handle) { sh.calls[api.MaxWindow+1] = h.ID }},
		"a call of an older epoch": {"I-H3", func(_ *Table, sh *shelf, _ Handle) { sh.calls[2] = api.HandleID{Epoch: 4, Counter: 1} }},
		"open and closed":          {"I-H4", func(_ *Table, sh *shelf, h Handle) { sh.gone[h.ID] = struct{}{} }},
		"closed in this epoch": {"I-H4", func(_ *Table, sh *shelf, _ Handle) {
			sh.gone[api.HandleID{Epoch: 5, Counter: 9}] = struct{}{}
		}},
		"shut and remembering": {"I-H4", func(_ *Table, sh *shelf, _ Handle) {
			sh.gone[api.HandleID{Epoch: 4, Counter: 9}], sh.shut = struct{}{}, true
		}},
		"an opener too many":   {"I-H5", func(x *Table, _ *shelf, h Handle) { x.opens[h.Node]++ }},
		"openers of no handle": {"I-H5", func(x *Table, _ *shelf, _ Handle) { x.opens[api.Ref{Instance: 9}] = 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := NewSealer(Secret{1})
			require.NoError(t, err)
			x := New(5, s, Limits{PerSession: 1, Total: 1, Closed: 1})
			_, h, v := x.Open(Opening{Session: 1, Seq: 1, Node: api.Ref{Instance: 1}, Kind: api.Directory, Ephemeral: true, Rights: api.RightRead})
			require.Equal(t, Good, v)
			require.NoError(t, x.Audit())
			c.do(x, x.shelves[1], h)
			require.ErrorContains(t, x.Audit(), c.want)
		})
	}
}
