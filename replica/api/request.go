package api

// Request is one sending of one call. A client sends it to the replica that it takes for the
// master.
type Request struct {
	// ID names this sending. A client never reuses an ID, and the IDs of a session ascend. The
	// reply repeats it.
	ID uint64
	// Session and Seq name the call: they are the same in all its sendings. Both are 0 in a request
	// that opens a session, and Seq is 0 in a KeepAlive.
	Session SessionID
	Seq     Seq
	// AckedThrough is the highest Seq such that the client waits for no call up to it: it has the
	// answer or has given the call up. The cell drops the answers of these calls, and executes none
	// of them after this call. AckedThrough is always lower than Seq. A KeepAlive has it too, so
	// that an idle client leaves no answers behind: the master then drops those that it keeps in
	// memory, and nothing enters the log.
	AckedThrough Seq
	// Epoch is the highest epoch that the client knows, 0 in a request that opens a session. A
	// master accepts only requests of its own epoch, so a later master does not accept a packet to
	// a former one (CHU §2.9).
	Epoch Epoch
	// MayCache says that the client has a cache and would keep the answer of this call in it: see
	// Reply.Cacheable. Only calls have it. Requests of a client without a cache cost the master no
	// memory, and delay no change.
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

// Answer returns the reply to this sending. The caller sets Master if it knows one.
func (q Request) Answer(e Epoch, r Result) Reply {
	return Reply{ID: q.ID, Session: q.Session, Seq: q.Seq, Epoch: e, Result: r}
}

// Reply answers one Request. A replica sends it to the client.
type Reply struct {
	// ID, Session and Seq are those of the request.
	ID      uint64
	Session SessionID
	Seq     Seq
	// Epoch is the sender's present epoch, or 0 if the sender has no capacity to look at the
	// request (Busy).
	Epoch Epoch
	// Master is the replica that the sender takes for the master, 0 if it knows none. It is a hint
	// and may be wrong.
	Master uint32
	// Cacheable allows the client to keep the answer in its cache and to read it there, while its
	// lease runs, until it is told to drop it (EventDrop). The master remembers this. It begins no
	// change of what the answer depends on before the client has dropped it or its lease is over
	// (CHU §2.7). Such an answer was read from the rows, for a request with MayCache.
	Cacheable bool
	// Drops is set in a Cacheable answer. It is the number of the last drop that the master had put
	// among the events of the session when it read the answer. Answers and KeepAlives overtake one
	// another: a client that has taken a later drop must not keep the answer, because the drop may
	// be for it.
	Drops DropNumber
	// Result is the answer.
	Result
}
