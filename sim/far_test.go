package sim

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
)

// A far disk has its own files, speed, faults and crashes. Like the near disk, it closes everything
// that was open when a life ends.
func TestAFarDiskIsAnotherDisk(t *testing.T) {
	w := New(Config{Seed: 4})
	defer w.Close()
	slow := DiskConfig{Sync: Table{time.Second}}
	m := w.Add(MachineConfig{Disk: ssd(), Far: &slow})
	write := func(fs vfs.FS, sync bool) vfs.File {
		f, err := fs.Create("f")
		must(t, err)
		must(t, fs.SyncDir("."))
		_, err = f.WriteAt(bytes.Repeat([]byte("x"), 100), 0)
		must(t, err)
		if sync {
			must(t, f.Sync())
		}
		return f
	}
	onDisk(t, w, m, func(fs vfs.FS) { write(fs, true) })
	require.Less(t, w.Now(), 2*time.Hour)
	_, err := m.Far().Mem().Contents("f")
	require.Error(t, err)

	var ended error
	m.SetProcess(func() Process {
		p := &scripted{}
		p.start = func(env *Env) {
			env.Go("far", func() {
				from := w.Now()
				f := write(env.FarFS(), false)
				require.GreaterOrEqual(t, w.Now()-from, time.Second)
				m.Far().Mem().SetFault(func(vfs.Call) vfs.Fault { return vfs.Fault{Err: vfs.ErrNoSpace} })
				_, ended = f.WriteAt([]byte("y"), 0)
				require.ErrorIs(t, f.Sync(), vfs.ErrNoSpace)
				_, err := env.FS().Open("f")
				must(t, err)
			})
		}
		return p
	})
	m.Start()
	w.RunFor(time.Minute)
	require.ErrorIs(t, ended, vfs.ErrNoSpace)
	m.Crash()
	b, err := m.Disk().Mem().Contents("f")
	must(t, err)
	require.Len(t, bytes.TrimRight(b, "\x00"), 100)
	w.Heal()
	_, err = m.Far().Mem().Contents("f")
	must(t, err)
	require.Nil(t, w.Failure())
}
