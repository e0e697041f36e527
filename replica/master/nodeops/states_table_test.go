package nodeops_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/state/command"
)

// everything is what ann asks in every state, by the handle f of the file /f.
var everything = []string{
	"ann get f", "ann set f new", "ann names f bob", "ann delete f", "ann dir f",
	"ann acquire f exclusive", "ann acquire f shared", "ann acquire f exclusive wait", "ann acquire f shared wait",
	"ann release f", "ann sequencer f q", "ann attach f q", "ann check f q", "ann cancel f 2", "ann copy 2",
	"ann poison f", "ann close f", "ann open k /f r never", "ann open k /f rw may ephemeral", "ann open k /f r must below f",
	"ann end", "ann expires", "ann presents f",
}

// TestEveryStateMeetsEveryCall compares with testdata/states.txt what Ops answers and
// proposes in each state, with read authority and without, until it proposes nothing
// more, and the holders of the lock then.
func TestEveryStateMeetsEveryCall(t *testing.T) {
	datadriven.RunTest(t, "testdata/states.txt", func(t *testing.T, d *datadriven.TestData) string {
		require.Equal(t, "state", d.Cmd)
		var out strings.Builder
		for _, line := range everything {
			with, without := outcome(t, d.Input, line, "lease on"), outcome(t, d.Input, line, "lease off")
			fmt.Fprintf(&out, "%-30s %s\n", line, with)
			if with != without {
				fmt.Fprintf(&out, "%30s %s\n", "without authority", without)
			}
		}
		return out.String()
	})
}

// outcome returns, on one line, what follows from one line of everything in one state.
func outcome(t *testing.T, state, line, lease string) string {
	s := newScript(t)
	s.do(state)
	s.do(lease)
	said := strings.TrimSpace(s.do(line))
	for len(s.log) > 0 {
		said += "\n; " + strings.TrimSpace(s.do("apply"))
	}
	require.NoError(t, command.Audit(s.db))
	if h := s.holders("/f"); h != "none" {
		said += "\n= " + h
	}
	return strings.ReplaceAll(said, "\n", " ")
}
