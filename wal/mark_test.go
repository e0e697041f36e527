package wal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

// The sync of a mark fails and the system drops what was not written. The next
// process finds the mark in the system's memory and appends behind it. A power
// cut must not leave a hole where the mark was: nothing of what came after could
// be read again, though all of it was synced. The mark has to cross a border of
// sectors for that: what is appended behind it writes its last sector again.
func TestAMarkWhoseSyncFailedIsWrittenAgain(t *testing.T) {
	for size := 380; size < 512; size += 4 {
		failMark(t, strings.Repeat("x", size))
	}
}

func failMark(t *testing.T, one string) {
	mem := vfs.NewMem()
	log, _, err := wal.Open(mem, "log", wal.Options{SegmentSize: 4096})
	require.NoError(t, err)
	require.NoError(t, log.Append(wal.Entry{LSN: 1, Kind: 1, Data: one}))
	require.NoError(t, log.Sync())

	mem.SetFault(func(c vfs.Call) vfs.Fault {
		if c.Op == vfs.OpSyncData {
			return vfs.Fault{Err: vfs.ErrIO, Drop: true}
		}
		return vfs.Fault{}
	})
	require.ErrorIs(t, log.Idle(), vfs.ErrIO)
	mem.SetFault(nil)
	mem.Kill()

	log, _, err = wal.Open(mem, "log", wal.Options{SegmentSize: 4096})
	require.NoError(t, err)
	require.NoError(t, log.Append(wal.Entry{LSN: 2, Kind: 1, Data: "two"}))
	require.NoError(t, log.Sync())
	mem.Crash(vfs.KeepNothing)

	_, r, err := wal.Open(mem, "log", wal.Options{SegmentSize: 4096})
	require.NoError(t, err)
	require.Len(t, r.Entries, 2)
	require.Equal(t, "two", r.Entries[1].Data)
}
