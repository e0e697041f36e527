package command

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// IsRead reports whether an op only reads. Its execution changes nothing, so it needs no
// place in the log if the rows are known to be the present ones.
func IsRead(op api.Op) bool {
	switch op.(type) {
	case api.Get, api.List:
		return true
	}
	return false
}

// IsNodeRead is IsRead for a node operation. An OpenNode that may make its node is not a read,
// even if the node exists now: if it is deleted, a later copy of the request would make it,
// after the client was given another answer.
func IsNodeRead(d NodeOp) bool {
	switch d := d.(type) {
	case GetContents, GetStat, ReadDir, GetSequencer, CheckSequencer:
		return true
	case OpenNode:
		return d.Create == api.CreateNever
	}
	return false
}

// Read answers a call that only reads from the present rows, for a master whose read
// authority holds at this instant (P4.01). The tests are those of a call in the log, in
// the same order, except the guard: authority in an epoch is what the guard tests. An
// answer that a copy in the log has left is repeated. Nothing is kept: another copy is
// answered again, with the rows as they are then, and the client takes the first answer
// that it gets.
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

// ReadNode is Read for a node command whose operation only reads (IsNodeRead). Any other is
// Invalid.
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

// answerOf returns the answer that a call gets without execution: NoSession, Stale, or the one
// that was kept. ok is false if the call is to be executed.
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
