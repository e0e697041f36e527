package lock

import (
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
)

// Owner is a holder of locks: a handle of a session, not merely the session (CHU §2.4).
type Owner struct {
	Session api.SessionID
	Handle  api.HandleID
}

// Valid reports whether o names a handle of a session.
func (o Owner) Valid() bool { return o.Session != 0 && o.Handle != api.HandleID{} }

// String prints session and handle.
func (o Owner) String() string { return fmt.Sprintf("%d/%v", o.Session, o.Handle) }

// State is a lock as a whole. The zero State is that of a lock that was never held.
type State struct {
	Gen     api.LockGen // of the period in which it is held, or was last held
	Mode    api.Mode    // in which it is held; 0: it is free
	Holders uint64      // number of holders
	Delays  uint64      // number of running delays
}

// IsClaimable reports whether a handle that holds no lock could get this one in this mode now.
func (s State) IsClaimable(m api.Mode) bool { return !s.hasConflict(m) && s.Delays == 0 }

func (s State) hasConflict(m api.Mode) bool { return s.Mode != 0 && s.Mode.HasConflict(m) }

// Get reads a lock.
func Get(r Reader, n api.Ref) State {
	key := lockKey(n)
	value, ok := r.Get(key)
	if !ok {
		return State{}
	}
	return readState(key, value)
}

// Hold is one handle's hold of one lock.
type Hold struct {
	Mode        api.Mode
	Acquisition api.Acquisition
	Delay       api.LockDelay // the lock-delay that begins if the holder fails
}

// GetHold reads the hold of a lock by o, and whether there is one.
func GetHold(r Reader, n api.Ref, o Owner) (h Hold, ok bool) {
	key := holdKey(n, o)
	value, ok := r.Get(key)
	if !ok {
		return Hold{}, false
	}
	return readHold(key, value), true
}

// HeldBy returns the lock that o holds, and whether it holds one.
func HeldBy(r Reader, o Owner) (n api.Ref, ok bool) {
	key := indexKey(o)
	value, ok := r.Get(key)
	if !ok {
		return api.Ref{}, false
	}
	return readIndex(key, value), true
}
