package driver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
)

// Messages of package paxos have a form in each version; transfers and sums have one form in all.
func TestWhatGoesToPeersHasAFormInEachVersion(t *testing.T) {
	m := paxos.AppendMessage(nil, paxos.Fetch{Slots: paxos.Range{From: 1, To: 2}})
	for v := paxos.OldestWireVersion; v <= paxos.NewestWireVersion; v++ {
		old, err := driver.Translate(m, v)
		require.NoError(t, err)
		require.Equal(t, v, old[0])
		got, err := paxos.DecodeMessage(string(old))
		require.NoError(t, err)
		require.Equal(t, paxos.Fetch{Slots: paxos.Range{From: 1, To: 2}}, got)
	}
	for _, one := range [][]byte{driver.AppendTransfer(nil, driver.AskSum{Slot: 7}), driver.AppendSumReport(nil, core.SumReport{Slot: 7})} {
		same, err := driver.Translate(one, paxos.OldestWireVersion-1)
		require.NoError(t, err)
		require.Equal(t, one, same)
	}
	_, err := driver.Translate(m, paxos.NewestWireVersion+1)
	require.ErrorIs(t, err, paxos.ErrMalformed)
	_, err = driver.Translate([]byte{99, 1}, paxos.NewestWireVersion)
	require.ErrorIs(t, err, paxos.ErrMalformed)
	_, err = driver.Translate(nil, paxos.NewestWireVersion)
	require.ErrorIs(t, err, paxos.ErrMalformed)
}
