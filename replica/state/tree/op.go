package tree

import (
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// Outcome is the result of an operation.
type Outcome struct {
	Code    api.Code // OK, or why nothing was changed
	Node    api.Ref  // the node that was made or found; zero if there is none
	Stat    api.Stat // of Node after the operation, refused or not; zero if it is gone
	Effects []Effect // in order; none unless OK
}

// op is an operation under way. It makes all tests first, and then writes.
type op struct {
	tx      *db.Txn
	n       api.Number
	mark    db.Mark
	effects []Effect
}

func begin(tx *db.Txn, n api.Number) *op {
	if n == 0 {
		invariant.Failf("I-F5", "an operation without the number of its command")
	}
	return &op{tx: tx, n: n, mark: tx.Mark()}
}

// refuse ends the operation: about is the node that it found, if any.
func (o *op) refuse(code api.Code, about node) Outcome {
	if o.tx.Mark() != o.mark {
		invariant.Failf("I-F7", "command %d is refused by %v and has changed rows", o.n, code)
	}
	out := Outcome{Code: code}
	if about.stat.Kind != 0 {
		out.Node, out.Stat = about.ref(), about.stat
	}
	return out
}

// done ends the operation: n is the node as it is now.
func (o *op) done(n node) Outcome {
	return Outcome{Code: api.OK, Node: n.ref(), Stat: n.stat, Effects: o.effects}
}

func (o *op) addEffects(e ...Effect) { o.effects = append(o.effects, e...) }

// next returns the generation after old, which is the number of the command.
func (o *op) next(what string, n node, old uint64) uint64 {
	if uint64(o.n) <= old {
		invariant.Failf("I-F5", "command %d moves the %s generation of %v, which is %d", o.n, what, n.ref(), old)
	}
	return uint64(o.n)
}

// parentOf reads the directory that n stands in; n must not be the root.
func (o *op) parentOf(n node) node {
	up, _ := n.path.Parent()
	parent, ok := getNode(o.tx, up)
	if !ok || parent.stat.Kind != api.Directory {
		invariant.Failf("I-F2", "%v stands in no directory", n.ref())
	}
	return parent
}

// addParentEffect adds the effect on the parent of a change of n that leaves the parent's
// row as it is.
func (o *op) addParentEffect(n node, c Change) {
	if !n.path.IsRoot() {
		o.addEffects(ChildChanged{Directory: o.parentOf(n).ref(), Name: n.path.Base(), Change: c})
	}
}
