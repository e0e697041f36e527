package driver

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
)

func TestSumReportBytes(t *testing.T) {
	r := core.SumReport{Slot: 0x1234, Sum: db.Sum{A: 5, B: 1 << 63}}
	wire := AppendSumReport(nil, r)
	require.Equal(t, "530134120000000000000500000000000000"+"0000000000000080", hex.EncodeToString(wire))
	got, ok := DecodeSumReport(string(wire))
	require.True(t, ok)
	require.Equal(t, r, got)
	_, err := paxos.DecodeMessage(string(wire))
	require.ErrorIs(t, err, paxos.ErrMalformed, "the two kinds of messages have no bytes in common")
}

func FuzzSumReport(f *testing.F) {
	f.Add(string(AppendSumReport(nil, core.SumReport{Slot: 7})))
	f.Add("S")
	f.Fuzz(func(t *testing.T, wire string) {
		if r, ok := DecodeSumReport(wire); ok {
			require.Equal(t, wire, string(AppendSumReport(nil, r)))
		}
	})
}
