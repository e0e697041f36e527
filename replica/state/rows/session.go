package rows

import (
	"encoding/binary"
	"iter"
	"strconv"
	"strings"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// MaxSessions bounds the sessions that are alive at one time in any cell.
const MaxSessions = 1 << 17

// ConstantSessions names the replicated constant that sets a lower bound for one cell. It
// counts until SetMaxSessions is called. Its value is a decimal number; any other value sets
// no bound.
const ConstantSessions = "sessions"

// GetMaxSessions reads how many sessions may be alive at one time: what SetMaxSessions set
// last, or else what the constant says, or else MaxSessions.
func GetMaxSessions(r Reader) (n uint64) {
	if value, ok := r.Get(aliveKey); ok {
		read(aliveKey, value, &n)
		return n
	}
	if value, ok := GetConstant(r, ConstantSessions); ok {
		if n, err := strconv.ParseUint(value, 10, 64); err == nil {
			return min(n, MaxSessions)
		}
	}
	return MaxSessions
}

// SetMaxSessions sets how many sessions may be alive at one time, from 1 to MaxSessions. If
// more are alive, they stay, and none is opened until fewer than n are alive.
func SetMaxSessions(tx *db.Txn, n uint64) { tx.Put(aliveKey, write(n)) }

// Session is a session that is alive.
type Session struct {
	Nonce        api.Nonce     // that opened it
	AckedThrough api.Seq       // the client needs no answer up to this call any more
	Principal    api.Principal // that opened it; empty: none, and then the session may do nothing to nodes
}

// GetSession reads a session; ok is false if it was never opened or has ended.
func GetSession(r Reader, id api.SessionID) (s Session, ok bool) {
	key := sessionKey(id)
	value, ok := get(r, key)
	if !ok {
		return Session{}, false
	}
	return readSession(key, value), true
}

func readSession(key, value string) (s Session) {
	const fixed = 1 + 3*8
	if len(value) < fixed || value[0] != sessionVersion {
		unreadable(key, value)
	}
	s.Nonce = api.Nonce{number(value, 1), number(value, 9)}
	s.AckedThrough, s.Principal = api.Seq(number(value, 17)), api.Principal(value[fixed:])
	return s
}

func putSession(tx *db.Txn, id api.SessionID, s Session) (had bool) {
	var room [9 + 1 + 3*8 + 64]byte
	b := appendNumbers(room[:0], FamilySession, uint64(id))
	key := len(b)
	b = append(b, sessionVersion)
	for _, f := range [...]uint64{s.Nonce[0], s.Nonce[1], uint64(s.AckedThrough)} {
		b = binary.BigEndian.AppendUint64(b, f)
	}
	return put(tx, append(b, s.Principal...), key)
}

// put writes the row whose key is the first key bytes of b, and whose value is the rest:
// both are one piece of memory, since they come and go together.
func put(tx *db.Txn, b []byte, key int) (had bool) {
	row := string(b)
	_, had = tx.Put(row[:key], row[key:])
	return had
}

// Sessions lists the sessions that are alive, by id: those that GetSession finds. It skips
// keys that this package does not make: finding them is for Audit and for comparing rows.
func Sessions(r Reader) iter.Seq2[api.SessionID, Session] {
	return func(yield func(api.SessionID, Session) bool) {
		for key, value := range r.Scan(string(rune(FamilySession))) {
			if k, is := ParseKey(key); is && !yield(k.Session, readSession(key, value)) {
				return
			}
		}
	}
}

// SessionByNonce returns the live session that a principal has opened with a nonce.
func SessionByNonce(r Reader, n api.Nonce, who api.Principal) (id api.SessionID, ok bool) {
	key := openerKey(n, who)
	value, ok := get(r, key)
	if ok {
		read(key, value, (*uint64)(&id))
	}
	return id, ok
}

// OpenSession makes a session of principal who. Neither the id nor the nonce may have a
// session yet.
func OpenSession(tx *db.Txn, id api.SessionID, n api.Nonce, who api.Principal) {
	had := putSession(tx, id, Session{Nonce: n, Principal: who})
	_, opened := tx.Put(openerKey(n, who), write(uint64(id)))
	if had || opened {
		invariant.Failf("I-R5", "session %d with nonce %v opened over another one", id, n)
	}
	countSession(tx, +1)
}

// EndSession deletes all rows of a session that is alive.
func EndSession(tx *db.Txn, id api.SessionID) {
	s, ok := GetSession(tx, id)
	opened, _ := SessionByNonce(tx, s.Nonce, s.Principal)
	if !ok || opened != id {
		invariant.Failf("I-R5", "session %d ends, alive: %t; its nonce opened %d", id, ok, opened)
	}
	tx.Delete(sessionKey(id))
	tx.Delete(openerKey(s.Nonce, s.Principal))
	tx.DeleteAll(answersOf(id))
	countSession(tx, -1)
}

// RaiseAckedThrough drops the answers of a live session up to seen. A seen that is not
// higher than before changes nothing.
func RaiseAckedThrough(tx *db.Txn, id api.SessionID, seen api.Seq) {
	s, ok := GetSession(tx, id)
	if !ok {
		invariant.Failf("I-R4", "session %d has seen %d and is not alive", id, seen)
	}
	if seen <= s.AckedThrough {
		return
	}
	for i := range min(seen-s.AckedThrough, api.MaxWindow) { // beyond the window there are no answers
		key := answerKey(id, s.AckedThrough+1+i)
		if _, there := get(tx, key); there { // most calls were reads, which leave no answer
			tx.Delete(strings.Clone(key))
		}
	}
	s.AckedThrough = seen
	putSession(tx, id, s)
}

// GetAnswer reads the answer to an executed call, which is kept until AckedThrough covers
// it.
func GetAnswer(r Reader, id api.SessionID, seq api.Seq) (a api.Result, ok bool) {
	key := answerKey(id, seq)
	value, ok := get(r, key)
	if !ok {
		return a, false
	}
	if value == "" || value[0] != answerVersion {
		unreadable(key, value)
	}
	a, rest, err := api.DecodeResult(value[1:])
	if err != nil || len(rest) > 0 {
		unreadable(key, value)
	}
	return a, true
}

// PutAnswer keeps the answer to a call that was executed, once.
func PutAnswer(tx *db.Txn, id api.SessionID, seq api.Seq, a api.Result) {
	s, ok := GetSession(tx, id)
	if !ok || seq <= s.AckedThrough || seq-s.AckedThrough > api.MaxWindow {
		invariant.Failf("I-R4", "answer %d of session %d (alive: %t), which has seen %d", seq, id, ok, s.AckedThrough)
	}
	var room [17 + 128]byte
	b := appendNumbers(room[:0], FamilyAnswer, uint64(id), uint64(seq))
	key := len(b)
	if put(tx, api.AppendResult(append(b, answerVersion), a), key) {
		invariant.Failf("I-R4", "call %d of session %d was executed twice", seq, id)
	}
}
