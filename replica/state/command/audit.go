package command

import (
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Audit walks all rows of a cell and returns the first fault it finds, or nil: a key of no
// family, a fault that the audits of rows, tree or lock find, or a violation of I-R6 to
// I-R8, which are about rows of several packages.
func Audit(r rows.Reader) error {
	for key := range r.Ascend("", "") {
		if !hasFamily(key) {
			return fmt.Errorf("I-R1: no family has the key %.80q", key)
		}
	}
	upto := rows.GetTotals(r).Commands
	for _, audit := range []func() error{
		func() error { return rows.Audit(r) },
		func() error { return tree.Audit(r, upto) },
		func() error { return lock.Audit(r) },
		func() error { return auditHolders(r, upto) },
		func() error { return auditLocks(r) },
		func() error { return auditSecret(r) },
	} {
		if err := audit(); err != nil {
			return err
		}
	}
	return nil
}

// hasFamily reports whether one of the packages rows, tree and lock makes such keys.
func hasFamily(key string) bool {
	_, ok := rows.ParseKey(key)
	if !ok {
		_, ok = tree.ParseKey(key)
	}
	if !ok {
		_, ok = lock.ParseKey(key)
	}
	return ok
}

func auditHolders(r rows.Reader, upto api.Number) error {
	for _, h := range lock.Holdings(r) {
		if _, alive := rows.GetSession(r, h.Owner.Session); !alive {
			return fmt.Errorf("I-R6: %v holds %v, and its session is not alive", h.Owner, h.Lock)
		}
		if uint64(h.Acquisition) > uint64(upto) {
			return fmt.Errorf("I-R6: %v was granted %v by command %d, after command %d", h.Owner, h.Lock, h.Acquisition, upto)
		}
	}
	for _, d := range lock.Delays(r) {
		if d.Freed > upto {
			return fmt.Errorf("I-R6: a delay of %v began with command %d, after command %d", d.Lock, d.Freed, upto)
		}
	}
	return nil
}

func auditLocks(r rows.Reader) error {
	for n, s := range lock.All(r) {
		stat, code := tree.Stat(r, n)
		if code != api.OK || stat.Lock != s.Gen {
			return fmt.Errorf("I-R7: the lock %v is of generation %d; its node is %v, of %d", n, s.Gen, code, stat.Lock)
		}
	}
	for n, stat := range tree.Nodes(r) {
		taken := uint64(stat.Lock) != uint64(stat.Instance)
		if s := lock.Get(r, n); taken && s.Gen != stat.Lock || !taken && s != (lock.State{}) {
			return fmt.Errorf("I-R7: the node %v is of lock generation %d, its lock of %d", n, stat.Lock, s.Gen)
		}
	}
	return nil
}

func auditSecret(r rows.Reader) error {
	_, _, code := tree.Lookup(r, api.Path{})
	if _, sealed := rows.GetSecret(r); sealed != (code == api.OK) {
		return fmt.Errorf("I-R8: the root is %v; a secret: %t", code, sealed)
	}
	return nil
}
