package command

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/rows"
)

// Reads says whether an op only reads: it is executed without a trace, so it
// needs no place in the log if the rows are known to be the present ones.
func Reads(op api.Op) bool {
	switch op.(type) {
	case api.Get, api.List:
		return true
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
	s, alive := rows.GetSession(r, c.Session)
	switch {
	case !alive:
		return api.Result{Code: api.NoSession}
	case c.Seq <= s.Seen:
		return api.Result{Code: api.Stale}
	}
	if answer, ok := rows.GetAnswer(r, c.Session, c.Seq); ok {
		return answer
	}
	switch op := c.Op.(type) {
	case api.Get:
		return get(r, op)
	case api.List:
		return list(r, op)
	}
	return api.Result{Code: api.Invalid}
}
