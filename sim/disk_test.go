package sim

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
	"github.com/chubbycell/chubby/wal/vfs/vfstest"
)

// onDisk runs f on a coroutine of a machine, to the end.
func onDisk(t *testing.T, w *World, m *Machine, f func(fs vfs.FS)) {
	done := false
	p := &scripted{start: func(env *Env) {
		env.Go("test", func() {
			f(env.FS())
			done = true
		})
	}}
	m.SetProcess(func() Process { return p })
	m.Start()
	w.RunFor(time.Hour)
	require.True(t, done, failed(w))
	p.env.Exit()
}

func diskWorld(t *testing.T, c DiskConfig) (*World, *Machine) {
	w := New(Config{Seed: 4})
	t.Cleanup(w.Close)
	return w, w.Add(MachineConfig{Disk: c})
}

func must(t *testing.T, err error) {
	t.Helper()
	require.NoError(t, err)
}

func TestCallsTakeTheTimeOfTheirKind(t *testing.T) {
	us := time.Microsecond
	w, m := diskWorld(t, DiskConfig{
		Read: Table{1 * us}, Write: Table{20 * us}, Sync: Table{300 * us}, Meta: Table{4000 * us}, PerKiB: 50000 * us,
	})
	onDisk(t, w, m, func(fs vfs.FS) {
		took := func(want time.Duration, err error) {
			t.Helper()
			must(t, err)
			require.Equal(t, want, w.Now())
			w.timeline.now = 0
		}
		w.timeline.now = 0
		f, err := fs.Create("f")
		took(4000*us, err)
		_, err = f.WriteAt(make([]byte, 2048), 0)
		took(20*us, err)
		took(300*us+2*50000*us, f.SyncData())
		m.Disk().busyUntil = 0
		took(300*us, f.Sync())
		m.Disk().busyUntil = 0
		_, err = f.ReadAt(make([]byte, 1), 0)
		took(50001*us, err)
		m.Disk().Stall(time.Second)
		took(time.Second, f.Close())
		m.Disk().stalledUntil = 0
		m.Disk().Slow(10)
		took(3000*us, fs.SyncDir("."))
		w.timeline.now = int64(time.Hour)
	})
}

// Two coroutines share one device, so their syncs run one after the other.
func TestSyncsOfOneDiskAreOneAtATime(t *testing.T) {
	w, m := diskWorld(t, DiskConfig{Sync: Table{time.Second}})
	var ends []time.Duration
	job := func(env *Env, name string) func() {
		return func() {
			f, err := env.FS().Create(name)
			must(t, err)
			must(t, f.Sync())
			ends = append(ends, w.Now())
		}
	}
	m.SetProcess(func() Process {
		return &scripted{start: func(env *Env) {
			env.Go("a", job(env, "a"))
			env.Go("b", job(env, "b"))
		}}
	})
	m.Start()
	w.RunFor(time.Minute)
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second}, ends)
}

func TestAPowerCutKeepsWhatWasSynced(t *testing.T) {
	kept := map[string]int{}
	for seed := uint64(0); seed < 40; seed++ {
		w := New(Config{Seed: seed})
		m := w.Add(MachineConfig{Disk: ssd()})
		p := &scripted{start: func(env *Env) {
			env.Go("job", func() {
				f, err := env.FS().Create("f")
				must(t, err)
				must(t, env.FS().SyncDir("."))
				_, err = f.WriteAt(bytes.Repeat([]byte("s"), 512), 0)
				must(t, err)
				must(t, f.Sync())
				_, err = f.WriteAt(bytes.Repeat([]byte("u"), 512), 512)
				must(t, err)
				env.Point("written")
			})
		}}
		m.SetProcess(func() Process { return p })
		m.Start()
		m.CrashAt("written", -1)
		w.RunFor(time.Second)
		require.False(t, m.Up())
		b, err := m.Disk().Mem().Contents("f")
		must(t, err)
		require.Equal(t, bytes.Repeat([]byte("s"), 512), b[:512])
		kept[string(bytes.TrimRight(b[512:], "\x00"))]++
		w.Close()
	}
	require.Greater(t, len(kept), 3, "lost, kept and torn in several places")
	require.Positive(t, kept[""])
}

// The call that is under way at a crash may have reached the disk, or not.
// The trace says of which files a power cut may lose something.
func TestAPowerCutTracesWhatWasNotSynced(t *testing.T) {
	var trace bytes.Buffer
	w := New(Config{Seed: 4, Trace: Trace{W: &trace}})
	t.Cleanup(w.Close)
	m := w.Add(MachineConfig{})
	onDisk(t, w, m, func(fs vfs.FS) {
		for _, name := range []string{"synced", "not"} {
			f, err := fs.Create(name)
			must(t, err)
			_, err = f.WriteAt(make([]byte, 600), 0)
			must(t, err)
			if name == "synced" {
				must(t, f.SyncData())
			}
		}
	})
	m.Start()
	m.Crash()
	require.Regexp(t, `(?m) unsynced +not, 2 of its sectors,$`, trace.String())
	require.NotRegexp(t, ` unsynced +synced`, trace.String())
}

func TestACrashFallsIntoADiskCall(t *testing.T) {
	found := map[int]int{}
	for seed := uint64(0); seed < 40; seed++ {
		w := New(Config{Seed: seed})
		m := w.Add(MachineConfig{Disk: DiskConfig{Write: Table{time.Second}}})
		p := &scripted{start: func(env *Env) {
			env.Go("job", func() {
				f, err := env.FS().Create("f")
				must(t, err)
				_, err = f.WriteAt([]byte("x"), 0)
				must(t, err)
			})
		}}
		m.SetProcess(func() Process { return p })
		m.Start()
		w.Run(500 * time.Millisecond)
		m.Kill()
		b, err := m.Disk().Mem().Contents("f")
		must(t, err)
		found[len(b)]++
		w.Run(time.Minute)
		after, err := m.Disk().Mem().Contents("f")
		must(t, err)
		require.Equal(t, b, after, "and nothing reaches it later")
		w.Close()
	}
	require.InDelta(t, 20, found[0], 12)
	require.InDelta(t, 20, found[1], 12)
}

func TestFaultsOfTheDiskReachTheProcess(t *testing.T) {
	w, m := diskWorld(t, ssd())
	fault := vfs.Fault{}
	m.Disk().Mem().SetFault(func(c vfs.Call) vfs.Fault {
		if c.Op == vfs.OpSyncData || c.Op == vfs.OpWriteAt {
			return fault
		}
		return vfs.Fault{}
	})
	onDisk(t, w, m, func(fs vfs.FS) {
		f, err := fs.Create("f")
		must(t, err)
		fault = vfs.Fault{Err: vfs.ErrNoSpace, Short: 2}
		n, err := f.WriteAt([]byte("hello"), 0)
		require.ErrorIs(t, err, vfs.ErrNoSpace)
		require.Equal(t, 2, n)
		fault = vfs.Fault{Err: vfs.ErrIO, Drop: true}
		require.ErrorIs(t, f.SyncData(), vfs.ErrIO)
		_, err = fs.Open("nowhere")
		require.Error(t, err)
	})
}

func TestADiskOutlivesItsMachinesLives(t *testing.T) {
	w, m := diskWorld(t, ssd())
	onDisk(t, w, m, func(fs vfs.FS) {
		f, err := fs.Create("f")
		must(t, err)
		_, err = f.WriteAt([]byte("kept"), 0)
		must(t, err)
		_, err = fs.Lock("lock")
		must(t, err)
	})
	old := m.Disk().Mem().Clone()
	read := func(want string) {
		onDisk(t, w, m, func(fs vfs.FS) {
			f, err := fs.Open("f")
			must(t, err)
			b := make([]byte, 10)
			n, err := f.ReadAt(b, 0)
			require.ErrorIs(t, err, io.EOF)
			require.Equal(t, want, string(b[:n]))
			l, err := fs.Lock("lock")
			must(t, err)
			must(t, l.Close())
			_, err = f.WriteAt([]byte("over"), 0)
			must(t, err)
		})
	}
	read("kept")
	read("over")
	m.Disk().Replace(old)
	read("kept")
	m.Disk().Replace(vfs.NewMem())
	onDisk(t, w, m, func(fs vfs.FS) {
		names, err := fs.ReadDir(".")
		must(t, err)
		require.Empty(t, names)
	})
}

// The disk of a life is a vfs.FS like any other.
func TestConformance(t *testing.T) {
	vfstest.Run(t, func() vfs.FS {
		w, m := diskWorld(t, ssd())
		p := &scripted{}
		m.SetProcess(func() Process { return p })
		m.Start()
		w.RunFor(time.Second)
		return &pumped{w, p.env}
	})
}

// pumped makes each call of an FS on a coroutine of its own and runs the world until the call is
// done, for callers that are not coroutines.
type pumped struct {
	w   *World
	env *Env
}

func (p *pumped) do(f func(fs vfs.FS)) {
	done := false
	p.env.Go("call", func() { f(p.env.FS()); done = true })
	for !done && p.w.Step() {
	}
}

func (p *pumped) open(call func(fs vfs.FS) (vfs.File, error)) (vfs.File, error) {
	var f vfs.File
	var err error
	p.do(func(fs vfs.FS) { f, err = call(fs) })
	if err != nil {
		return nil, err
	}
	return &pumpedFile{p, f}, nil
}

func (p *pumped) Create(name string) (vfs.File, error) {
	return p.open(func(fs vfs.FS) (vfs.File, error) { return fs.Create(name) })
}

func (p *pumped) Open(name string) (vfs.File, error) {
	return p.open(func(fs vfs.FS) (vfs.File, error) { return fs.Open(name) })
}

func (p *pumped) ReadDir(dir string) (names []string, err error) {
	p.do(func(fs vfs.FS) { names, err = fs.ReadDir(dir) })
	return names, err
}

func (p *pumped) Rename(from, to string) (err error) {
	p.do(func(fs vfs.FS) { err = fs.Rename(from, to) })
	return err
}

func (p *pumped) Remove(name string) (err error) {
	p.do(func(fs vfs.FS) { err = fs.Remove(name) })
	return err
}

func (p *pumped) SyncDir(dir string) (err error) {
	p.do(func(fs vfs.FS) { err = fs.SyncDir(dir) })
	return err
}

func (p *pumped) MkdirAll(dir string) (err error) {
	p.do(func(fs vfs.FS) { err = fs.MkdirAll(dir) })
	return err
}

func (p *pumped) Lock(name string) (l io.Closer, err error) {
	p.do(func(fs vfs.FS) { l, err = fs.Lock(name) })
	return l, err
}

// pumpedFile is an open file of a pumped FS.
type pumpedFile struct {
	p *pumped
	f vfs.File
}

func (f *pumpedFile) ReadAt(b []byte, off int64) (n int, err error) {
	f.p.do(func(vfs.FS) { n, err = f.f.ReadAt(b, off) })
	return n, err
}

func (f *pumpedFile) WriteAt(b []byte, off int64) (n int, err error) {
	f.p.do(func(vfs.FS) { n, err = f.f.WriteAt(b, off) })
	return n, err
}

func (f *pumpedFile) Size() (n int64, err error) {
	f.p.do(func(vfs.FS) { n, err = f.f.Size() })
	return n, err
}

func (f *pumpedFile) plain(call func() error) (err error) {
	f.p.do(func(vfs.FS) { err = call() })
	return err
}

func (f *pumpedFile) Sync() error            { return f.plain(f.f.Sync) }
func (f *pumpedFile) SyncData() error        { return f.plain(f.f.SyncData) }
func (f *pumpedFile) Close() error           { return f.plain(f.f.Close) }
func (f *pumpedFile) Truncate(n int64) error { return f.plain(func() error { return f.f.Truncate(n) }) }
func (f *pumpedFile) Preallocate(n int64) error {
	return f.plain(func() error { return f.f.Preallocate(n) })
}
