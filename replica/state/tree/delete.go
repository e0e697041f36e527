package tree

import (
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// Delete deletes a node without children, permanent or ephemeral: for a client, or because
// no client has the node open any more. The Outcome names the node and has no Stat.
func Delete(tx *db.Txn, n api.Number, ref api.Ref) Outcome {
	o := begin(tx, n)
	f, code := findDeletable(tx, ref)
	if code != api.OK {
		return o.refuse(code, f)
	}
	if f.stat.Kind == api.File {
		if _, had := tx.Delete(contentsKey(f.path)); !had {
			invariant.Failf("I-F4", "the file %v has no contents", ref)
		}
	}
	if f.stat.Ephemeral {
		if _, had := tx.Delete(ephemeralKey(f.path)); !had {
			invariant.Failf("I-F9", "the ephemeral %v is not in the index", ref)
		}
	}
	tx.Delete(nodeKey(f.path))
	parent := o.parentOf(f)
	o.charge(f.owner, parent, growth{nodes: -1, bytes: -int64(f.stat.Length)})
	o.addEffects(Deleted{Node: ref}, ChildChanged{Directory: parent.ref(), Name: f.path.Base(), Change: ChildDeleted})
	return Outcome{Code: api.OK, Node: ref, Effects: o.effects}
}

// CanDelete returns the code with which Delete would answer on these rows: OK; Invalid, for the root and
// the directory of ACLs; Gone; NotEmpty.
func CanDelete(r Reader, ref api.Ref) api.Code {
	_, code := findDeletable(r, ref)
	return code
}

// findDeletable finds the node that is to be deleted: with OK or NotEmpty.
func findDeletable(r Reader, ref api.Ref) (node, api.Code) {
	if ref.Path.IsRoot() || ref.Path == api.ACLDirectory() {
		return node{}, api.Invalid
	}
	f, code := find(r, ref)
	if code == api.OK && f.stat.Children > 0 {
		code = api.NotEmpty
	}
	return f, code
}
