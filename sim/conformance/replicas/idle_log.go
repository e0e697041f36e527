package replicas

import (
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
}

// onStart records the start of a life on a log whose next record has number next.
func (l *idleLog) onStart(now time.Time, next paxos.LSN) { l.isUnmarked, l.lastSync = next > 1, now }

// onLogDone records the end of a log job.
func (l *idleLog) onLogDone(now time.Time, j *driver.LogJob) {
	l.isBusy = false
	switch {
	case j.Idle:
		l.isUnmarked = false
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
		w.Diverge("S17", "replica %d has not marked its idle log %v after the last sync; it has to after %v", id, now.Sub(l.lastSync), after)
	case waiting == 0 && (out.Wake.IsZero() || out.Wake.After(due)):
		w.Diverge("S17", "replica %d sleeps until %v, but its idle log has to be marked at %v", id, out.Wake, due)
	}
}
