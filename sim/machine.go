package sim

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// MachineConfig describes a machine.
type MachineConfig struct {
	Addr    Addr           // the next free address of its range; 0: the next free replica address
	Process func() Process // returns a new process for each life
	Clock   ClockConfig
	Disk    DiskConfig
	Far     *DiskConfig // of a second disk, such as a file server in another building; nil: none
	// Inbox is how many messages can wait while the process is paused or slow; further messages are
	// lost. 0 means 4096.
	Inbox int
}

// Machine is a computer: a clock, a disk, links, and the lives of a process, one after the other.
// Clock and disk outlive the process. Its methods are the faults of processes. Call them from the
// world's own code (World.After, fault coroutines, tests), not from the process that runs on the
// machine.
type Machine struct {
	w     *World
	addr  Addr
	cfg   MachineConfig
	clock Clock
	disks disks
	links links

	env      *Env // of the present life; nil: down
	lives    int
	intake   intake
	timers   timers
	failures []error // the errors of Env.Fail
	// powerless: the machine was crashed, and not started since
	powerless bool
	point     string        // the armed crash point
	outage    time.Duration // how long the machine then stays down

	ties, torn, boots draw.Stream
}

// Add adds a machine to the world. It is down until Start.
func (w *World) Add(cfg MachineConfig) *Machine {
	addr, list := w.machines.place(cfg.Addr)
	cfg.Addr = addr
	if cfg.Inbox == 0 {
		cfg.Inbox = 4096
	}
	m := &Machine{w: w, addr: cfg.Addr, cfg: cfg}
	m.intake.m, m.intake.room, m.links.from = m, cfg.Inbox, m
	m.ties = w.src.Stream("machine.tie", uint64(m.addr))
	m.torn = w.src.Stream("machine.torn", uint64(m.addr))
	m.boots = w.src.Stream("machine.boot", uint64(m.addr))
	m.clock = newClock(m, cfg.Clock, w.timeline.now)
	m.disks.near = newDisk(m, cfg.Disk, false)
	if cfg.Far != nil {
		m.disks.far = newDisk(m, *cfg.Far, true)
	}
	*list = append(*list, m)
	return m
}

// Addr returns the machine's address.
func (m *Machine) Addr() Addr { return m.addr }

// World returns the machine's world.
func (m *Machine) World() *World { return m.w }

// Clock returns the machine's clock.
func (m *Machine) Clock() *Clock { return &m.clock }

// Disk returns the machine's disk.
func (m *Machine) Disk() *Disk { return m.disks.near }

// Far returns the machine's far disk, or nil if it has none. A power cut loses what was not synced
// there, as on the machine's own disk.
func (m *Machine) Far() *Disk { return m.disks.far }

// Up reports whether a life is running, paused or not.
func (m *Machine) Up() bool { return m.env != nil }

// Paused reports whether a pause is in force.
func (m *Machine) Paused() bool { return m.intake.pauses > 0 }

// Failures returns the errors with which lives on this machine failed, in order.
func (m *Machine) Failures() []error { return append([]error(nil), m.failures...) }

// Lives returns the number of lives begun.
func (m *Machine) Lives() int { return m.lives }

// Process returns the process that runs now, or nil while the machine is down. Checkers may read
// from it; they must not call its Start, Receive or Wake.
func (m *Machine) Process() Process {
	if m.env == nil {
		return nil
	}
	return m.env.proc
}

// SetProcess changes the process of the next life.
func (m *Machine) SetProcess(f func() Process) { m.cfg.Process = f }

// Start begins a life, unless one is running.
func (m *Machine) Start() {
	if m.env != nil || m.w.closed {
		return
	}
	m.lives++
	m.powerless = false
	e := &Env{m: m, life: m.lives, proc: m.cfg.Process()}
	e.wake = timer{m: m, at: never, what: input{kind: inWake}}
	m.env = e
	m.w.Fault(m.addr, "start", uint64(m.lives))
	m.intake.inbox.push(input{kind: inStart})
	m.intake.drainSoon()
}

// Crash cuts the power. The life ends wherever it is, even in the middle of a disk call. The disk
// keeps a seeded choice of what was not synced. The monotonic clock will have another offset.
func (m *Machine) Crash() {
	if m.env == nil {
		return
	}
	m.w.Fault(m.addr, "crash", uint64(m.lives))
	m.disks.each((*Disk).finishPending)
	m.endLife()
	m.powerless = true
	m.disks.each(func(d *Disk) { d.crash(m.torn.Uint64()) })
	m.clock.reboot(m.boots.Between(0, int64(1000*time.Hour)))
}

// Kill ends the life wherever it is, as an operating system kills a process: written data stays
// written, synced or not.
func (m *Machine) Kill() {
	if m.env == nil {
		return
	}
	m.w.Fault(m.addr, "kill", uint64(m.lives))
	m.disks.each((*Disk).finishPending)
	m.endLife()
	m.disks.each((*Disk).release)
	m.closeConnections()
}

// StartAfter begins a life when d of true time has passed.
func (m *Machine) StartAfter(d time.Duration) Timer { return m.w.After(d, m.Start) }

// CrashAt crashes the machine when its process next reaches the named point, and starts it again
// after outage; with a negative outage it stays down. Points are set by Env.Point; each disk call
// is also one, under a name such as "disk.write". An empty name cancels the crash.
func (m *Machine) CrashAt(point string, outage time.Duration) {
	m.point, m.outage = point, outage
}

// reach is called when the process reaches a named point.
func (m *Machine) reach(point string) {
	if m.point != point || m.env == nil {
		return
	}
	m.point = ""
	m.w.Fault(m.addr, "crash-at."+point, 0)
	m.Crash()
	if m.outage >= 0 {
		m.StartAfter(m.outage)
	}
	panic(ended{})
}

// Stop asks the process to end by itself (Stopper). A process that cannot is killed.
func (m *Machine) Stop() {
	if m.env == nil {
		return
	}
	if _, ok := m.env.proc.(Stopper); !ok {
		m.Kill()
		return
	}
	m.w.Fault(m.addr, "stop", uint64(m.lives))
	m.intake.inbox.push(input{kind: inStop})
	m.intake.drainSoon()
}

// Pause stops the process between two inputs. Its clock, its disk and the network continue; inputs
// wait in the order of arrival. Pauses of several faults add up.
func (m *Machine) Pause() {
	m.intake.pauses++
	m.w.Fault(m.addr, "pause", 0)
}

// Resume undoes one Pause.
func (m *Machine) Resume() {
	if m.intake.pauses == 0 {
		return
	}
	m.intake.pauses--
	m.w.Fault(m.addr, "resume", 0)
	m.intake.drainSoon()
}

// PauseFor pauses the process, and resumes it when d of true time has passed.
func (m *Machine) PauseFor(d time.Duration) {
	m.Pause()
	m.w.After(d, m.Resume)
}

// PauseAfterReading arms a pause of d at the worst place: after the process took its next input and
// read its clock, and before its method is called.
func (m *Machine) PauseAfterReading(d time.Duration) { m.intake.readPause = d }

// Slow makes each input keep the process busy for cost of true time; 0 is normal.
func (m *Machine) Slow(cost time.Duration) {
	m.intake.cost = int64(cost)
	m.w.Fault(m.addr, "slow", uint64(cost))
}

// endLife ends the present life: none of its code runs any more.
func (m *Machine) endLife() {
	e := m.env
	if e == nil {
		return
	}
	e.dead = true
	m.env = nil
	e.wake.drop()
	m.timers.drop()
	for i := len(e.cos) - 1; i >= 0; i-- {
		if i < len(e.cos) {
			m.w.coroutines.end(e.cos[i])
		}
	}
	m.intake.clear()
	m.point = ""
}
