package sim

import (
	"math"
	"math/bits"
	"time"
)

const billion = 1_000_000_000

// epoch is what every monotonic clock with offset zero reads when the world begins. Instants given
// to processes are epoch plus the local monotonic nanoseconds, as plain time.Time values.
func epoch() time.Time { return instant(0) }

// instant returns the instant of a local monotonic reading: 2001-01-01 plus the reading.
func instant(local int64) time.Time { return time.Unix(978307200, local).UTC() }

// ClockConfig is the initial state of a machine's clock.
type ClockConfig struct {
	Offset     time.Duration // of the monotonic clock, at the start of the world
	WallOffset time.Duration // of the wall clock from true time
	RatePPB    int64         // rate error in parts per billion: +1000 gains 1 µs a second
}

// Clock is a machine's clock. Only the simulator knows true time; a process sees only its machine's
// clock. The monotonic and the wall reading are separate: a step moves the wall reading, never the
// monotonic one. Rate errors, slew and freezing affect both, as on a real machine. A pause of the
// process does not stop the clock. A power cut gives the monotonic reading a new, unrelated offset,
// as a reboot does, so no instant read before it may be used afterwards.
type Clock struct {
	m    *Machine
	line line
	rate int64 // configured error, ppb
	slew int64 // temporary addition, ppb
	stop int   // how many freezes are in force
	wall int64 // wall minus monotonic reading

	worst int64 // the largest rate error so far, without its sign, ppb

	wallStops int   // how many freezes of the wall reading are in force
	wallAt    int64 // the wall reading while it is frozen
	gen       uint64
}

// line maps true time to local time, exactly: local(t) is
// at.local + floor((t - at.true)·(10⁹ + ppb) / 10⁹). It never runs backward.
type line struct {
	trueAt, localAt int64
	ppb             int64 // at least -10⁹, where it stands still
}

// local returns the local reading at true time t, which must not be before the anchor.
func (l *line) local(t int64) int64 {
	dt := t - l.trueAt
	if l.ppb == 0 {
		return l.localAt + dt
	}
	hi, lo := bits.Mul64(uint64(dt), uint64(billion+l.ppb))
	if hi >= billion {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, billion)
	return l.localAt + int64(q)
}

// when returns the first true time at which the reading is at least x. It is never before the
// anchor, and is math.MaxInt64 if the line does not reach x.
func (l *line) when(x int64) int64 {
	dl := x - l.localAt
	if dl <= 0 {
		return l.trueAt
	}
	if l.ppb == 0 {
		return addCapped(l.trueAt, uint64(dl))
	}
	rate := uint64(billion + l.ppb)
	hi, lo := bits.Mul64(uint64(dl), billion)
	if hi >= rate {
		return math.MaxInt64
	}
	q, r := bits.Div64(hi, lo, rate)
	if r > 0 {
		q++
	}
	return addCapped(l.trueAt, q)
}

// turn continues from true time t at another rate.
func (l *line) turn(t, ppb int64) {
	l.localAt = l.local(t)
	l.trueAt = t
	l.ppb = max(ppb, -billion)
}

func addCapped(a int64, d uint64) int64 {
	if d > uint64(math.MaxInt64-a) {
		return math.MaxInt64
	}
	return a + int64(d)
}

func newClock(m *Machine, c ClockConfig, now int64) Clock {
	k := Clock{m: m, rate: c.RatePPB}
	k.line = line{trueAt: now, localAt: int64(c.Offset), ppb: max(c.RatePPB, -billion)}
	k.worst = max(k.line.ppb, -k.line.ppb)
	k.wall = int64(c.WallOffset) - int64(c.Offset)
	return k
}

// Mono returns the monotonic reading at this instant. It does not enter the trace hash: it is for
// checkers and faults.
func (c *Clock) Mono() time.Time { return instant(c.line.local(c.m.w.timeline.now)) }

// read reads the clock for the process of its machine. The reading enters the trace hash.
func (c *Clock) read() time.Time {
	local := c.line.local(c.m.w.timeline.now)
	c.m.w.hash.fold(markClock<<60 ^ uint64(local))
	return instant(local)
}

// Wall returns the wall reading at this instant.
func (c *Clock) Wall() time.Time { return instant(c.wallReading()) }

func (c *Clock) wallReading() int64 {
	if c.wallStops > 0 {
		return c.wallAt
	}
	return c.line.local(c.m.w.timeline.now) + c.wall
}

// TrueTime returns the true time at which the monotonic reading is or was t, if the rate stays as
// it is. It is for checkers. For instants before the latest change of rate, it returns the time of
// that change.
func (c *Clock) TrueTime(t time.Time) time.Duration {
	return time.Duration(c.line.when(localOf(t)))
}

// RatePPB returns the rate error in force.
func (c *Clock) RatePPB() int64 { return c.line.ppb }

// WorstPPB returns the largest rate error that was ever in force, without its sign: a checker that
// takes clocks to keep a bound has nothing to say once this is above it.
func (c *Clock) WorstPPB() int64 { return c.worst }

// SetRate changes the rate error permanently. Running timers are scheduled again for the new rate.
func (c *Clock) SetRate(ppb int64) {
	c.rate = ppb
	c.turn("rate", uint64(ppb))
}

// Slew adds ppb to the rate for a span of true time, like a time daemon that corrects an error
// smoothly. A later Slew replaces an earlier one.
func (c *Clock) Slew(ppb int64, span time.Duration) {
	c.slew = ppb
	c.turn("slew", uint64(ppb))
	gen := c.gen
	c.m.w.After(span, func() {
		if c.gen == gen {
			c.slew = 0
			c.turn("slew", 0)
		}
	})
}

// Freeze stops the clock for a span of true time.
func (c *Clock) Freeze(span time.Duration) {
	c.stop++
	c.turn("freeze", uint64(span))
	c.m.w.After(span, func() {
		c.stop--
		c.turn("thaw", 0)
	})
}

// FreezeWall stops the wall reading for a span of true time. The monotonic reading continues: a
// process that uses only that one notices nothing.
func (c *Clock) FreezeWall(span time.Duration) {
	c.wallAt = c.wallReading()
	c.wallStops++
	c.m.w.Fault(c.m.addr, "clock.freeze-wall", uint64(span))
	c.m.w.After(span, func() {
		if c.wallStops--; c.wallStops == 0 {
			c.wall = c.wallAt - c.line.local(c.m.w.timeline.now)
		}
	})
}

// StepWall moves the wall reading by d, forward or backward.
func (c *Clock) StepWall(d time.Duration) {
	c.wall += int64(d)
	c.wallAt += int64(d)
	c.m.w.Fault(c.m.addr, "clock.step", uint64(d))
}

// turn puts the present rate in force.
func (c *Clock) turn(kind string, arg uint64) {
	w := c.m.w
	w.Fault(c.m.addr, "clock."+kind, arg)
	if kind == "slew" {
		c.gen++
	}
	ppb := c.rate + c.slew
	if c.stop > 0 {
		ppb = -billion
	}
	c.line.turn(w.timeline.now, ppb)
	c.worst = max(c.worst, c.line.ppb, -c.line.ppb)
	c.m.timers.arm()
}

// reboot restarts the monotonic reading at another offset; the wall reading continues.
func (c *Clock) reboot(offset int64) {
	c.wall += c.line.local(c.m.w.timeline.now) - offset
	c.line.trueAt, c.line.localAt = c.m.w.timeline.now, offset
}

// ReadingOf returns a reading of a machine's clock in the form in which the trace prints it.
func ReadingOf(t time.Time) time.Duration { return time.Duration(localOf(t)) }

// localOf is the inverse of instant; it saturates.
func localOf(t time.Time) int64 { return int64(t.Sub(epoch())) }
