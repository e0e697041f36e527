package lab

import (
	"fmt"
	"math"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// Fault is something that a script does to a machine, for pages.
type Fault struct {
	Who  string        // machine
	Text string        // as in the time line
	From time.Duration // true time
	To   time.Duration // when it ends; after the end of the run: it does not
}

// forever is the end of a fault that has none.
const forever = time.Duration(math.MaxInt64)

// strike puts a fault into the time line.
func strike(b *Bench, until time.Duration, who, format string, args ...any) {
	b.Say(who, format, args...)
	b.sees.faults = append(b.sees.faults, Fault{who, fmt.Sprintf(format, args...), b.Now(), until})
}

// Pause stops the program of a machine until a true time. Its clock goes on, and what arrives
// waits.
func (b *Bench) Pause(name string, until time.Duration) {
	strike(b, until, name, "is paused until %s (its process does not run)", seconds(until))
	m := b.Machine(name)
	m.Pause()
	b.At(until, func() {
		b.Say(name, "runs again")
		m.Resume()
	})
}

// StepWall moves the wall clock of a machine.
func (b *Bench) StepWall(name string, by time.Duration) {
	strike(b, b.Now(), name, "its wall clock is stepped by %+.0f s", by.Seconds())
	b.Machine(name).Clock().StepWall(by)
}

// Rate makes the clock of a machine gain or lose: percent +10 gains 6 seconds a minute.
func (b *Bench) Rate(name string, percent int64) {
	strike(b, forever, name, "its clock runs %+d %% from now on", percent)
	b.Machine(name).Clock().SetRate(percent * 10_000_000)
}

// Crash cuts the power of a machine; a service starts again after outage (below 0: never), with
// what its disk kept. A client that crashed does nothing more.
func (b *Bench) Crash(name string, outage time.Duration) {
	if outage < 0 {
		strike(b, forever, name, "loses power, for good")
	} else {
		strike(b, b.Now()+outage, name, "loses power, for %s s", short(outage))
	}
	m := b.Machine(name)
	m.Crash()
	if b.clientIndex(name) >= 0 {
		b.sees.holds.endOf(name, b.Now())
		b.sees.waits.drop(name)
		b.ended()
		return
	}
	if outage >= 0 {
		b.world.After(outage, func() {
			b.Say(name, "starts again")
			m.Start()
		})
	}
}

// HoldBack delays all that is sent from one machine to another until a true time.
func (b *Bench) HoldBack(from, to string, until time.Duration) {
	strike(b, until, from, "what it sends to %s is late: it arrives at %s", to, seconds(until))
	l := b.world.Net().Link(b.address(from), b.address(to))
	l.Clog()
	b.At(until, l.Release)
}

// Cut loses all messages between two groups of machines until a true time.
func (b *Bench) Cut(one, other []string, until time.Duration) {
	for _, from := range one {
		strike(b, until, from, "is cut off from %s until %s", list(other), seconds(until))
	}
	groups := [][]sim.Addr{b.addresses(one), b.addresses(other)}
	b.world.Net().Partition(groups...)
	b.cuts.add(one, other, 1)
	b.At(until, func() {
		b.world.Net().Unite(groups...)
		b.cuts.add(one, other, -1)
	})
}

// cuts counts the cuts in force between two machines.
type cuts map[[2]string]int

func (c cuts) add(one, other []string, by int) {
	for _, x := range one {
		for _, y := range other {
			c[[2]string{x, y}] += by
			c[[2]string{y, x}] += by
		}
	}
}

func (b *Bench) addresses(names []string) (all []sim.Addr) {
	for _, name := range names {
		all = append(all, b.address(name))
	}
	return all
}
