package tree

import (
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
)

// SetContents replaces the whole contents of a file. With a generation it does so only if
// that is the present one, else the Outcome is Conflict and has the present one; 0, which
// no file has, sets no condition. The generation grows even if the bytes are the same.
func SetContents(tx *db.Txn, n api.Number, ref api.Ref, contents string, when api.ContentGen) Outcome {
	o := begin(tx, n)
	if len(contents) > api.MaxContents {
		return o.refuse(api.TooLarge, node{})
	}
	f, code := find(tx, ref)
	switch {
	case code != api.OK:
		return o.refuse(code, node{})
	case f.stat.Kind != api.File:
		return o.refuse(api.IsDirectory, f)
	case when != 0 && when != f.stat.Content:
		return o.refuse(api.Conflict, f)
	}
	parent, g := o.parentOf(f), growth{bytes: int64(len(contents)) - int64(f.stat.Length)}
	if code := o.checkQuota(f.owner, parent, g); code != api.OK {
		return o.refuse(code, f)
	}
	o.fill(&f, contents)
	putNode(tx, f)
	o.charge(f.owner, parent, g)
	o.addEffects(ContentsChanged{Node: ref, Gen: f.stat.Content})
	o.addParentEffect(f, ChildModified)
	return o.done(f)
}

// SetACL replaces the ACL names of a node, all three of them. With a generation it does so
// only if that is the present one, else the Outcome is Conflict and has the present one;
// 0, which no node has, sets no condition (C5.07).
func SetACL(tx *db.Txn, n api.Number, ref api.Ref, names api.ACLNames, when api.ACLGen) Outcome {
	o := begin(tx, n)
	if code := names.Check(); code != api.OK {
		return o.refuse(code, node{})
	}
	f, code := find(tx, ref)
	switch {
	case code != api.OK:
		return o.refuse(code, node{})
	case when != 0 && when != f.stat.ACL:
		return o.refuse(api.Conflict, f)
	}
	f.stat.Names = names
	f.stat.ACL = api.ACLGen(o.next("ACL", f, uint64(f.stat.ACL)))
	putNode(tx, f)
	o.addEffects(ACLChanged{Node: ref, Gen: f.stat.ACL})
	o.addParentEffect(f, ChildModified)
	return o.done(f)
}

// BumpLock notes that the lock of a node goes from free to held (C3.06). Its holders are
// rows of replica/state/lock.
func BumpLock(tx *db.Txn, n api.Number, ref api.Ref) Outcome {
	o := begin(tx, n)
	f, code := find(tx, ref)
	if code != api.OK {
		return o.refuse(code, node{})
	}
	f.stat.Lock = api.LockGen(o.next("lock", f, uint64(f.stat.Lock)))
	putNode(tx, f)
	o.addEffects(LockTaken{Node: ref, Gen: f.stat.Lock})
	return o.done(f)
}
