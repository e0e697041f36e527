package simcmd

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

// The numbers of one real seed, and the lists, have lines of at most a hundred columns.
func TestWhatIsPrintedFitsAHundredColumns(t *testing.T) {
	for _, args := range [][]string{
		{"sim", "list"},
		{"sim", "--seed", "5", "--duration", "2s", "--faults", "all", "-v"},
		{"sim", "--seed", "5", "--duration", "1s", "--faults", "none"},
		{"sim", "--seeds", "1", "--duration", "60s", "--clients", "1", "--replicas", "3", "-v"},
	} {
		w := real()
		if args[1] == "--seeds" {
			w = newWorld()
		}
		require.Equal(t, cli.ExitClean, w.do(args...), w.err.String())
		require.NotEmpty(t, w.out.String())
		for line := range strings.Lines(w.out.String()) {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), width, line)
		}
	}
}

// The trace has lines of machines after the clients, so --node takes them.
func TestNodeTakesAMachineAfterTheClients(t *testing.T) {
	w := newWorld()
	require.Equal(t, cli.ExitClean, w.do("sim", "--seed", "3", "--trace", "--node", "c5", "--replicas", "3", "--clients", "4", "--workload", "fenced"), w.err.String())
	require.Contains(t, w.out.String(), "\n# c5 is the server outside of the cell, which checks sequencers\n")
}
