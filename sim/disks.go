package sim

import "github.com/chubbycell/chubby/internal/draw"

// disks is the disks of a machine. The end of a life, and a repair, affect each of them.
type disks struct {
	near *Disk
	far  *Disk // nil: none
}

// each calls f for the near disk, then for the far one.
func (d *disks) each(f func(*Disk)) {
	f(d.near)
	if d.far != nil {
		f(d.far)
	}
}

// finishPending makes the disk finish a seeded choice of the calls under way when the life ends,
// without telling the caller: the device may or may not have been quicker than the power cut.
func (d *Disk) finishPending() {
	for _, c := range d.m.env.cos {
		if c.state == coParked && c.op.op != 0 && c.op.disk == d && d.torn.Chance(1, 2) {
			d.perform(&c.op)
		}
	}
}

// crash leaves on the disk what it holds after a power cut.
func (d *Disk) crash(seed uint64) {
	d.release()
	d.traceUnsynced()
	choices := draw.New(seed).Stream("disk.crash", 0)
	d.mem.Crash(choices.N)
}

// traceUnsynced writes a line of the trace for each file of which the power cut may lose something.
func (d *Disk) traceUnsynced() {
	w := d.m.w
	if !w.trace.wants(d.m.addr) {
		return
	}
	for _, f := range d.mem.Files() {
		if f.Unsynced > 0 {
			w.Tracef(d.m.addr, "unsynced", "%s, %d of its sectors,", f.Name, f.Unsynced)
		}
	}
}

// release closes everything that the life had open.
func (d *Disk) release() {
	d.mem.Kill()
	d.busyUntil = d.m.w.timeline.now
}
