package tree

import (
	"cmp"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// Usage is a number of nodes, and the bytes of contents in them.
type Usage struct{ Nodes, Bytes uint64 }

// Limits bound what one principal may own and what one directory may hold. They are the
// same for all, and stand in a row: replicas must agree on what they refuse.
type Limits struct {
	Principal Usage // over all nodes that one principal owns
	Directory Usage // over the children of one directory
}

// DefaultLimits are the limits of OpenFounding.
func DefaultLimits() Limits {
	u := Usage{Nodes: 1 << 14, Bytes: 64 << 20}
	return Limits{Principal: u, Directory: u}
}

// Or is l, and for each limit that is 0 in l, that of m.
func (l Limits) Or(m Limits) Limits {
	return Limits{l.Principal.or(m.Principal), l.Directory.or(m.Directory)}
}

func (u Usage) or(v Usage) Usage { return Usage{cmp.Or(u.Nodes, v.Nodes), cmp.Or(u.Bytes, v.Bytes)} }

// GetLimits reads the limits of the cell; before Make they are zero.
func GetLimits(r Reader) (l Limits) {
	if value, ok := r.Get(limitsKey); ok {
		must(decodeNumbers(limitsKey, value, &l.Principal.Nodes, &l.Principal.Bytes, &l.Directory.Nodes, &l.Directory.Bytes))
	}
	return l
}

// SetLimits sets the limits of the cell. A principal or directory above the new limits
// keeps what it has, and may not grow.
func SetLimits(tx *db.Txn, l Limits) {
	tx.Put(limitsKey, encodeNumbers(l.Principal.Nodes, l.Principal.Bytes, l.Directory.Nodes, l.Directory.Bytes))
}

// GetUsage reads what a principal owns.
func GetUsage(r Reader, principal api.Principal) (u Usage) {
	key := usageKey(principal)
	if value, ok := r.Get(key); ok {
		must(decodeNumbers(key, value, &u.Nodes, &u.Bytes))
	}
	return u
}

func must(err error) {
	if err != nil {
		invariant.Failf("I-F1", "%v", err)
	}
}

func (n node) usage() Usage { return Usage{Nodes: n.stat.Children, Bytes: n.bytes} }

// growth is by how much a usage changes.
type growth struct{ nodes, bytes int64 }

// canGrow reports whether u may change by g: only growth is held to the limit.
func (u Usage) canGrow(limit Usage, g growth) bool {
	over := func(x, max uint64, by int64) bool { return by > 0 && (x > max || max-x < uint64(by)) }
	return !over(u.Nodes, limit.Nodes, g.nodes) && !over(u.Bytes, limit.Bytes, g.bytes)
}

// plus is u changed by g; ok is false if that would be below 0.
func (u Usage) plus(g growth) (v Usage, ok bool) {
	if g.nodes < 0 && u.Nodes < uint64(-g.nodes) || g.bytes < 0 && u.Bytes < uint64(-g.bytes) {
		return u, false
	}
	return Usage{Nodes: u.Nodes + uint64(g.nodes), Bytes: u.Bytes + uint64(g.bytes)}, true
}

// checkQuota returns OK, or Quota if the owner or the directory may not change by g.
func (o *op) checkQuota(owner api.Principal, dir node, g growth) api.Code {
	limits := GetLimits(o.tx)
	if owner != "" && !GetUsage(o.tx, owner).canGrow(limits.Principal, g) || !dir.usage().canGrow(limits.Directory, g) {
		return api.Quota
	}
	return api.OK
}

// charge writes a change into the rows of the owner and of the directory.
func (o *op) charge(owner api.Principal, dir node, g growth) {
	if g == (growth{}) {
		return
	}
	u, ok := dir.usage().plus(g)
	if !ok {
		invariant.Failf("I-F3", "directory %v counts %+v, which changes by %+v", dir.ref(), dir.usage(), g)
	}
	dir.stat.Children, dir.bytes = u.Nodes, u.Bytes
	putNode(o.tx, dir)
	if owner != "" {
		o.chargeOwner(owner, g)
	}
}

func (o *op) chargeOwner(owner api.Principal, g growth) {
	u, ok := GetUsage(o.tx, owner).plus(g)
	switch {
	case !ok || u.Nodes == 0 && u.Bytes != 0:
		invariant.Failf("I-F6", "%q would own %+v after a change by %+v", owner, u, g)
	case u.Nodes == 0:
		o.tx.Delete(usageKey(owner))
	default:
		o.tx.Put(usageKey(owner), encodeNumbers(u.Nodes, u.Bytes))
	}
}
