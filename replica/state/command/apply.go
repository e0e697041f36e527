package command

import (
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Verdict says whether a command was executed.
type Verdict uint8

const (
	// Refused: a test failed; only the counter moved.
	Refused Verdict = iota
	// Repeated: an earlier copy was executed; only the counter moved, and Result is the
	// answer to that copy.
	Repeated
	// Executed: by this command, and by no other copy of it.
	Executed
)

// String prints the verdict as traces do.
func (v Verdict) String() string {
	return [...]string{Refused: "refused", Repeated: "repeated", Executed: "executed"}[v]
}

// Applied is the result of applying a command. All replicas compute the same.
type Applied struct {
	Number  api.Number // of the command
	Command Command    // nil if the bytes are none
	Verdict Verdict
	Result  api.Result // what the client is told
	Effects []Effect   // in order; none unless executed
}

// Apply applies the command with these bytes to the rows, at this place of the log, and
// returns its result. The order of tests is that of the package comment. The transaction
// stays open: the caller commits it when all commands of a slot are applied, and never
// rolls it back. The rows keep no part of raw, which may be a part of a large slot; the
// Applied does.
func Apply(tx *db.Txn, raw string) Applied {
	mark := tx.Mark()
	a := applier{tx: tx, Applied: Applied{Number: rows.NextNumber(tx)}}
	c, err := Decode(raw)
	if err != nil {
		a.refuse(api.Invalid)
	} else {
		a.Command = c
		a.apply(c)
	}
	a.verifyFootprint(mark)
	return a.Applied
}

type applier struct {
	tx *db.Txn
	Applied
}

func (a *applier) apply(c Command) {
	if code := check(c); code != api.OK {
		a.refuse(code)
		return
	}
	switch c := c.(type) {
	case Epoch:
		a.epoch(c)
	case Constant:
		a.constant(c)
	case Checksum:
		a.execute(api.Result{Code: api.OK}, ChecksumDue{})
	case Call:
		if op, opens := c.Op.(api.OpenSession); opens {
			a.open(c, op)
		} else {
			a.call(c)
		}
	case NodeCommand:
		a.applyNodeCommand(c)
	default:
		a.upkeep(c)
	}
}

func (a *applier) epoch(c Epoch) {
	before := rows.GetEpoch(a.tx).Number
	e := rows.NextEpoch(a.tx, c.Master, c.Ballot)
	if e.Number != before+1 {
		invariant.Failf("I-R3", "epoch %d follows epoch %d", e.Number, before)
	}
	a.execute(api.Result{Code: api.OK}, EpochBegan{Epoch: e})
}

func (a *applier) constant(c Constant) {
	if !a.hasPresentGuard(c.Guard) {
		return
	}
	now := rows.SetConstant(a.tx, c.Name, c.Value)
	if now != c.Value {
		a.execute(api.Result{Code: api.Conflict, Found: true, Value: now})
		return
	}
	a.execute(api.Result{Code: api.OK})
}

func (a *applier) open(c Call, op api.OpenSession) {
	if id, ok := rows.SessionByNonce(a.tx, op.Nonce, c.Principal); ok {
		a.repeat(api.Result{Code: api.OK, Session: id})
		return
	}
	if !a.hasPresentGuard(c.Guard) {
		return
	}
	if rows.GetTotals(a.tx).Sessions >= rows.GetMaxSessions(a.tx) {
		a.refuse(api.Busy)
		return
	}
	id := api.SessionID(a.Number)
	rows.OpenSession(a.tx, id, op.Nonce, c.Principal)
	a.execute(api.Result{Code: api.OK, Session: id}, SessionOpened{Session: id})
}

func (a *applier) call(c Call) {
	if !a.isFresh(c.Session, c.Seq) {
		return
	}
	if a.hasPresentGuard(c.Guard) {
		a.executeCall(c)
	}
}

// isFresh makes the tests 3 to 5 of a call: no copy of it was executed yet, and this one
// may be.
func (a *applier) isFresh(id api.SessionID, seq api.Seq) bool {
	s, alive := rows.GetSession(a.tx, id)
	if !alive {
		a.refuse(api.NoSession)
		return false
	}
	if seq <= s.AckedThrough {
		a.refuse(api.Stale)
		return false
	}
	if answer, ok := rows.GetAnswer(a.tx, id, seq); ok {
		a.repeat(answer)
		return false
	}
	return true
}

// executeCall is reached once for each (session, Seq), on all replicas at the same place
// of the log.
func (a *applier) executeCall(c Call) {
	if _, ends := c.Op.(api.EndSession); ends {
		freed := lock.ReleaseSession(a.tx, c.Session)
		rows.EndSession(a.tx, c.Session)
		a.execute(api.Result{Code: api.OK}, SessionEnded{Session: c.Session})
		a.addEffects(lockEffects(freed)...)
		return
	}
	rows.RaiseAckedThrough(a.tx, c.Session, c.AckedThrough)
	result, effects := applyOp(a.tx, c.Op)
	rows.PutAnswer(a.tx, c.Session, c.Seq, result)
	a.execute(result, effects...)
}

// hasPresentGuard tests the epoch at this place of the log.
func (a *applier) hasPresentGuard(guard api.Epoch) bool {
	if guard == rows.GetEpoch(a.tx).Number {
		return true
	}
	a.refuse(api.Aborted)
	return false
}

func (a *applier) refuse(code api.Code) {
	a.Verdict, a.Result = Refused, api.Result{Code: code}
}

func (a *applier) repeat(r api.Result) {
	a.Verdict, a.Result = Repeated, r
}

func (a *applier) execute(r api.Result, effects ...Effect) {
	a.Verdict, a.Result, a.Effects = Executed, r, effects
}

func (a *applier) addEffects(effects ...Effect) { a.Effects = append(a.Effects, effects...) }

// rowWords says what a row of package lock is about; it is empty for other rows, whose keys can be
// read as they are.
func rowWords(key string) string {
	if k, ok := lock.ParseKey(key); ok {
		return ": " + k.Words()
	}
	return ""
}

// verifyFootprint asserts that the command changed only rows of its footprint, and only
// the counter if it was not executed (I-R2).
func (a *applier) verifyFootprint(mark db.Mark) {
	t := FootprintOf(a.Command)
	if a.Verdict != Executed {
		t = FootprintOf(nil)
	}
	for key := range a.tx.Changed(mark) {
		if !t.CanChange(key, a.Number) {
			invariant.Failf("I-R2", "command %d, %+v, %v, changed row %q%s", a.Number, a.Command, a.Verdict, key, rowWords(key))
		}
	}
	if !invariant.Deep {
		return
	}
	if err := rows.AuditSession(a.tx, t.Session); err != nil {
		invariant.Failf("I-R4", "after command %d: %v", a.Number, err)
	}
	if n := t.Locks.Node; n.Instance != 0 {
		if err := lock.AuditLock(a.tx, n); err != nil {
			invariant.Failf("I-K3", "after command %d: %v", a.Number, err)
		}
	}
}
