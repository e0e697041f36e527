package watchdog

import "time"

// action is what a fuse wants done.
type action int

const (
	nothing action = iota
	terminate
	kill
)

// fuse ends a command whose lock does not look after it any more, by instants since the machine
// has started. A lock that is alive tells the command to end at an earlier instant.
//
//	half the grace before until    terminate, once
//	until                          kill, again and again
type fuse struct {
	until time.Duration // when the command must be dead
	grace time.Duration // how long it has to end in good order
	lit   bool          // it was told to end: nothing extends until any more
}

// extend moves the end.
func (f *fuse) extend(until time.Duration) {
	if !f.lit {
		f.until = until
	}
}

// light says that lock has told the command to end, and is to kill it first.
func (f *fuse) light() {
	if !f.lit {
		f.until, f.lit = f.until+f.grace/4, true
	}
}

// cut begins the grace at an instant, because lock is dead.
func (f *fuse) cut(now time.Duration) {
	f.until, f.lit = min(f.until, now+f.grace), true
}

// isOver reports whether the command must be dead at an instant.
func (f *fuse) isOver(now time.Duration) bool { return now >= f.until }

// look decides at an instant.
func (f *fuse) look(now time.Duration) action {
	switch {
	case f.isOver(now):
		f.lit = true
		return kill
	case !f.lit && now >= f.until-f.grace/2:
		f.lit = true
		return terminate
	}
	return nothing
}
