package vfs_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
)

func TestReplaceAndReadFile(t *testing.T) {
	for name, fsys := range map[string]vfs.FS{"memory": vfs.NewMem(), "disk": vfs.NewOS(t.TempDir())} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, fsys.MkdirAll("d"))
			_, err := vfs.ReadFile(fsys, "d/f")
			require.ErrorIs(t, err, fs.ErrNotExist)
			for _, text := range []string{"first", "", "a longer one", "short"} {
				require.NoError(t, vfs.Replace(fsys, "d/f", []byte(text)))
				got, err := vfs.ReadFile(fsys, "d/f")
				require.NoError(t, err)
				require.Equal(t, text, string(got))
			}
			names, err := fsys.ReadDir("d")
			require.NoError(t, err)
			require.Equal(t, []string{"f"}, names)
		})
	}
}

// A crash before any call of Replace, or an error of it, leaves the old or the new contents, whole; after Replace has
// returned they are the new ones. Then Replace works again, also with its own remains.
func TestReplaceIsWholeWhereverItStops(t *testing.T) {
	for stop := range 12 {
		for seed := range uint64(50) {
			for _, crash := range []bool{true, false} {
				m := vfs.NewMem()
				require.NoError(t, vfs.Replace(m, "f", []byte("old")))
				calls := 0
				m.SetFault(func(vfs.Call) vfs.Fault {
					if calls++; calls <= stop {
						return vfs.Fault{}
					}
					if crash {
						m.Crash(vfs.Seeded(seed))
					}
					return vfs.Fault{Err: vfs.ErrIO}
				})
				err := vfs.Replace(m, "f", []byte("new one"))
				m.SetFault(nil)
				if !crash || err == nil {
					m.Crash(vfs.Seeded(seed))
				}
				got := contents(t, m, "f")
				if err == nil {
					require.Equal(t, "new one", got)
				} else {
					require.Contains(t, []string{"old", "new one"}, got, "stopped after %d calls: %v", stop, err)
				}
				require.NoError(t, vfs.Replace(m, "f", []byte("third")))
				require.Equal(t, "third", contents(t, m, "f"))
			}
		}
	}
}
