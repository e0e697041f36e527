package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

func TestWhatAnotherProgramProposedIsUnknown(t *testing.T) {
	call := string(Append(nil, Call{Guard: 1, Session: 300, Seq: 2, AckedThrough: 1, Op: api.Get{Key: "k"}}))
	node := string(Append(nil, NodeCommand{Guard: 1, Session: 300, Seq: 2, AckedThrough: 1, Op: Fail{Code: api.NotFound}}))
	for name, c := range map[string]struct{ raw, want string }{
		"an older version": {"\x02" + call[1:], "a command of version 2"},
		"a newer version":  {"\x04Z", "a command of version 4"},
		"a version alone":  {"\x04", "a command of version 4"},
		"a kind":           {"\x03Z\x01\x02", "a command of kind 'Z'"},
		"an op":            {call[:7] + "\xc8" + call[8:], "operation 200 of a command of kind 'C'"},
		"a node operation": {node[:7] + "\x0f" + node[8:], "operation 15 of a command of kind 'A'"},
	} {
		err := CheckKnown(c.raw)
		require.ErrorIs(t, err, ErrUnknown, name)
		require.ErrorContains(t, err, c.want, name)
	}
	for name, raw := range map[string]string{
		"a call": call, "a node command": node, "nothing": "", "a version": "\x03", "cut short": "\x03C\x01\x01", "cut in a number": "\x03A\x01\xff",
		"no operation": call[:7], "bytes too many": call + "x",
	} {
		require.NoError(t, CheckKnown(raw), name)
	}
}

// CheckKnown knows every kind of the codec: a kind that is missing there would stop all replicas.
func TestAllKindsAreKnown(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "codec.go", nil, 0)
	require.NoError(t, err)
	n := 0
	ast.Inspect(file, func(x ast.Node) bool {
		spec, ok := x.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "kind") {
			return true
		}
		n++
		kind := spec.Values[0].(*ast.BasicLit).Value
		require.NoError(t, CheckKnown("\x03"+strings.Trim(kind, "'")), spec.Names[0].Name)
		return true
	})
	require.Equal(t, len(kinds), n)
}
