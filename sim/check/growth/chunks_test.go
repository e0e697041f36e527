package growth

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
)

func TestL2ASnapshotIsSyncedChunkByChunk(t *testing.T) {
	for name, x := range map[string]struct {
		file   string
		sync   func(f vfs.File) error
		breaks bool
	}{
		"each chunk synced, as data":  {"1.1.tmp", vfs.File.SyncData, false},
		"each chunk synced":           {"1.1.tmp", vfs.File.Sync, false},
		"two chunks synced as one":    {"1.1.tmp", func(vfs.File) error { return nil }, true},
		"a log, which is no snapshot": {"1.wal", func(vfs.File) error { return nil }, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := newChecker(t)
			f, err := vfs.NewMem().Create(x.file)
			require.NoError(t, err)
			f = c.Chunked(1, x.file, f)
			for i := range int64(4) {
				_, err := f.WriteAt(make([]byte, 1<<10), i<<10)
				require.NoError(t, err)
				require.NoError(t, x.sync(f))
			}
			if x.breaks {
				w.Breaks("L2")
				return
			}
			w.Good()
		})
	}
}
