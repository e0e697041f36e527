package nodeops_test

import (
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/state/command"
)

// TestTraces compares with testdata/traces: stories of a few calls, with all that is
// answered and proposed. "do" goes on where the last command ended, "new" begins again,
// and "holders" names the holders of the lock of /f.
func TestTraces(t *testing.T) {
	datadriven.Walk(t, "testdata/traces", func(t *testing.T, file string) {
		s := newScript(t)
		datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "new":
				s = newScript(t)
			case "holders":
				return s.holders("/f") + "\n"
			}
			defer func() { require.NoError(t, command.Audit(s.db)) }()
			return s.do(d.Input)
		})
	})
}
