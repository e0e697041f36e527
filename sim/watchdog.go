package sim

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// watchdog checks, in real time, that a world makes progress. It only reads a counter that the
// world writes, so it has no influence on a run.
type watchdog struct {
	beats atomic.Uint64
	seen  uint64
	since time.Time // when beats was first found to equal seen
	told  bool      // the stall since then was reported
	every time.Duration
	seed  uint64
	stuck func(text string)
	timer *time.Timer
	done  atomic.Bool
}

// looks is how often a watchdog looks during its waiting time.
const looks = 16

// watch is the watchdog of a world, while Run is called.
type watch struct{ dog *watchdog }

// start starts the watchdog for a call of Run.
func (w *watch) start(cfg Config) {
	every := cfg.Watchdog
	if every < 0 || w.dog != nil {
		return
	}
	if every == 0 {
		every = time.Minute
	}
	d := &watchdog{every: every, seed: cfg.Seed, stuck: cfg.Stuck, since: time.Now()}
	if d.stuck == nil {
		d.stuck = func(text string) { panic(text) }
	}
	w.dog = d
	d.timer = time.AfterFunc(time.Hour, d.look)
	d.next() // only now, so that look finds d.timer set
}

func (w *watch) stop() {
	if w.dog != nil {
		w.dog.done.Store(true)
		w.dog.timer.Stop()
		w.dog = nil
	}
}

// beat records that the world makes progress.
func (w *watch) beat() {
	if w.dog != nil {
		w.dog.beats.Add(1)
	}
}

func (d *watchdog) next() { d.timer.Reset(max(d.every/looks, time.Millisecond)) }

func (d *watchdog) look() {
	if d.done.Load() {
		return
	}
	if n := d.beats.Load(); n != d.seen {
		d.seen, d.since, d.told = n, time.Now(), false
	} else if !d.told && time.Since(d.since) >= d.every {
		d.told = true
		d.stuck(fmt.Sprintf("sim: seed %d: nothing went on for %v: simulated code loops, or blocks outside the simulator:\n\n%s",
			d.seed, d.every, blockers()))
	}
	d.next()
}

// blockers returns the stacks of coroutines that are neither parked nor ended. The one that blocks
// is among them.
func blockers() string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var out []string
	for _, g := range strings.Split(string(buf), "\n\n") {
		head, _, _ := strings.Cut(g, "\n")
		if strings.Contains(g, "sim.(*World).loop") || strings.Contains(g, "sim.(*coroutine).run(") {
			if !strings.Contains(head, "[coroutine") {
				out = append(out, g)
			}
		}
	}
	return strings.Join(out, "\n\n")
}
