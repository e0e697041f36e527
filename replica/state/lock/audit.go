package lock

import (
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
)

// Audit reads every row of this package and returns the first fault it finds, or nil.
func Audit(r Reader) error {
	for key, value := range r.Scan(Prefix) {
		if err := auditRow(r, key, value); err != nil {
			return err
		}
	}
	return nil
}

func auditRow(r Reader, key, value string) error {
	k, ok := ParseKey(key)
	if !ok {
		return fmt.Errorf("I-K1: no family has the key %q", key)
	}
	switch k.Family {
	case FamilyLock:
		return AuditLock(r, k.Lock)
	case FamilyHold:
		if n, ok := HeldBy(r, k.Owner); !ok || n != k.Lock {
			return fmt.Errorf("I-K4: %v holds %v, the index says %v", k.Owner, k.Lock, n)
		}
		return checkHasRow(r, k.Lock)
	case FamilyIndex:
		if n := readIndex(key, value); !isHeld(r, n, k.Owner) {
			return fmt.Errorf("I-K4: the index says that %v holds %v", k.Owner, n)
		}
	case FamilyDelay:
		return checkHasRow(r, k.Lock)
	}
	return nil
}

func isHeld(r Reader, n api.Ref, o Owner) bool {
	_, ok := GetHold(r, n, o)
	return ok
}

// checkHasRow reports a holder or delay of a lock that has no row.
func checkHasRow(r Reader, n api.Ref) error {
	if _, ok := r.Get(lockKey(n)); !ok {
		return fmt.Errorf("I-K3: %v has holders or delays and no row", n)
	}
	return nil
}

// AuditLock is Audit for one lock.
func AuditLock(r Reader, n api.Ref) error {
	s := Get(r, n)
	all, running := holders(r, n), delays(r, delaysOf(n))
	if s.Holders != uint64(len(all)) || s.Delays != uint64(len(running)) {
		return fmt.Errorf("I-K3: %v counts %d holders and %d delays, there are %d and %d", n, s.Holders, s.Delays, len(all), len(running))
	}
	if (s.Mode == 0) != (len(all) == 0) || s.Mode == api.Exclusive && len(all) > 1 || s.Mode != 0 && s.Gen == 0 {
		return fmt.Errorf("I-K3: %v is %v at generation %d with %d holders", n, s.Mode, s.Gen, len(all))
	}
	for _, h := range all {
		if h.hold.Mode != s.Mode || uint64(h.hold.Acquisition) < uint64(s.Gen) {
			return fmt.Errorf("I-K3: %v is %v at generation %d, %v holds it %v since %d", n, s.Mode, s.Gen, h.owner, h.hold.Mode, h.hold.Acquisition)
		}
		if h.hold.Delay > api.MaxLockDelay {
			return fmt.Errorf("I-K5: %v holds %v with a delay of %v", h.owner, n, h.hold.Delay)
		}
	}
	return auditDelays(n, s, running)
}

func auditDelays(n api.Ref, s State, running []Delay) error {
	for _, d := range running {
		if d.Length == 0 || d.Length > api.MaxLockDelay || uint64(d.Freed) <= uint64(s.Gen) {
			return fmt.Errorf("I-K5: %v, of generation %d, has a delay of %v since %d", n, s.Gen, d.Length, d.Freed)
		}
	}
	if s.Mode == api.Exclusive && len(running) > 0 {
		return fmt.Errorf("I-K5: %v is held exclusively while %d delays run", n, len(running))
	}
	return nil
}
