package faults

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Rate says how often a fault of the library strikes: Every is the time from the end of one effect
// to the next strike, and For is how long an effect lasts. Both are means: each draw is between a
// tenth and twice of the mean. The functions that take a Rate panic unless Every is above 0 and For
// is at least 0.
type Rate struct{ Every, For time.Duration }

// Aim picks the machine to strike; if it returns nil, none is struck this time. To find a replica of
// your own protocol, use sim.Machine.Process. The functions that take an Aim panic if it is nil.
type Aim func(s *sim.Stage) *sim.Machine

// Any is the Aim that draws any replica.
func Any(s *sim.Stage) *sim.Machine { return s.Replica() }

// AnyClient is the Aim that draws any machine of a client: of a sim.Workload, or one that Setup added from
// sim.FirstClient on. It returns nil if there is none. A client that starts again runs its program from the beginning,
// unless the program had ended, so the program must not count on what it had in memory.
func AnyClient(s *sim.Stage) *sim.Machine { return drawn(s, s.World().Clients()) }

// AnyMachine is the Aim that draws any machine, a replica or a client's.
func AnyMachine(s *sim.Stage) *sim.Machine {
	return drawn(s, append(s.World().Replicas(), s.World().Clients()...))
}

func drawn(s *sim.Stage, all []*sim.Machine) *sim.Machine {
	if len(all) == 0 {
		return nil
	}
	return all[s.Draw().Int(len(all))]
}

// recurring is a fault of the library: it serves worlds of any protocol (sim.Scenario), and undoes
// its effects. The counter "faults." plus its name counts its strikes.
type recurring struct {
	name   string
	rate   Rate
	aim    Aim
	strike func(s *sim.Stage, m *sim.Machine) (undo func())
}

// recur returns a fault of the library. It panics if a rate or an aim cannot work: the mistake is then
// named where it was made, and not in the middle of a run.
func recur(name string, r Rate, aim Aim, strike func(s *sim.Stage, m *sim.Machine) (undo func())) sim.Fault {
	switch {
	case r.Every <= 0:
		panic(fmt.Sprintf("faults: %s with a Rate of Every %v: it must be above 0, or the fault strikes for ever at one instant", name, r.Every))
	case r.For < 0:
		panic(fmt.Sprintf("faults: %s with a Rate of For %v: it must be at least 0", name, r.For))
	case aim == nil:
		panic(fmt.Sprintf("faults: %s without an Aim: give faults.Any for a replica that each strike draws", name))
	}
	return recurring{name, r, aim, strike}
}

func (f recurring) Name() string { return f.name }

func (f recurring) Run(s *sim.Stage) {
	for s.Next(func() time.Duration { return around(s, f.rate.Every) }) {
		if m := f.aim(s); m != nil {
			s.World().Count("faults." + f.name)
			undo := f.strike(s, m)
			s.Sleep(around(s, f.rate.For))
			undo()
		}
	}
}

func around(s *sim.Stage, mean time.Duration) time.Duration {
	return s.Draw().Duration(mean/10, 2*mean)
}

// Crash cuts the power of a machine: its disk keeps a drawn choice of what was not synced. The
// machine starts again when the outage is over.
func Crash(r Rate, aim Aim) sim.Fault {
	return recur("crash", r, aim, func(_ *sim.Stage, m *sim.Machine) func() {
		m.Crash()
		return m.Start
	})
}

// Kill ends only the process; its written data stays.
func Kill(r Rate, aim Aim) sim.Fault {
	return recur("kill", r, aim, func(_ *sim.Stage, m *sim.Machine) func() {
		m.Kill()
		return m.Start
	})
}

// Restart ends a process and starts it again at once, a few times in a row: messages to one life
// reach the next.
func Restart(r Rate, aim Aim) sim.Fault {
	return recur("restart", r, aim, func(s *sim.Stage, m *sim.Machine) func() {
		for range 1 + s.Draw().Int(3) {
			m.Kill()
			m.Start()
			s.Sleep(around(s, r.For/10))
		}
		return func() {}
	})
}

// TornWrites cuts the power of a machine in the middle of its next write or sync.
func TornWrites(r Rate, aim Aim) sim.Fault {
	return recur("torn-writes", r, aim, func(s *sim.Stage, m *sim.Machine) func() {
		m.CrashAt(steps[s.Draw().Int(len(steps))], around(s, r.For))
		return func() { m.CrashAt("", 0) }
	})
}

// Pause stops a process, in half of the cases between reading its clock and acting. Clock, disk and
// network continue.
func Pause(r Rate, aim Aim) sim.Fault {
	return recur("pause", r, aim, func(s *sim.Stage, m *sim.Machine) func() {
		if s.Draw().Chance(1, 2) {
			m.PauseAfterReading(around(s, r.For))
			return func() { m.PauseAfterReading(0) }
		}
		m.Pause()
		return m.Resume
	})
}

// Isolate cuts a machine off from all others.
func Isolate(r Rate, aim Aim) sim.Fault {
	return recur("isolate", r, aim, func(s *sim.Stage, m *sim.Machine) func() {
		net := s.World().Net()
		net.Isolate(m.Addr())
		return func() { net.Rejoin(m.Addr()) }
	})
}

// Partition splits the replicas into two groups. Clients reach both.
func Partition(r Rate) sim.Fault { return PartitionWith(r, Any) }

// PartitionWith is Partition, and the machine is in one of the groups: a client then reaches only the replicas of its
// side, perhaps a former leader among them.
func PartitionWith(r Rate, aim Aim) sim.Fault {
	return recur("partition", r, aim, func(s *sim.Stage, m *sim.Machine) func() {
		var groups [2][]sim.Addr
		parted := s.World().Replicas()
		if m.Addr().IsClient() {
			parted = append(parted, m)
		}
		for _, m := range parted {
			side := s.Draw().Int(2)
			groups[side] = append(groups[side], m.Addr())
		}
		net := s.World().Net()
		net.Partition(groups[:]...)
		return func() { net.Unite(groups[:]...) }
	})
}

// OneWay loses messages to a machine from some replicas, or from the machine to them; the other
// direction works.
func OneWay(r Rate, aim Aim) sim.Fault {
	return recur("one-way", r, aim, func(s *sim.Stage, m *sim.Machine) func() {
		return all(some(s, m), (*sim.Link).Cut, (*sim.Link).Mend)
	})
}

// Clog holds back messages to a machine from some replicas, or from the machine to them, and then
// releases them all at once.
func Clog(r Rate, aim Aim) sim.Fault {
	return recur("clog", r, aim, func(s *sim.Stage, m *sim.Machine) func() {
		return all(some(s, m), (*sim.Link).Clog, (*sim.Link).Release)
	})
}

// some returns links to a machine from some replicas, or from it to them.
func some(s *sim.Stage, m *sim.Machine) (links []*sim.Link) {
	hears := s.Draw().Chance(1, 2)
	for _, o := range s.World().Replicas() {
		if o == m || s.Draw().Chance(1, 3) {
			continue
		}
		from, to := m.Addr(), o.Addr()
		if hears {
			from, to = to, from
		}
		links = append(links, s.World().Net().Link(from, to))
	}
	return links
}

func all(links []*sim.Link, do, undo func(*sim.Link)) func() {
	for _, l := range links {
		do(l)
	}
	return func() {
		for _, l := range links {
			undo(l)
		}
	}
}

// Loss makes all links between replicas lose, duplicate and reorder messages, each with a chance of
// up to most parts in a million.
func Loss(r Rate, most uint32) sim.Fault {
	return recur("loss", r, Any, func(s *sim.Stage, _ *sim.Machine) func() {
		var links []*sim.Link
		for _, from := range s.World().Replicas() {
			for _, to := range s.World().Replicas() {
				if from != to {
					links = append(links, s.World().Net().Link(from.Addr(), to.Addr()))
				}
			}
		}
		return lossy(s, links, most)
	})
}

// LossAt is Loss on the links between one machine and all replicas, in both directions.
func LossAt(r Rate, aim Aim, most uint32) sim.Fault {
	return recur("loss-at", r, aim, func(s *sim.Stage, m *sim.Machine) func() {
		var links []*sim.Link
		for _, o := range s.World().Replicas() {
			if o != m {
				net := s.World().Net()
				links = append(links, net.Link(m.Addr(), o.Addr()), net.Link(o.Addr(), m.Addr()))
			}
		}
		return lossy(s, links, most)
	})
}

// lossy makes links lose, duplicate and reorder messages.
func lossy(s *sim.Stage, links []*sim.Link, most uint32) (undo func()) {
	chance := func() uint32 { return uint32(s.Draw().Between(0, int64(most))) }
	loss, double, reorder := chance(), chance(), chance()
	var undone []func()
	for _, l := range links {
		was := l.Config()
		now := was
		now.Loss, now.Duplicate, now.Reorder = max(was.Loss, loss), max(was.Duplicate, double), max(was.Reorder, reorder)
		undone = append(undone, overlay(s.World(), lossOf{l}, was, now, l.Set))
	}
	return func() {
		for _, f := range undone {
			f()
		}
	}
}

// SlowDisk makes a disk slower by one or two orders of magnitude.
func SlowDisk(r Rate, aim Aim) sim.Fault {
	return recur("slow-disk", r, aim, func(s *sim.Stage, m *sim.Machine) func() {
		return overlay(s.World(), paceOf{m.Disk()}, 1, s.Draw().LogUniform(10, 100), m.Disk().Slow)
	})
}

// FailingDisk makes a write or a sync fail; in half of the cases, a failing sync loses what was not
// synced. A process that then stops itself starts again when the fault is over.
func FailingDisk(r Rate, aim Aim) sim.Fault {
	return recur("failing-disk", r, aim, func(s *sim.Stage, m *sim.Machine) func() {
		op, drop := vfs.OpWriteAt, s.Draw().Chance(1, 2)
		if s.Draw().Chance(1, 2) {
			op = vfs.OpSyncData
		}
		mem := m.Disk().Mem()
		fails := func(c vfs.Call) vfs.Fault {
			if c.Op != op {
				return vfs.Fault{}
			}
			return vfs.Fault{Err: vfs.ErrIO, Drop: drop && op == vfs.OpSyncData}
		}
		undo := overlay(s.World(), failureOf{mem}, nil, fails, mem.SetFault)
		return func() {
			undo()
			m.Start()
		}
	})
}

// ClockRate makes a clock run too fast or too slow, by up to most parts in a billion.
func ClockRate(r Rate, aim Aim, most int64) sim.Fault {
	return recur("clock-rate", r, aim, func(s *sim.Stage, m *sim.Machine) func() {
		return overlay(s.World(), clockOf{m.Clock()}, m.Clock().RatePPB(), s.Draw().Between(-most, most), m.Clock().SetRate)
	})
}

// ClockStep makes a wall clock jump by up to most, forwards or backwards. Monotonic clocks do not
// jump.
func ClockStep(r Rate, aim Aim, most time.Duration) sim.Fault {
	return recur("clock-step", r, aim, func(s *sim.Stage, m *sim.Machine) func() {
		m.Clock().StepWall(time.Duration(s.Draw().Between(-int64(most), int64(most))))
		return func() {}
	})
}
