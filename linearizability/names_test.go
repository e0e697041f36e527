package linearizability

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// stale returns a history in which a read misses a write that had returned. Clients 1 and 2 have names if named.
func stale(named bool) *History[KVInput, KVOutput] {
	r := NewRecorder[KVInput, KVOutput](3)
	if named {
		r.Name(1, "writer c1")
		r.Name(2, "<reader> c2")
		r.Name(3, "")
	}
	for client, in := range []KVInput{Write("a"), Read(), Read()} {
		call := r.Call(int64(client)+1, int64(client)*1000+1000, in)
		out := KVOutput{}
		if client == 2 {
			out = KVOutput{Found: true, Value: "a"}
		}
		r.OK(call, int64(client)*1000+1500, out)
	}
	return r.History()
}

// Reports and the picture name a client by its name if it has one, files by its number.
func TestReportsNameClients(t *testing.T) {
	check := func(named bool) (text, page, file string) {
		var drawn, written bytes.Buffer
		r, err := CheckHistory(Register(), stale(named), Options{Page: &drawn})
		require.NoError(t, err)
		require.Empty(t, r.PageError)
		require.NoError(t, WriteJSONL(&written, Register(), stale(named)))
		return r.Explanation.Text, drawn.String(), written.String()
	}
	text, page, file := check(true)
	require.Contains(t, text, "  #1 <reader> c2: ")
	require.Contains(t, text, "  #0 writer c1: ")
	require.Contains(t, page, `"writer c1: write`)
	require.NotContains(t, page, "<reader>", "a name is no markup")
	plain, plainPage, plainFile := check(false)
	require.Contains(t, plain, "  #1 client 2: ")
	require.NotContains(t, plainPage, `"client 1: write`)
	require.Contains(t, plainPage, `"write`)
	require.Equal(t, plainFile, file, "files have numbers")
	require.Equal(t, plain, strings.NewReplacer("<reader> c2", "client 2", "writer c1", "client 1").Replace(text))
}

// A witness that is wrong names clients, too. The third client of the history has an empty name, which is none.
func TestAWitnessNamesClients(t *testing.T) {
	r := NewRecorder[KVInput, KVOutput](1)
	r.Name(7, "c7")
	call := r.Call(7, 1, Read())
	r.OK(call, 2, KVOutput{Found: true, Value: "never written"})
	r.At(call, Position{Slot: 1})
	v := CheckWitness(Register(), r.History())
	require.Contains(t, v.Violation.Text, "#0 c7: ")
	require.Equal(t, "client 3", stale(true).Names().Of(3))
	require.Panics(t, func() { r.Name(7, "late") })
	busy := NewRecorder[KVInput, KVOutput](1)
	busy.Name(7, "c7")
	busy.Call(7, 1, Read())
	require.PanicsWithValue(t, "linearizability: recorder: c7 (client 7) calls while operation 0 is outstanding", func() { busy.Call(7, 2, Read()) })
}
