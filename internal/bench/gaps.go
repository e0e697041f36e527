package bench

import (
	"sync/atomic"
	"time"
)

// gaps is the longest time in which no client was answered.
type gaps struct {
	since time.Time    // the measurement began
	last  atomic.Int64 // nanoseconds from there to the newest answer
	worst atomic.Int64
}

func (g *gaps) begin(now time.Time) { g.since = now }

// note notes an answer, or the end of the measurement.
func (g *gaps) note(at time.Time) {
	now := int64(at.Sub(g.since))
	for last := g.last.Load(); now > last; last = g.last.Load() {
		if !g.last.CompareAndSwap(last, now) {
			continue
		}
		for worst := g.worst.Load(); now-last > worst && !g.worst.CompareAndSwap(worst, now-last); worst = g.worst.Load() {
		}
		return
	}
}

func (g *gaps) longest() time.Duration { return time.Duration(g.worst.Load()) }
