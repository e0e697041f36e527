package nodeops_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/nodeops"
)

// A path that is relative to a directory may be too long once it is joined. No copy of such an Open is
// ever executed.
func TestARelativeNameMayBeTooLong(t *testing.T) {
	w := newWorld(t, nodeops.DefaultConfig())
	var last nodeops.Reply
	w.said = func(r nodeops.Reply) { last = r }
	id, seq := w.session("ann"), api.Seq(0)
	below := func(dir api.Token, rel string) api.Result {
		seq++
		w.ask(calls.Request{Session: id, Seq: seq, Op: api.Open{
			Dir: dir, Path: rel, Rights: api.RightWrite, Create: api.CreateMust, Kind: api.Directory,
		}})
		w.drain()
		return last.Result
	}
	var dir api.Token
	for range api.MaxDepth - 1 {
		r := below(dir, "d")
		require.Equal(t, api.OK, r.Code)
		dir = r.Detail.(api.Opened).Token
	}
	require.Equal(t, api.Invalid, below(dir, "d/d").Code)
	require.Equal(t, api.Invalid, below(dir, strings.Repeat("d/", 40)+"d").Code)
	require.Equal(t, api.OK, below(dir, "d").Code)
}
