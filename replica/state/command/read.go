package command

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Reads says whether an op only reads: it is executed without a trace, so it
// needs no place in the log if the rows are known to be the present ones.
func IsRead(op api.Op) bool {
	switch op.(type) {
	case api.Get, api.List:
		return true
	}
	return false
}

// ReadsNode is Reads for a deed. To open a node that may be made is not to read,
// also where it is there now: a copy of the request that comes when it is gone
// would make it, after its client was told something else.
func IsNodeRead(d NodeOp) bool {
	switch d := d.(type) {
	case GetContents, GetStat, ReadDir, GetSequencer, CheckSequencer:
		return true
	case OpenNode:
		return d.Create == api.CreateNever
	}
	return false
}

// Read answers a call that only reads from the rows as they are, for a master
// whose read authority holds at this instant (P4.01). The tests are those of a
// call in the log, in the same order, but for the guard: authority in an epoch is
// what the guard would ask for. An answer that a copy in the log has left behind
// is repeated. Nothing is kept: another copy is answered again, with the rows as
// they are then, and the client takes the one that comes first.
func Read(r rows.Reader, c Call) api.Result {
	if code := check(c); code != api.OK {
		return api.Result{Code: code}
	}
	if result, ok := answerOf(r, c.Session, c.Seq); ok {
		return result
	}
	switch op := c.Op.(type) {
	case api.Get:
		return get(r, op)
	case api.List:
		return list(r, op)
	}
	return api.Result{Code: api.Invalid}
}

// ReadAct is Read for what is done to nodes: a deed for which ReadsNode holds. Any
// other is Invalid.
func ReadNode(r rows.Reader, c NodeCommand) api.Result {
	if code := check(c); code != api.OK {
		return api.Result{Code: code}
	}
	if !IsNodeRead(c.Op) {
		return api.Result{Code: api.Invalid}
	}
	if result, ok := answerOf(r, c.Session, c.Seq); ok {
		return result
	}
	result, _ := readNodeOp(r, c, principalOf(r, c.Session))
	return result
}

// standing is the answer that stands already to a read, whatever it asks; ok is
// false where it is to be answered from the rows.
func answerOf(r rows.Reader, id api.SessionID, seq api.Seq) (result api.Result, ok bool) {
	s, alive := rows.GetSession(r, id)
	switch {
	case !alive:
		return api.Result{Code: api.NoSession}, true
	case seq <= s.AckedThrough:
		return api.Result{Code: api.Stale}, true
	}
	return rows.GetAnswer(r, id, seq)
}
