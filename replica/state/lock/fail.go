package lock

import (
	"slices"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// FailSession ends all holds of a session that has expired, as part of the command that
// ends the session. Each lock is delayed for the lock-delay of its failed holder; without
// a lock-delay it is available at once.
func FailSession(tx *db.Txn, at api.Number, s api.SessionID) []Effect {
	return fail(tx, at, heldIn(tx, s))
}

// FailHandle is FailSession for one handle of a live session: its client did not present
// it to the new master in time.
func FailHandle(tx *db.Txn, at api.Number, o Owner) []Effect {
	return fail(tx, at, heldBy(tx, o))
}

// fail frees all holds first, and then returns the effect on each lock: two handles of one
// session may have shared a lock, and then the longer of their delays runs.
func fail(tx *db.Txn, at api.Number, all []held) (effects []Effect) {
	var locks []api.Ref
	for _, h := range all {
		if api.Acquisition(at) <= h.hold.Acquisition {
			invariant.Failf("I-K5", "command %d fails %v, who was granted %v by %d", at, h.owner, h.lock, h.hold.Acquisition)
		}
		removeHold(tx, h)
		delay(tx, at, h)
		effects = append(effects, Freed{Lock: h.lock, Owner: h.owner, Acquisition: h.hold.Acquisition, Failed: true})
		if !slices.Contains(locks, h.lock) {
			locks = append(locks, h.lock)
		}
	}
	for _, n := range locks {
		key := delayKey(n, at)
		if value, ok := tx.Get(key); ok {
			effects = append(effects, DelayBegan{Lock: n, Freed: at, Delay: readDelay(key, value)})
		} else if Get(tx, n).IsClaimable(api.Exclusive) {
			effects = append(effects, Claimable{Lock: n})
		}
	}
	return effects
}

// delay begins the delay of a failed holder, or lengthens the one that this command has
// begun.
func delay(tx *db.Txn, at api.Number, h held) {
	key := delayKey(h.lock, at)
	value, ok := tx.Get(key)
	switch {
	case h.hold.Delay == 0:
		return
	case !ok:
		s := Get(tx, h.lock)
		s.Delays++
		putState(tx, h.lock, s)
	case readDelay(key, value) >= h.hold.Delay:
		return
	}
	tx.Put(key, write(uint64(h.hold.Delay)))
}

// EndDelay ends the delay of n that began with the command freed, and reports whether one
// was running. For a delay that has ended, or a lock whose node was deleted, it changes
// nothing; delays that began with other commands go on.
func EndDelay(tx *db.Txn, n api.Ref, freed api.Number) (ended bool, effects []Effect) {
	if _, running := tx.Delete(delayKey(n, freed)); !running {
		return false, nil
	}
	s := Get(tx, n)
	s.Delays--
	putState(tx, n, s)
	effects = []Effect{DelayEnded{Lock: n, Freed: freed}}
	if s.IsClaimable(api.Shared) {
		effects = append(effects, Claimable{Lock: n})
	}
	return true, effects
}
