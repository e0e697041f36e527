package command_test

import (
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// The bytes are a contract: they stand in logs.
var golden = []struct {
	hex string
	cmd command.Command
}{
	{"03" + "45" + "03" + "ac02" + "03", command.Epoch{Master: 3, Ballot: rows.Ballot{Round: 300, Node: 3}}},
	{"03" + "45" + "ffffffff0f" + "ffffffffffffffffff01" + "ffffffff0f", command.Epoch{Master: math.MaxUint32, Ballot: rows.Ballot{Round: math.MaxUint64, Node: math.MaxUint32}}},
	{"03" + "43" + "07" + "00" + "00" + "00" + "01" + "05" + "06" + "00", command.Call{Guard: 7, Op: api.OpenSession{Nonce: api.Nonce{5, 6}}}},
	{"03" + "43" + "07" + "00" + "00" + "00" + "01" + "05" + "06" + "03616e6e", command.Call{Guard: 7, Op: api.OpenSession{Nonce: api.Nonce{5, 6}}, Principal: "ann"}},
	{"03" + "43" + "07" + "05" + "09" + "08" + "02", command.Call{Guard: 7, Session: 5, Seq: 9, AckedThrough: 8, Op: api.EndSession{}}},
	{"03" + "43" + "07" + "05" + "09" + "08" + "03" + "016b", command.Call{Guard: 7, Session: 5, Seq: 9, AckedThrough: 8, Op: api.Get{Key: "k"}}},
	{"03" + "43" + "07" + "05" + "09" + "08" + "04" + "016b" + "0176", command.Call{Guard: 7, Session: 5, Seq: 9, AckedThrough: 8, Op: api.Put{Key: "k", Value: "v"}}},
	{"03" + "43" + "07" + "05" + "09" + "00" + "05" + "016b", command.Call{Guard: 7, Session: 5, Seq: 9, Op: api.Delete{Key: "k"}}},
	{"03" + "43" + "07" + "05" + "09" + "00" + "06" + "016b" + "01" + "00" + "0176", command.Call{Guard: 7, Session: 5, Seq: 9, Op: api.CompareAndSet{Key: "k", Absent: true, Value: "v"}}},
	{"03" + "43" + "07" + "05" + "09" + "00" + "07" + "02672f", command.Call{Guard: 7, Session: 5, Seq: 9, Op: api.List{Prefix: "g/"}}},
	{"03" + "4b" + "07" + "0372686f" + "03353030", command.Constant{Guard: 7, Name: "rho", Value: "500"}},
	{"03" + "53", command.Checksum{}},
	{"03" + "46" + "07" + "09" + strings.Repeat("00", 30) + "01" + abc + abc + "01" + "0161" + "022a0a" + "00" + "0162" + "00" + "01" + "02" + "03" + "ac02",
		command.Found{Guard: 7, Secret: [32]byte{9, 31: 1}, Founding: tree.Founding{Root: names, ACL: names,
			Files:  []tree.FoundingFile{{Name: "a", Contents: "*\n", Names: api.ACLNames{Write: "b"}}},
			Limits: tree.Limits{Principal: tree.Usage{Nodes: 1, Bytes: 2}, Directory: tree.Usage{Nodes: 3, Bytes: 300}}}}},
	{"03" + "58" + "07" + "05", command.Expire{Guard: 7, Session: 5}},
	{"03" + "48" + "07" + "05" + "01" + "02", command.FailHandle{Guard: 7, Session: 5, Handle: one}},
	{"03" + "44" + "07" + slashF + "ac02", command.DelayOver{Guard: 7, Node: file, Freed: 300}},
	{"03" + "57" + "07" + slashF, command.Sweep{Guard: 7, Node: file}},
	{"03" + "4c" + "07" + "ac02", command.LongestLease{Guard: 7, Lease: 300}},
	{"03" + "4f" + "07", command.ConfirmLeadership{Guard: 7}},
	{"03" + "42" + "07" + "09" + "ac02", command.Backup{Guard: 7, Done: rows.Backup{Slot: 9, Elapsed: 300}}},
	{"03" + "4d" + "07" + "01" + "00" + "03" + "ac02" + "09", command.SetLimits{Guard: 7, Nodes: tree.Limits{Principal: tree.Usage{Nodes: 1}, Directory: tree.Usage{Nodes: 3, Bytes: 300}}, Sessions: 9}},
	{act + "01" + slashF + "042f662f67" + "03" + "01" + "02" + "01" + "0176" + abc + fenced, acting(command.OpenNode{Dir: file, Path: path("/f/g"), Rights: api.RightRead | api.RightWrite,
		Create: api.CreateMay, Kind: api.File, Ephemeral: true, Contents: "v", Names: names, Fence: fence})},
	{act + "01" + "012f00" + "012f" + "01" + "00" + "00" + "00" + "00" + "000000" + "00", acting(command.OpenNode{Rights: api.RightRead})},
	{act + "02" + slashF + fenced, acting(command.GetContents{Node: file, Fence: fence})},
	{act + "03" + slashF + "00", acting(command.GetStat{Node: file})},
	{act + "04" + slashF + "0161" + "02" + "00", acting(command.ReadDir{Node: file, After: "a", Most: 2})},
	{act + "05" + slashF + "0176" + "ac02" + "00", acting(command.SetContents{Node: file, Contents: "v", When: 300})},
	{act + "06" + slashF + abc + "ac02" + "00", acting(command.SetACL{Node: file, Names: names, When: 300})},
	{act + "07" + slashF + fenced, acting(command.DeleteNode{Node: file, Fence: fence})},
	{act + "08" + slashF + "0102" + "02" + "e0d403" + "01" + fenced, acting(command.Acquire{Node: file, Handle: one, Mode: api.Shared, Delay: api.MaxLockDelay, Wait: true, Fence: fence})},
	{act + "09" + slashF + "0102" + "ac02", acting(command.Release{Node: file, Handle: one, Acquisition: 300})},
	{act + "0a" + slashF + "0102" + "09", acting(command.CancelAcquire{Node: file, Handle: one, Call: 9})},
	{act + "0b" + slashF + "0102", acting(command.CloseHandle{Node: file, Handle: one})},
	{act + "0c" + slashF + "0102" + "00", acting(command.GetSequencer{Node: file, Handle: one})},
	{act + "0d" + slashF + fenced + "00", acting(command.CheckSequencer{Node: file, Sequencer: fence})},
	{act + "0e" + "17", acting(command.Fail{Code: 23})},
}

// Parts of which the hex texts above are composed.
const (
	act    = "03" + "41" + "07" + "05" + "0a" + "08"
	abc    = "0161" + "0162" + "0163"
	slashF = "022f66" + "06"
	fenced = "08" + "01" + "53" + "022f66" + "06" + "01" + "09"
)

var (
	names = api.ACLNames{Read: "a", Write: "b", Change: "c"}
	file  = api.Ref{Path: path("/f"), Instance: 6}
	one   = api.HandleID{Epoch: 1, Counter: 2}
	fence = api.Sequencer{Node: file, Mode: api.Exclusive, Gen: 9}
)

func acting(d command.NodeOp) command.NodeCommand {
	return command.NodeCommand{Guard: 7, Session: 5, Seq: 10, AckedThrough: 8, Op: d}
}

func path(s string) api.Path {
	p, err := api.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

// Bytes that are nearly a command, and the reasons with which they are refused.
func TestWhatIsNoCommandIsRefusedWithTheReason(t *testing.T) {
	for _, c := range []struct{ hex, want string }{
		{act + "00", "node operation 0"},
		{act + "0f", "node operation 15"},
		{act + "02" + "0166" + "06" + "00", "bad name"},
		{act + "02" + "022f66" + "8600" + "00", "longer form"},
		{act + "02" + slashF + "0153", "malformed message"},
		{act + "02" + slashF + "08" + "01" + "53" + "022f66" + "06" + "00" + "09", "no lock is"},
		{act + "08" + slashF + "0102" + "02" + "00" + "02" + "00", "flag is 2"},
		{act + "08" + slashF + "0102" + "02" + "8080808010" + "00" + "00", "lock-delay of 4294967296 ms"},
		{"03" + "4c" + "07" + "80808080808080808001", "9223372036854775808 ns"},
		{"03" + "46" + "07" + "00", "a secret of 1 bytes"},
		{"03" + "46" + "07" + strings.Repeat("00", 32) + abc + abc + "01" + "01610000", "1 files in 4 bytes"},
	} {
		raw, err := hex.DecodeString(c.hex)
		require.NoError(t, err)
		_, err = command.Decode(string(raw))
		require.ErrorIs(t, err, command.ErrMalformed, c.hex)
		require.ErrorContains(t, err, c.want, c.hex)
	}
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
	require.Panics(t, func() { command.Append(nil, command.NodeCommand{}) })
}

func FuzzDecode(f *testing.F) {
	for _, g := range golden {
		f.Add(string(command.Append(nil, g.cmd)))
	}
	w := newWorld(f)
	for _, c := range w.some(w.make("/f", api.File)) {
		f.Add(string(command.Append(nil, c)))
	}
	f.Fuzz(func(t *testing.T, raw string) {
		c, err := command.Decode(raw)
		if err != nil {
			require.ErrorIs(t, err, command.ErrMalformed)
		} else {
			require.Equal(t, raw, string(command.Append(nil, c)), "one command, one sequence of bytes")
		}
		cl := newWorld(t)
		n := cl.make("/f", api.File)
		cl.act(cl.ann, command.Acquire{Node: n, Handle: handle(1), Mode: api.Shared})
		a := cl.raw(raw)
		require.Equal(t, c, a.Command)
		require.True(t, a.Result.Code.Valid())
		require.NoError(t, command.Audit(cl.db))
	})
}
