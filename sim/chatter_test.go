package sim

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"time"

	"errors"

	"github.com/chubbycell/chubby/wal/vfs"
)

// chatter is a process that uses every method: it sends a number around, writes what it receives to
// its disk on a coroutine, and answers once that is synced.
type chatter struct {
	env   *Env
	peers int
	file  vfs.File
	size  int64
	todo  []uint64
	busy  bool
	got   []uint64
	read  []byte // what the disk held when the life began
	up    bool
}

func (p *chatter) Start(env *Env) {
	p.env = env
	env.Go("open", p.open)
	env.WakeAt(env.Now().Add(10 * time.Millisecond))
}

func (p *chatter) open() {
	f, err := p.env.FS().Open("log")
	if errors.Is(err, fs.ErrNotExist) {
		if f, err = p.env.FS().Create("log"); err == nil {
			err = p.env.FS().SyncDir(".")
		}
	}
	if err != nil {
		p.env.Fail(err)
		return
	}
	size, err := f.Size()
	if err != nil {
		p.env.Fail(err)
		return
	}
	p.read = make([]byte, size)
	if _, err := f.ReadAt(p.read, 0); err != nil && size > 0 {
		p.env.Fail(err)
		return
	}
	p.env.Post(func(time.Time) { p.file, p.size, p.up = f, size, true })
}

func (p *chatter) Receive(_ time.Time, from Addr, msg []byte) {
	if !p.up {
		return
	}
	p.todo = append(p.todo, binary.LittleEndian.Uint64(msg))
	p.write()
}

func (p *chatter) write() {
	if p.busy || len(p.todo) == 0 {
		return
	}
	p.busy = true
	batch := p.todo
	p.todo = nil
	p.env.Go("log", func() {
		var b []byte
		for _, x := range batch {
			b = binary.LittleEndian.AppendUint64(b, x)
		}
		_, err := p.file.WriteAt(b, p.size)
		if err == nil {
			err = p.file.SyncData()
		}
		if err != nil {
			p.env.Fail(err)
			return
		}
		p.env.Post(func(time.Time) { p.done(batch) })
	})
}

func (p *chatter) done(batch []uint64) {
	p.size += int64(8 * len(batch))
	p.busy = false
	for _, x := range batch {
		p.got = append(p.got, x)
		p.send(x + 1)
	}
	p.write()
}

func (p *chatter) Wake(now time.Time) {
	if p.up {
		p.send(uint64(p.env.Self()) << 32)
	}
	p.env.WakeAt(now.Add(20 * time.Millisecond))
}

func (p *chatter) send(x uint64) {
	if x&0xffffffff > 3 {
		return
	}
	to := Addr(uint64(p.env.Self())%uint64(p.peers)) + 1
	p.env.Send(to, binary.LittleEndian.AppendUint64(nil, x))
}

func lan() LinkConfig {
	return LinkConfig{
		Delay: Table{300 * time.Microsecond, 400 * time.Microsecond, time.Millisecond},
		Late:  Table{0, 10 * time.Millisecond, 500 * time.Millisecond},
		Loss:  10_000, Duplicate: 10_000, Reorder: 10_000,
	}
}

func ssd() DiskConfig {
	return DiskConfig{
		Read:  Table{10 * time.Microsecond},
		Write: Table{5 * time.Microsecond, 20 * time.Microsecond},
		Sync:  Table{200 * time.Microsecond, time.Millisecond},
	}
}

// chat is a world of n chatters.
func chat(cfg Config, n int) *World {
	w := New(cfg)
	for i := range n {
		m := w.Add(MachineConfig{
			Process: func() Process { return &chatter{peers: n} },
			Clock:   ClockConfig{Offset: time.Duration(i) * time.Hour, RatePPB: int64(i-1) * 1_000_000},
			Disk:    ssd(),
		})
		m.Start()
	}
	return w
}

// rough is a chat under all faults of machines and links.
func rough(cfg Config) *World {
	cfg.Link = lan()
	w := chat(cfg, 3)
	d := w.Draw("rough", 0)
	var act func()
	act = func() {
		m := w.Replicas()[d.Int(3)]
		switch d.Int(9) {
		case 0:
			m.Crash()
			m.StartAfter(d.Duration(0, 50*time.Millisecond))
		case 1:
			m.Kill()
			m.StartAfter(d.Duration(0, 50*time.Millisecond))
		case 2:
			m.PauseFor(d.Duration(0, 50*time.Millisecond))
		case 3:
			m.PauseAfterReading(d.Duration(0, 20*time.Millisecond))
		case 4:
			w.Net().Isolate(m.Addr())
			w.After(30*time.Millisecond, func() { w.Net().Rejoin(m.Addr()) })
		case 5:
			l := w.Net().Link(m.Addr(), m.Addr()%3+1)
			l.Clog()
			w.After(20*time.Millisecond, l.Release)
		case 6:
			m.Clock().SetRate(d.Between(-100_000_000, 100_000_000))
		case 7:
			m.CrashAt("disk.syncdata", 10*time.Millisecond)
		case 8:
			m.Disk().Stall(d.Duration(0, 20*time.Millisecond))
		}
		w.After(d.Duration(0, 40*time.Millisecond), act)
	}
	w.After(0, act)
	return w
}

func failed(w *World) string {
	if f := w.Failure(); f != nil {
		return fmt.Sprint(f, "\n", f.Stack)
	}
	return ""
}
