package command

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// readNodeOp answers an operation that changes no row at this place of the log; ok is false if
// the operation may change one. The fence is tested first.
func readNodeOp(r rows.Reader, c NodeCommand, who api.Principal) (result api.Result, ok bool) {
	if isFenced(r, c.Op) {
		return api.Result{Code: api.StaleSequencer}, true
	}
	switch d := c.Op.(type) {
	case OpenNode:
		return openExisting(r, d, who)
	case GetContents:
		return getContents(r, d.Node), true
	case GetStat:
		return getStat(r, d.Node), true
	case ReadDir:
		return readDir(r, d), true
	case GetSequencer:
		return getSequencer(r, d.Node, c.owner(d.Handle)), true
	case CheckSequencer:
		return checkSequencer(r, d.Sequencer), true
	case Fail:
		return api.Result{Code: d.Code}, true
	}
	return api.Result{}, false
}

// isFenced reports whether the sequencer that is attached to the handle forbids d.
func isFenced(r rows.Reader, d NodeOp) bool {
	f := fenceOf(d)
	return f != (api.Sequencer{}) && lock.CheckSequencer(r, f) != lock.Valid
}

// LocksTaken returns the holders of the lock that d takes away with its node, and OK. If d would be refused
// on these rows although the lock has holders, it returns the code of the refusal; for all other
// operations no holders and OK. The master must not tell holders of a deletion that is then refused.
func LocksTaken(r rows.Reader, d NodeOp) ([]lock.Holding, api.Code) {
	deletion, ok := d.(DeleteNode)
	if !ok {
		return nil, api.OK
	}
	holders := lock.Holders(r, deletion.Node)
	switch code := tree.CanDelete(r, deletion.Node); {
	case len(holders) == 0:
		return nil, api.OK
	case isFenced(r, d):
		return nil, api.StaleSequencer
	case code != api.OK:
		return nil, code
	}
	return holders, api.OK
}

func getContents(r rows.Reader, n api.Ref) api.Result {
	contents, stat, code := tree.Contents(r, n)
	if code != api.OK {
		return api.Result{Code: code}
	}
	return api.Result{Code: api.OK, Value: contents, Detail: api.NodeStat{Stat: stat}}
}

func getStat(r rows.Reader, n api.Ref) api.Result {
	stat, code := tree.Stat(r, n)
	if code != api.OK {
		return api.Result{Code: code}
	}
	return api.Result{Code: api.OK, Detail: api.NodeStat{Stat: stat}}
}

func readDir(r rows.Reader, d ReadDir) api.Result {
	children, more, code := tree.List(r, d.Node, d.After, d.Most)
	if code != api.OK {
		return api.Result{Code: code}
	}
	return api.Result{Code: api.OK, Detail: api.Listing{Children: children, More: more}}
}

func getSequencer(r rows.Reader, n api.Ref, o lock.Owner) api.Result {
	q, ok := lock.GetSequencer(r, o)
	if !ok || q.Node != n {
		return api.Result{Code: api.NotHeld}
	}
	return api.Result{Code: api.OK, Detail: api.Sequenced{Sequencer: q}}
}

func checkSequencer(r rows.Reader, q api.Sequencer) api.Result {
	if lock.CheckSequencer(r, q) != lock.Valid {
		return api.Result{Code: api.StaleSequencer}
	}
	return api.Result{Code: api.OK}
}
