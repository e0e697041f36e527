package command_test

import (
	"encoding/hex"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/command"
	"github.com/chubbycell/chubby/replica/rows"
)

// The bytes are a contract: they stand in logs.
var golden = []struct {
	hex string
	cmd command.Command
}{
	{"02" + "45" + "03" + "ac02" + "03", command.Epoch{Master: 3, Ballot: rows.Ballot{Round: 300, Node: 3}}},
	{"02" + "45" + "ffffffff0f" + "ffffffffffffffffff01" + "ffffffff0f", command.Epoch{Master: math.MaxUint32, Ballot: rows.Ballot{Round: math.MaxUint64, Node: math.MaxUint32}}},
	{"02" + "43" + "07" + "00" + "00" + "00" + "01" + "05" + "06" + "00", command.Call{Guard: 7, Op: api.OpenSession{Nonce: api.Nonce{5, 6}}}},
	{"02" + "43" + "07" + "00" + "00" + "00" + "01" + "05" + "06" + "03616e6e", command.Call{Guard: 7, Op: api.OpenSession{Nonce: api.Nonce{5, 6}}, Principal: "ann"}},
	{"02" + "43" + "07" + "05" + "09" + "08" + "02", command.Call{Guard: 7, Session: 5, Seq: 9, Seen: 8, Op: api.EndSession{}}},
	{"02" + "43" + "07" + "05" + "09" + "08" + "03" + "016b", command.Call{Guard: 7, Session: 5, Seq: 9, Seen: 8, Op: api.Get{Key: "k"}}},
	{"02" + "43" + "07" + "05" + "09" + "08" + "04" + "016b" + "0176", command.Call{Guard: 7, Session: 5, Seq: 9, Seen: 8, Op: api.Put{Key: "k", Value: "v"}}},
	{"02" + "43" + "07" + "05" + "09" + "00" + "05" + "016b", command.Call{Guard: 7, Session: 5, Seq: 9, Op: api.Delete{Key: "k"}}},
	{"02" + "43" + "07" + "05" + "09" + "00" + "06" + "016b" + "01" + "00" + "0176", command.Call{Guard: 7, Session: 5, Seq: 9, Op: api.CompareAndSet{Key: "k", Absent: true, Value: "v"}}},
	{"02" + "43" + "07" + "05" + "09" + "00" + "07" + "02672f", command.Call{Guard: 7, Session: 5, Seq: 9, Op: api.List{Prefix: "g/"}}},
	{"02" + "4b" + "07" + "0372686f" + "03353030", command.Constant{Guard: 7, Name: "rho", Value: "500"}},
	{"02" + "53", command.Checksum{}},
}

func TestTheBytesArePinned(t *testing.T) {
	for _, g := range golden {
		require.Equal(t, g.hex, hex.EncodeToString(command.Append(nil, g.cmd)))
		raw, err := hex.DecodeString(g.hex)
		require.NoError(t, err)
		c, err := command.Decode(string(raw))
		require.NoError(t, err)
		require.Equal(t, g.cmd, c)
		for n := range raw {
			_, err := command.Decode(string(raw[:n]))
			require.ErrorIs(t, err, command.ErrMalformed, "cut to %d bytes: %x", n, raw)
		}
		_, err = command.Decode(string(raw) + "\x00")
		require.ErrorIs(t, err, command.ErrMalformed, "a byte too many")
	}
}

func TestAppendOfNothingIsAFault(t *testing.T) {
	require.Panics(t, func() { command.Append(nil, nil) })
}

func FuzzDecode(f *testing.F) {
	for _, g := range golden {
		f.Add(string(command.Append(nil, g.cmd)))
	}
	f.Fuzz(func(t *testing.T, raw string) {
		c, err := command.Decode(raw)
		if err != nil {
			require.ErrorIs(t, err, command.ErrMalformed)
		} else {
			require.Equal(t, raw, string(command.Append(nil, c)), "one command, one sequence of bytes")
		}
		cl := newCell(t)
		cl.epoch()
		cl.open(1)
		a := cl.raw(raw)
		require.Equal(t, c, a.Command)
		require.True(t, a.Result.Code.Valid())
		require.NoError(t, command.Audit(cl.db))
	})
}
