package api

// Request is one sending of one call. A client sends it to the replica that it takes for
// the master.
type Request struct {
	// ID names this sending: a client never uses one twice, and those of a session
	// ascend. The reply echoes it.
	ID uint64
	// Session and Seq name the call: the same in all its sendings. Both are 0 in
	// a request that opens a session, and Seq is in a KeepAlive.
	Session SessionID
	Seq     Seq
	// AckedThrough is the highest Seq such that the client waits for no call up to it: it
	// has the answer or has given the call up. The cell drops their answers, and executes
	// none of them behind this call, than which it is lower. A KeepAlive has it, too, so that an idle client
	// leaves no answers behind: the master drops those that it keeps in memory, and the log hears of nothing.
	AckedThrough Seq
	// Epoch is the highest that the client knows of, 0 in a request that opens a session. A
	// master takes only requests of its own epoch: so a later master takes no packet to a
	// former one (CHU §2.9).
	Epoch Epoch
	// MayCache says that the client keeps a cache and would keep the answer of this call in it: see
	// Reply.Cacheable. Only a call has it. What a client without a cache asks for costs the master
	// no memory, and delays no change.
	MayCache bool
	// Op is the operation.
	Op Op
}

// Check returns OK, or the code with which any replica in any state refuses the request:
// Invalid or TooLarge. A nil Op is Invalid.
func (q Request) Check() Code {
	if q.Op == nil {
		return Invalid
	}
	if _, opens := q.Op.(OpenSession); opens {
		if q.Session != 0 || q.Seq != 0 || q.AckedThrough != 0 || q.Epoch != 0 || q.MayCache {
			return Invalid
		}
		return q.Op.Check()
	}
	if _, keeps := q.Op.(KeepAlive); keeps {
		if q.Session == 0 || q.Seq != 0 || q.MayCache {
			return Invalid
		}
		return q.Op.Check()
	}
	if q.Session == 0 || q.Seq <= q.AckedThrough || q.Seq-q.AckedThrough > MaxWindow {
		return Invalid
	}
	return q.Op.Check()
}

// Answer is the reply to this sending. The caller sets Master if it knows one.
func (q Request) Answer(e Epoch, r Result) Reply {
	return Reply{ID: q.ID, Session: q.Session, Seq: q.Seq, Epoch: e, Result: r}
}

// Reply answers one Request. A replica sends it to the client.
type Reply struct {
	// ID, Session and Seq are those of the request.
	ID      uint64
	Session SessionID
	Seq     Seq
	// Epoch is the sender's present epoch, or 0 if it has no room to look at the request (Busy).
	Epoch Epoch
	// Master is the replica that the sender takes for the master, 0 if it knows none. It is
	// a hint and may be wrong.
	Master uint32
	// Cacheable allows the client to keep the answer in its cache and to read it there, while its
	// lease runs, until it is told to drop it (EventDrop). The master remembers that the client may
	// do so, and begins no change of what the answer depends on before the client has dropped it or
	// its lease is over (CHU §2.7). An answer that says so was read from the rows, with the request
	// that is answered having MayCache.
	Cacheable bool
	// Drops is, of an answer that is Cacheable, the number of the last drop that the master had put
	// among the events of the session when it read the answer. Answers and KeepAlives overtake one
	// another: a client that has taken a later drop does not keep the answer, which may be what was
	// to be dropped.
	Drops DropNumber
	// Result is the answer.
	Result
}
