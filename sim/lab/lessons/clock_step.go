package lessons

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// stepClock sets the server's clock right at once, as `date` does.
func stepClock(a *lab.App, s *scene) { s.StepWall("redis", 20*time.Second) }

// slewFast lets the clock catch up at 8.3 %, the most that chrony does by default.
func slewFast(a *lab.App, s *scene) { s.slew("redis", 20*time.Second, 83_333) }

// slewFastWithMargin is the same, with clients that leave a tenth of the lease unused.
func slewFastWithMargin(a *lab.App, s *scene) {
	s.counts["margin"] = 3
	slewFast(a, s)
}

// slewSlow lets the clock catch up at 500 ppm, as ntpd does.
func slewSlow(a *lab.App, s *scene) { s.slew("redis", 20*time.Second, 500) }

// writeInTime is the program of the clients: it writes only if its lease is good for longer than
// the margin.
func writeInTime(a *lab.App, s *scene) {
	h := a.Lock()
	v, _ := a.Read(h)
	a.Sleep(28 * time.Second)
	if h.Left() > time.Duration(s.counts["margin"])*time.Second {
		a.Write(h, v.Next())
	} else {
		a.Note("leaves it: its lease is good for %v only", h.Left().Round(100*time.Millisecond))
	}
	h.Release()
}

func clockStep() Lesson {
	return Lesson{
		Name: "clock-step", File: "clock_step.go",
		Title: "a clock that is corrected at once, or slowly",
		Says:  "a lease by a wall clock may end when that clock is set. If the clock is slewed at 500 ppm, the lease of 30 s is 15 ms shorter, and any margin covers it; at the 8.3 % that chrony may use, it is 2.3 s shorter. Better: a lease by a monotonic clock",
		harm:  []harm{lostUpdate},
		script: func(s *scene) {
			s.App("A", 0, func(a *lab.App) { writeInTime(a, s) })
			s.App("B", time.Second, func(a *lab.App) { writeInTime(a, s) })
			s.client("operator", 10*time.Millisecond)
		},
		programs: []program{
			{name: "stepClock", note: "lease of 30 s by the server's wall clock", wrong: true, build: redis, guard: lab.NoGuard, run: stepClock},
			{name: "slewFast", note: "83,333 ppm", wrong: true, build: redis, guard: lab.NoGuard, run: slewFast},
			{name: "slewFastWithMargin", note: "83,333 ppm, margin of 3 s", build: redis, guard: lab.NoGuard, run: slewFastWithMargin},
			{name: "slewSlow", note: "500 ppm", build: redis, guard: lab.NoGuard, run: slewSlow},
		},
	}
}
