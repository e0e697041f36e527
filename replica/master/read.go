package master

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/command"
	"github.com/chubbycell/chubby/replica/rows"
)

// Read takes in a copy of a request as Request does, at an instant at which this
// replica's read authority holds, and answers it from the rows if it only reads
// and this replica serves: then all that was ever answered is in the rows
// (P4.11). It says whether it did, and what it answered; if not, the request is
// for Request.
//
// A copy that went into the log before goes on waiting there. Its answer comes
// too; the client drops the second one.
func (m *Master) Read(from Addr, q api.Request, r rows.Reader) (api.Result, bool) {
	if m.state != Serving || q.Check() != api.OK || !command.Reads(q.Op) {
		return api.Result{}, false
	}
	m.count.Requests++
	m.count.Read++
	result := command.Read(r, command.Call{Session: q.Session, Seq: q.Seq, Seen: q.Seen, Op: q.Op})
	m.answer(waiter(from, q), result)
	return result, true
}
