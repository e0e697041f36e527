package lock

import (
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
)

// Release frees the hold of n by o that was granted by acquisition a: OK, or NotHeld. Any
// other hold stays, also one of o: a duplicate of an old Release frees nothing. The lock is
// available at once.
func Release(tx *db.Txn, n api.Ref, o Owner, a api.Acquisition) (api.Code, []Effect) {
	h, ok := GetHold(tx, n, o)
	if !ok || h.Acquisition != a {
		return api.NotHeld, nil
	}
	return api.OK, release(tx, []held{{n, o, h}})
}

// ReleaseHandle frees what o holds, if anything, at once: its handle was closed.
func ReleaseHandle(tx *db.Txn, o Owner) []Effect {
	return release(tx, heldBy(tx, o))
}

// ReleaseSession frees all that handles of the session hold, at once: the client itself
// has ended it, so it knows that it holds nothing any more. A session that expires has
// failed: see FailSession.
func ReleaseSession(tx *db.Txn, s api.SessionID) []Effect {
	return release(tx, heldIn(tx, s))
}

// Forget removes the lock of a deleted node, with its holders and running delays. It
// returns no Claimable: an Acquire that waits for the lock can never be granted.
func Forget(tx *db.Txn, n api.Ref) (effects []Effect) {
	for _, h := range holders(tx, n) {
		dropHold(tx, h.lock, h.owner)
		effects = append(effects, Freed{Lock: n, Owner: h.owner, Acquisition: h.hold.Acquisition})
	}
	for _, d := range delays(tx, delaysOf(n)) {
		tx.Delete(delayKey(n, d.Freed))
		effects = append(effects, DelayEnded{Lock: n, Freed: d.Freed})
	}
	tx.Delete(lockKey(n))
	return effects
}

func release(tx *db.Txn, all []held) (effects []Effect) {
	for _, h := range all {
		s := removeHold(tx, h)
		effects = append(effects, Freed{Lock: h.lock, Owner: h.owner, Acquisition: h.hold.Acquisition})
		if s.IsClaimable(api.Exclusive) {
			effects = append(effects, Claimable{Lock: h.lock})
		}
	}
	return effects
}

// removeHold removes one hold and returns the lock after it.
func removeHold(tx *db.Txn, h held) State {
	dropHold(tx, h.lock, h.owner)
	s := Get(tx, h.lock)
	s.Holders--
	if s.Holders == 0 {
		s.Mode = 0
	}
	putState(tx, h.lock, s)
	return s
}
