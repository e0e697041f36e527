package simcmd

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
)

// A seed that breaks a conformance check fails the run, and its report differs from that of a broken property.
func TestConformanceIsToldFromAProperty(t *testing.T) {
	w := newWorld()
	w.result = func(_ int, seed uint64) cell.Result {
		r := clean(seed)
		if seed == 2 {
			r = broken(seed, "S11", "the client on c1 waits for 3")
			r.Breach.Conformance = true
		}
		return r
	}
	require.Equal(t, cli.ExitBroken, w.do("sim", "--seeds", "3", "--max-failures", "0"))
	require.Contains(t, w.out.String(), "conformance S11 broken in 1 seed")
	require.Contains(t, w.out.String(), "seed 2: conformance S11 broke: the client on c1 waits for 3")
	require.Equal(t, cli.ExitBroken, w.do("sim", "--seeds", "3", "--max-failures", "0", "-o", "json"))
	require.Contains(t, w.out.String(), `"conformance": true`)
	require.Equal(t, cli.ExitBroken, w.do("sim", "--seed", "2", "--trace"))
	require.Contains(t, w.err.String(), "conformance S11 broke: the client on c1 waits for 3")
}
