package store

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

// The register's layout, as doc.go draws it. It never changes.
func TestRegisterBytes(t *testing.T) {
	s := state{boot: 3, promise: paxos.Ballot{Round: 9, Node: 2}, watermark: 0x1234, floor: 0x567, first: 0x89, grant: 0xabc}
	golden := strings.Join(strings.Fields(`0400 0000 0300000000000000 0900000000000000 02000000 3412000000000000 6705000000000000 8900000000000000 bc0a000000000000`), "")
	require.Equal(t, golden, hex.EncodeToString(s.encode()))
	got, err := decodeState(s.encode())
	require.NoError(t, err)
	require.Equal(t, s, got)
}

func TestOtherRegistersAreRefused(t *testing.T) {
	b := state{boot: 1}.encode()
	b[0] = 3
	_, err := decodeState(b)
	require.ErrorIs(t, err, wal.ErrVersion)
	_, err = decodeState(state{}.encode()[:55])
	require.ErrorIs(t, err, ErrRecord)
	_, err = decodeState(nil)
	require.ErrorIs(t, err, ErrRecord)

	m := vfs.NewMem()
	require.NoError(t, m.MkdirAll("d"))
	r, _, err := wal.OpenRegister(m, "d", "promise")
	require.NoError(t, err)
	require.NoError(t, r.Write(b))
	_, _, _, err = Open(m, "d", Options{Salt: func() uint64 { return 1 }})
	require.ErrorIs(t, err, wal.ErrVersion)
}

func FuzzRegister(f *testing.F) {
	f.Add(state{boot: 3, promise: paxos.Ballot{Round: 9, Node: 2}, watermark: 7}.encode())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := decodeState(b)
		if err == nil && b[2] == 0 && b[3] == 0 {
			require.Equal(t, b, s.encode())
		}
	})
}

// The promise is on the disk before the log hears of it, and before any vote of
// the same Append; votes cost one write and one sync.
func TestTheOrderOfCalls(t *testing.T) {
	m := vfs.NewMem()
	s, _, _, err := Open(m, "d", Options{Salt: func() uint64 { return 1 }})
	require.NoError(t, err)
	ballot := paxos.Ballot{Round: 1, Node: 1}
	require.NoError(t, s.Append(1, []paxos.Record{paxos.Booted{Boot: 1}, paxos.Promised{Ballot: ballot}}))
	require.NoError(t, s.Sync())
	var calls []string
	m.SetFault(func(c vfs.Call) vfs.Fault { calls = append(calls, c.Op.String()+" "+c.Name); return vfs.Fault{} })
	vote := paxos.Voted{Slot: 1, Ballot: ballot, Value: paxos.Noop}
	higher := paxos.Promised{Ballot: paxos.Ballot{Round: 2, Node: 1}}
	require.NoError(t, s.Append(3, []paxos.Record{vote, higher, vote}))
	require.NoError(t, s.Append(6, []paxos.Record{vote, higher}))
	require.NoError(t, s.Sync())
	require.Equal(t, []string{
		"writeat d/promise.a", "syncdata d/promise.a", "writeat d/promise.b", "syncdata d/promise.b",
		"writeat d/log/0000000000000001.wal",
		"writeat d/log/0000000000000001.wal",
		"syncdata d/log/0000000000000001.wal",
	}, calls)
}
