package sim

import (
	"fmt"
	"io"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/wal/vfs"
)

// DiskConfig is the speed of a disk without injected faults.
type DiskConfig struct {
	Read  Table // ReadAt
	Write Table // WriteAt, Preallocate, Truncate: into the page cache
	Sync  Table // Sync, SyncData, SyncDir, MkdirAll: one at a time
	Meta  Table // everything else
	// PerKiB is added for each KiB that is read, or that is synced after it was written.
	PerKiB time.Duration
}

func (c DiskConfig) check() {
	c.Read.check("DiskConfig.Read")
	c.Write.check("DiskConfig.Write")
	c.Sync.check("DiskConfig.Sync")
	c.Meta.check("DiskConfig.Meta")
}

// Disk is a machine's disk: a vfs.Mem whose calls take time. A call parks its coroutine and takes
// effect at an event of the disk; the coroutine continues when its process can take an input.
// Pausing a process does not stop its disk.
type Disk struct {
	m            *Machine
	far          bool // the machine's second disk
	mem          *vfs.Mem
	cfg          DiskConfig
	slow         int64
	busyUntil    int64 // true time at which the device has finished all syncs so far
	stalledUntil int64 // true time until which it stalls

	read, write, sync, meta, torn draw.Stream

	sought int64 // the instant of the last draws; see seek
}

func newDisk(m *Machine, c DiskConfig, far bool) *Disk {
	c.check()
	d := &Disk{m: m, far: far, mem: vfs.NewMem(), cfg: c, slow: 1}
	stream := func(what string) draw.Stream {
		if far {
			what = "far." + what
		}
		return m.w.src.Stream("disk."+what, uint64(m.addr))
	}
	d.read, d.write, d.sync = stream("read"), stream("write"), stream("sync")
	d.meta, d.torn = stream("meta"), stream("under-way")
	return d
}

// Mem returns the contents of the disk: to look at, to clone, or to damage (Mem.Corrupt). Its calls
// take effect at once. Its fault predicate, set with Mem.SetFault, is called at the event of each
// disk call. It may cause errors, short writes and failing syncs.
func (d *Disk) Mem() *vfs.Mem { return d.mem }

// Replace puts another disk into the machine, for example a wiped one or an earlier clone. The
// machine must be down.
func (d *Disk) Replace(mem *vfs.Mem) {
	if d.m.Up() {
		panic("sim: a disk is replaced while its machine is up")
	}
	d.mem = mem
	d.m.w.Fault(d.m.addr, "disk.replace", 0)
}

// Set changes the speed of the disk.
func (d *Disk) Set(c DiskConfig) {
	c.check()
	d.cfg = c
}

// Stall stops the disk for span of true time: no call that begins from now on ends before that time
// has passed.
func (d *Disk) Stall(span time.Duration) {
	d.stalledUntil = max(d.stalledUntil, d.m.w.timeline.now+int64(span))
	d.m.w.Fault(d.m.addr, "disk.stall", uint64(span))
}

// Slow multiplies all latencies by factor, at least 1; 1 is normal.
func (d *Disk) Slow(factor int64) {
	d.slow = max(factor, 1)
	d.m.w.Fault(d.m.addr, "disk.slow", uint64(factor))
}

func (d *Disk) heal() {
	d.slow, d.stalledUntil = 1, 0
	d.mem.SetFault(nil)
}

// diskOp is a call under way, or its result.
type diskOp struct {
	op    vfs.Op // 0: no call is under way
	disk  *Disk
	fs    *vfs.Mem
	file  *lifeFile
	name  string
	to    string
	p     []byte
	off   int64
	n     int
	err   error
	names []string
	out   vfs.File
	lock  io.Closer
}

// name returns the first word of the disk's lines in the trace.
func (d *Disk) name() string {
	if d.far {
		return "far"
	}
	return "disk"
}

// latency returns how long the call takes from now.
func (d *Disk) latency(o *diskOp) int64 {
	seek(d.m.w, &d.sought, &d.read, &d.write, &d.sync, &d.meta, &d.torn)
	now := d.m.w.timeline.now
	at := now
	switch o.op {
	case vfs.OpReadAt:
		at += d.slow * (d.cfg.Read.pick(&d.read) + d.perKiB(int64(len(o.p))))
	case vfs.OpWriteAt, vfs.OpPreallocate, vfs.OpTruncate:
		at += d.slow * d.cfg.Write.pick(&d.write)
	case vfs.OpSync, vfs.OpSyncData, vfs.OpSyncDir, vfs.OpMkdirAll:
		t := d.cfg.Sync.pick(&d.sync)
		if o.file != nil {
			t += d.perKiB(o.file.unsynced)
		}
		at = max(now, d.busyUntil) + d.slow*t
		d.busyUntil = at
	default:
		at += d.slow * d.cfg.Meta.pick(&d.meta)
	}
	return max(at, d.stalledUntil) - now
}

func (d *Disk) perKiB(bytes int64) int64 { return (bytes + 1023) / 1024 * int64(d.cfg.PerKiB) }

// call makes the running coroutine wait for the disk. c.op holds the call, and later its result.
func (e *Env) call(c *coroutine) {
	d := c.op.disk
	c.op.fs = d.mem
	e.Point("disk." + c.op.op.String())
	e.m.w.timeline.schedule(d.latency(&c.op), &e.m.ties, (*diskEvent)(c), c.parks, nil)
	c.park()
}

// diskEvent is the event at which a disk call takes effect.
type diskEvent coroutine

func (v *diskEvent) fire(w *World, parks uint64, _ *packet) {
	c := (*coroutine)(v)
	if c.parks != parks || c.state != coParked {
		return
	}
	c.op.disk.perform(&c.op)
	c.state = coReady
	w.coroutines.proceed(c)
}

// perform makes the call take effect.
func (d *Disk) perform(o *diskOp) {
	w := d.m.w
	mark := markDisk<<60 ^ uint64(o.op)<<48 ^ uint64(d.m.addr)
	if d.far {
		mark ^= 1 << 47
	}
	w.hash.fold(mark)
	w.hash.text(o.name)
	w.hash.fold(uint64(o.off))
	if o.op == vfs.OpWriteAt {
		w.hash.bytes(o.p)
	}
	if o.file != nil {
		o.onFile()
	} else {
		o.onTree()
	}
	w.hash.fold(uint64(o.n))
	if w.trace.wants(d.m.addr) {
		w.trace.line(d.m.addr, d.name(), o.text())
	}
	o.op, o.p = 0, nil
}

func (o *diskOp) onFile() {
	f := o.file
	switch o.op {
	case vfs.OpReadAt:
		o.n, o.err = f.inner.ReadAt(o.p, o.off)
	case vfs.OpWriteAt:
		o.n, o.err = f.inner.WriteAt(o.p, o.off)
		f.unsynced += int64(o.n)
	case vfs.OpSync:
		o.err = f.inner.Sync()
		f.unsynced = 0
	case vfs.OpSyncData:
		o.err = f.inner.SyncData()
		f.unsynced = 0
	case vfs.OpPreallocate:
		o.err = f.inner.Preallocate(o.off)
	case vfs.OpTruncate:
		o.err = f.inner.Truncate(o.off)
	case vfs.OpSize:
		o.off, o.err = f.inner.Size()
	case vfs.OpClose:
		o.err = f.inner.Close()
	}
}

func (o *diskOp) onTree() {
	switch o.op {
	case vfs.OpCreate:
		o.out, o.err = o.fs.Create(o.name)
	case vfs.OpOpen:
		o.out, o.err = o.fs.Open(o.name)
	case vfs.OpReadDir:
		o.names, o.err = o.fs.ReadDir(o.name)
	case vfs.OpRename:
		o.err = o.fs.Rename(o.name, o.to)
	case vfs.OpRemove:
		o.err = o.fs.Remove(o.name)
	case vfs.OpSyncDir:
		o.err = o.fs.SyncDir(o.name)
	case vfs.OpMkdirAll:
		o.err = o.fs.MkdirAll(o.name)
	case vfs.OpLock:
		o.lock, o.err = o.fs.Lock(o.name)
	}
}

func (o *diskOp) text() string {
	s := fmt.Sprintf("%s %s", o.op, o.name)
	switch o.op {
	case vfs.OpReadAt, vfs.OpWriteAt:
		s += fmt.Sprintf(" [%d,%d)", o.off, o.off+int64(len(o.p)))
	case vfs.OpRename:
		s += " to " + o.to
	}
	if o.err != nil {
		s += ": " + o.err.Error()
	}
	return s
}
