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
	Now     time.Time // instant, by the replica's clock, at which it had authority
}

// read answers a call that only reads, at an instant of authority, from the rows:
// all that was ever answered is in them, since this Master serves (P4.11).
//
// A duplicate that went into the log before goes on waiting there. Its answer comes
// too; the client drops the second one.
func (m *Master) read(at At, from Addr, q api.Request) {
	m.count.Read++
	m.sessions.Used(at.Now, q.Session) // a call, wherever its answer comes from (C11.02)
	result := command.Read(at.Rows, command.Call{Session: q.Session, Seq: q.Seq, AckedThrough: q.AckedThrough, Op: q.Op})
	if !m.cfg.Unobserved {
		m.out.Reads = append(m.out.Reads, Read{Session: q.Session, Seq: q.Seq, Result: result, Now: at.Now})
	}
	m.answerTo(from, q, result)
}
