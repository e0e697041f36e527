package master_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// A number names one call, whatever a client asks for under it: a request that arrives while the call is
// under way is a duplicate of it, and gets its answer.
func TestANumberIsOneCallsWhateverIsAskedForUnderIt(t *testing.T) {
	row := func(api.Token) api.Op { return api.Put{Key: "k", Value: "v"} }
	get := func(api.Token) api.Op { return api.Get{Key: "k"} }
	ends := func(api.Token) api.Op { return api.EndSession{} }
	set := func(t api.Token) api.Op { return api.SetContents{Handle: t, Contents: "x"} }
	read := func(t api.Token) api.Op { return api.GetStat{Handle: t} }
	locks := func(t api.Token) api.Op { return api.Acquire{Handle: t, Mode: api.Exclusive, Wait: true} }
	makes := func(api.Token) api.Op {
		return api.Open{Path: "b", Rights: api.RightRead, Create: api.CreateMust, Kind: api.File}
	}
	cancels := func(t api.Token) api.Op { return api.CancelAcquire{Handle: t, Call: 4} }
	for _, c := range []struct {
		name          string
		first, second func(api.Token) api.Op
		byLog         bool // there is no read authority
	}{
		{"a row, then a node", row, set, false},
		{"a node, then a row", set, row, false},
		{"a row, then an Open", row, makes, false},
		{"an Open, then a row", makes, row, false},
		{"the end of the session, then a lock", ends, locks, false},
		{"a lock, then the end of the session", locks, ends, false},
		{"a row, then the end of an Acquire", row, cancels, false},
		{"the end of an Acquire, then a row", cancels, row, false},
		{"a row, then a read of a node", row, read, false},
		{"reads, first of a row, by the log", get, read, true},
		{"reads, first of a node, by the log", read, get, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, s := newNodes(t)
			token := r.file(s, 1, "a")
			if c.byLog {
				r.lease = time.Time{}
			}
			r.request(9, api.Request{ID: 7, Session: s, Seq: 5, AckedThrough: 1, Op: c.first(token)})
			r.request(9, api.Request{ID: 8, Session: s, Seq: 5, AckedThrough: 1, Op: c.second(token)})
			require.Empty(t, r.replies)
			require.Equal(t, 1, r.m.Status().Pending)
			a := r.last()
			require.Equal(t, command.Executed, a.Verdict)
			p := r.reply()
			require.EqualValues(t, 8, p.ID)
			require.Equal(t, a.Result.Code, p.Code)
			require.Zero(t, r.m.Status().Pending)
		})
	}
}
