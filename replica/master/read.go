package master

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// Read is a call that was answered from the rows, without the log.
type Read struct {
	Session api.SessionID
	Seq     api.Seq
	Result  api.Result
	Now     time.Time // the instant of the answer, by the replica's clock; it had authority then
}

// read answers a call that only reads from the rows, with authority. Since this Master serves, the
// rows have everything that was ever answered (P4.11).
//
// If a duplicate of the call went into the log before, that one is answered as well when its command
// is applied; the client drops the second answer.
func (m *Master) read(at At, from Addr, q api.Request) {
	m.count.Read++
	m.sessions.Used(at.Now, q.Session) // a call, wherever its answer comes from (C11.02)
	result := command.Read(at.Rows, command.Call{Session: q.Session, Seq: q.Seq, AckedThrough: q.AckedThrough, Op: q.Op})
	if !m.cfg.Unobserved {
		m.out.Reads = append(m.out.Reads, Read{Session: q.Session, Seq: q.Seq, Result: result, Now: at.Now})
	}
	m.answerTo(from, q, result)
}
