package simcmd

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
)

func TestVerifyNamesTheFirstEventThatDiffers(t *testing.T) {
	w := newWorld()
	w.result = outcomes["moody"]
	require.Equal(t, cli.ExitDiffers, w.do("sim", "verify", "--seeds", "1", "-o", "json"))
	var v verified
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &v))
	require.Len(t, v.Differences, 1)
	d := v.Differences[0]
	require.NotEqual(t, d.First, d.Second)
	require.Equal(t, 2, d.Parted.Line, "the first line is the same in all runs of the seed")
	require.NotEqual(t, d.Parted.First, d.Parted.Second)

	require.Equal(t, cli.ExitDiffers, w.do("sim", "verify", "--seeds", "1"))
	require.Contains(t, w.out.String(), "D1 broke: seed 1")
	require.Contains(t, w.out.String(), "the traces part at line 2:\n  - hash ")
}

func TestVerifySaysSoWhenItCannotNameTheEvent(t *testing.T) {
	w := newWorld()
	w.result = func(run int, seed uint64) cell.Result {
		r := clean(seed)
		if run == 1 {
			r.Hash = "another"
		}
		return r
	}
	require.Equal(t, cli.ExitDiffers, w.do("sim", "verify", "--seeds", "1"))
	require.Contains(t, w.out.String(), "two more runs left the same trace")
}
