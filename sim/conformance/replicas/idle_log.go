package replicas

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

// idleLog is the log of one life, by its replica's clock. An idle log must write its
// watermark. Until then rot at its end looks like a torn tail and is cut off silently
// (wal/doc.go, What stays ambiguous), and no fault may damage it (ondisk.Covered).
type idleLog struct {
	isBusy     bool      // a log job is under way
	isUnmarked bool      // no watermark was written since lastSync
	lastSync   time.Time // when the last sync ended
	marks      int       // how often it was marked in this life
}

// onStart records the start of a life on a log whose next record has number next.
func (l *idleLog) onStart(now time.Time, next paxos.LSN) {
	l.isUnmarked, l.lastSync, l.marks = next > 1, now, 0
}

// onLogDone records the end of a log job.
func (l *idleLog) onLogDone(now time.Time, j *driver.LogJob) {
	l.isBusy = false
	switch {
	case j.Idle:
		l.isUnmarked = false
		l.marks++
	case j.Sync:
		l.isUnmarked, l.lastSync = true, now
	}
}

// onActed checks the driver's output. A log that has been unmarked for after, and has nothing
// else to do, writes its watermark now; before, the replica asks to be woken by then (S17).
// waiting records have a wake of their own.
func (l *idleLog) onActed(w *sim.World, id paxos.NodeID, now time.Time, after time.Duration, out *driver.Output, waiting int) {
	l.isBusy = l.isBusy || out.Log != nil
	if l.isBusy || !l.isUnmarked {
		return
	}
	switch due := l.lastSync.Add(after); {
	case !now.Before(due):
		w.Diverge("S17", "replica %d has not marked its idle log %v after the last sync; it has to after %v. %s", id, now.Sub(l.lastSync), after, l.marked())
	case waiting == 0 && (out.Wake.IsZero() || out.Wake.After(due)):
		sleeps := "until it gets a message"
		if !out.Wake.IsZero() {
			sleeps = "for " + out.Wake.Sub(now).String()
		}
		w.Diverge("S17", "replica %d sleeps %s, but its idle log, last synced %v ago, has to be marked in %v. %s", id, sleeps, now.Sub(l.lastSync), due.Sub(now), l.marked())
	}
}

// marked says how often the log was marked: a replica that marks it once alone looks like one that never does.
func (l *idleLog) marked() string { return fmt.Sprintf("Marks in this life so far: %d", l.marks) }
