package replicas

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

// idleLog is the log of one life, by the clock that its host goes by. One that rests
// must write its watermark: until then its end could rot, look like a torn tail and be
// cut in silence (wal/doc.go, What stays ambiguous), and no strike may hit it (covered).
type idleLog struct {
	busy  bool      // a job is under way
	owes  bool      // no mark was written since the last sync
	since time.Time // that sync
}

// begins is told that a life begins, on a log whose next record has number next.
func (l *idleLog) begins(now time.Time, next paxos.LSN) { l.owes, l.since = next > 1, now }

// ends is told that a job has ended.
func (l *idleLog) ends(now time.Time, j *driver.LogJob) {
	l.busy = false
	switch {
	case j.Idle:
		l.owes = false
	case j.Sync:
		l.owes, l.since = true, now
	}
}

// acts is told what a host wants done. A log that owes its mark for after, and has
// nothing else to do, writes it now; one that will owe it by then has its host woken
// (S17). Records that wait for company have a wake of their own.
func (l *idleLog) acts(w *sim.World, id paxos.NodeID, now time.Time, after time.Duration, out *driver.Output, waiting int) {
	l.busy = l.busy || out.Log != nil
	if l.busy || !l.owes {
		return
	}
	switch due := l.since.Add(after); {
	case !now.Before(due):
		w.Break("S17", "replica %d leaves its log without a mark %v after the last sync, it should have one after %v", id, now.Sub(l.since), after)
	case waiting == 0 && (out.Wake.IsZero() || out.Wake.After(due)):
		w.Break("S17", "replica %d sleeps until %v, its log is due for a mark at %v", id, out.Wake, due)
	}
}
