package lock

import (
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// Claim asks for a lock, for one handle.
type Claim struct {
	Lock  api.Ref
	Owner Owner
	Mode  api.Mode
	Delay api.LockDelay // Acquire keeps Delay.Bound()
}

// Grant is the answer to a Claim: OK with the hold of the handle, or LockHeld, LockDelayed,
// LockOther or Invalid, and then no row has changed.
type Grant struct {
	Code        api.Code
	Already     bool // with OK: the handle has held the lock since an earlier command
	Gen         api.LockGen
	Acquisition api.Acquisition
}

// Acquire grants a lock to a handle if that is possible now. It is Chubby's TryAcquire, and
// each attempt of its Acquire. The order of tests is that of the package comment: a handle
// that holds the lock is answered OK even while the delay of another holder runs.
func Acquire(tx *db.Txn, at api.Number, c Claim) (Grant, []Effect) {
	if c.Lock.Instance == 0 || !c.Owner.Valid() || !c.Mode.Valid() {
		return Grant{Code: api.Invalid}, nil
	}
	s := Get(tx, c.Lock)
	if held, ok := HeldBy(tx, c.Owner); ok {
		return repeatGrant(tx, s, held, c), nil
	}
	if s.hasConflict(c.Mode) {
		return Grant{Code: api.LockHeld}, nil
	}
	if s.Delays > 0 {
		return Grant{Code: api.LockDelayed}, nil
	}
	return grant(tx, at, s, c)
}

// repeatGrant answers a claim of a handle that holds a lock.
func repeatGrant(r Reader, s State, held api.Ref, c Claim) Grant {
	if held != c.Lock { // a handle belongs to one node: no client library sends this
		return Grant{Code: api.LockOther}
	}
	h := mustHold(r, c.Lock, c.Owner)
	if h.Mode != c.Mode {
		return Grant{Code: api.LockOther}
	}
	return Grant{Code: api.OK, Already: true, Gen: s.Gen, Acquisition: h.Acquisition}
}

func grant(tx *db.Txn, at api.Number, s State, c Claim) (Grant, []Effect) {
	if s.Mode == 0 {
		if api.LockGen(at) <= s.Gen {
			invariant.Failf("I-K2", "command %d takes %v, of generation %d", at, c.Lock, s.Gen)
		}
		s.Gen = api.LockGen(at)
	}
	s.Mode = c.Mode
	s.Holders++
	h := Hold{Mode: c.Mode, Acquisition: api.Acquisition(at), Delay: c.Delay.Bound()}
	putState(tx, c.Lock, s)
	putHold(tx, c.Lock, c.Owner, h)
	g := Grant{Code: api.OK, Gen: s.Gen, Acquisition: h.Acquisition}
	return g, []Effect{Granted{Lock: c.Lock, Owner: c.Owner, Mode: c.Mode, Gen: g.Gen, Acquisition: g.Acquisition}}
}
