package sim

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/draw"
)

func TestLineTable(t *testing.T) {
	for _, c := range []struct {
		name         string
		line         line
		at, local    int64
		target, when int64
	}{
		{"true", line{0, 5, 0}, 10, 15, 15, 10},
		{"fast by a fifth", line{0, 0, 200_000_000}, 10, 12, 12, 10},
		{"fast, between two readings", line{0, 0, 200_000_000}, 9, 10, 11, 10},
		{"slow by a fifth", line{0, 0, -200_000_000}, 10, 8, 8, 10},
		{"slow, rounding up", line{0, 0, -200_000_000}, 11, 8, 9, 12},
		{"one part in a billion", line{0, 0, 1}, 999_999_999, 999_999_999, billion + 1, billion},
		{"anchored", line{100, 1000, 500_000_000}, 102, 1003, 1003, 102},
		{"a target that has passed", line{100, 1000, 0}, 100, 1000, 3, 100},
		{"standing still", line{7, 40, -billion}, 1 << 50, 40, 41, math.MaxInt64},
		{"a year at +20 %", line{0, 0, 200_000_000}, 31_536_000 * billion, 37_843_200 * billion, 37_843_200 * billion, 31_536_000 * billion},
		{"beyond the end", line{0, 0, -999_999_999}, 10, 0, math.MaxInt64, math.MaxInt64},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.local, c.line.local(c.at))
			require.Equal(t, c.when, c.line.when(c.target))
		})
	}
}

// line.when is exact: at the returned time the reading is at least the target, and one nanosecond
// earlier it is below the target. Readings never fall, even when the rate changes.
func TestLineIsExactAndMonotone(t *testing.T) {
	s := draw.New(3).Stream("line", 0)
	l := line{trueAt: 50, localAt: s.Between(-1000, 1000)}
	now, last := int64(50), int64(math.MinInt64)
	for range 20000 {
		now += s.LogUniform(1, 1<<40)
		got := l.local(now)
		require.GreaterOrEqual(t, got, last)
		last = got
		target := got + s.LogUniform(1, 1<<40)
		at := l.when(target)
		require.GreaterOrEqual(t, l.local(at), target)
		require.Less(t, l.local(at-1), target)
		if s.Chance(1, 3) {
			l.turn(now, s.Between(-300_000_000, 300_000_000))
			require.Equal(t, got, l.local(now))
		}
	}
}

// ticker notes the true times at which it was woken.
type ticker struct {
	env   *Env
	every time.Duration
	next  time.Time
	woken []time.Duration
	early int
}

func (p *ticker) Start(env *Env) {
	p.env = env
	p.next = env.Now().Add(p.every)
	env.WakeAt(p.next)
}

func (p *ticker) Receive(time.Time, Addr, []byte) {}

func (p *ticker) Wake(now time.Time) {
	if now.Before(p.next) {
		p.early++
	}
	p.woken = append(p.woken, p.env.World().Now())
	p.next = p.next.Add(p.every)
	p.env.WakeAt(p.next)
}

func tick(t *testing.T, c ClockConfig, act func(w *World, m *Machine)) []time.Duration {
	w := New(Config{Seed: 1})
	defer w.Close()
	p := &ticker{every: 100 * time.Millisecond}
	m := w.Add(MachineConfig{Clock: c, Process: func() Process { return p }})
	m.Start()
	if act != nil {
		act(w, m)
	}
	w.Run(time.Second)
	require.Nil(t, w.Failure())
	require.Zero(t, p.early)
	return p.woken
}

func TestTimersRunAtTheRateOfTheirOwnClock(t *testing.T) {
	ms := time.Millisecond
	require.Len(t, tick(t, ClockConfig{}, nil), 10)
	require.Len(t, tick(t, ClockConfig{RatePPB: 200_000_000, Offset: -time.Hour}, nil), 12)
	require.Len(t, tick(t, ClockConfig{RatePPB: -200_000_000}, nil), 8)
	require.Equal(t, 125*ms, tick(t, ClockConfig{RatePPB: -200_000_000}, nil)[0])

	after := func(d time.Duration, f func(c *Clock)) func(*World, *Machine) {
		return func(w *World, m *Machine) { w.After(d, func() { f(m.Clock()) }) }
	}
	faster := tick(t, ClockConfig{}, after(50*ms, func(c *Clock) { c.SetRate(billion) }))
	require.Equal(t, []time.Duration{75 * ms, 125 * ms}, faster[:2], "a timer that runs is armed again")
	slower := tick(t, ClockConfig{}, after(50*ms, func(c *Clock) { c.SetRate(-500_000_000) }))
	require.Equal(t, []time.Duration{150 * ms, 350 * ms}, slower[:2])
	frozen := tick(t, ClockConfig{}, after(50*ms, func(c *Clock) { c.Freeze(300 * ms) }))
	require.Equal(t, []time.Duration{400 * ms, 500 * ms}, frozen[:2])
	slewed := tick(t, ClockConfig{}, after(100*ms, func(c *Clock) { c.Slew(500_000_000, 200*ms) }))
	require.Equal(t, []time.Duration{100 * ms, 166666667, 233333334, 300 * ms, 400 * ms}, slewed[:5])
	stepped := tick(t, ClockConfig{}, after(50*ms, func(c *Clock) { c.StepWall(time.Hour) }))
	require.Equal(t, 100*ms, stepped[0], "steps of the wall clock move no timer")
}

func TestWallAndMonotonicAreApart(t *testing.T) {
	w := New(Config{})
	defer w.Close()
	m := w.Add(MachineConfig{Clock: ClockConfig{Offset: time.Hour, WallOffset: -time.Minute}, Process: func() Process { return &ticker{every: 1} }})
	c := m.Clock()
	require.Equal(t, epoch().Add(time.Hour), c.Mono())
	require.Equal(t, epoch().Add(-time.Minute), c.Wall())
	c.StepWall(-time.Second)
	w.Run(time.Second)
	require.Equal(t, epoch().Add(time.Hour+time.Second), c.Mono())
	require.Equal(t, epoch().Add(-time.Minute), c.Wall())
	require.Equal(t, 3*time.Second, c.TrueTime(c.Mono().Add(2*time.Second)))

	m.cfg.Process = func() Process { return &silent{} }
	m.Start()
	m.Crash()
	require.NotEqual(t, epoch().Add(time.Hour+time.Second), c.Mono(), "a reboot starts the monotonic clock anew")
	require.Equal(t, epoch().Add(-time.Minute), c.Wall())
}

// silent is a process that does nothing.
type silent struct{}

func (silent) Start(*Env)                      {}
func (silent) Receive(time.Time, Addr, []byte) {}
func (silent) Wake(time.Time)                  {}

// Two freezes that overlap, with a step between them: the wall reading stands still until the later
// freeze ends, and continues from there.
func TestAFrozenWallClockLeavesTheMonotonicOneAlone(t *testing.T) {
	w := New(Config{})
	defer w.Close()
	m := w.Add(MachineConfig{Process: func() Process { return &silent{} }})
	c := m.Clock()
	c.FreezeWall(2 * time.Second)
	w.Run(time.Second)
	c.FreezeWall(3 * time.Second)
	c.StepWall(time.Minute)
	w.Run(3 * time.Second)
	require.Equal(t, epoch().Add(time.Minute), c.Wall())
	require.Equal(t, epoch().Add(3*time.Second), c.Mono())
	w.Run(6 * time.Second)
	require.Equal(t, epoch().Add(time.Minute+2*time.Second), c.Wall())
	require.Equal(t, epoch().Add(6*time.Second), c.Mono())
}

func TestTheWorstRateOfAClockIsKept(t *testing.T) {
	w := New(Config{})
	t.Cleanup(w.Close)
	c := w.Add(MachineConfig{Clock: ClockConfig{RatePPB: -300}}).Clock()
	worst := []int64{c.WorstPPB()}
	for _, rate := range []int64{200, -400, 0, 500, 100} {
		c.SetRate(rate)
		worst = append(worst, c.WorstPPB())
	}
	require.Equal(t, []int64{300, 300, 400, 400, 500, 500}, worst)
	c.Freeze(time.Millisecond)
	require.Equal(t, int64(billion), c.WorstPPB())
}
