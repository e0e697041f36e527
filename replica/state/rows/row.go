package rows

import (
	"encoding/binary"
	"iter"
	"strings"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// Reader reads rows: a *db.Txn, a *db.DB or a db.View.
type Reader interface {
	Get(key string) (value string, ok bool)
	Ascend(from, to string) iter.Seq2[string, string]
	Scan(prefix string) iter.Seq2[string, string]
}

// get is r.Get for a key that was built for this call. The compiler knows that a *db.Txn
// keeps no key, so a short key stays off the heap.
func get(r Reader, key string) (value string, ok bool) {
	if tx, ok := r.(*db.Txn); ok {
		return tx.Get(key)
	}
	return r.Get(strings.Clone(key))
}

// Versions are the first byte of the value of each system row.
const (
	version        = 1
	answerVersion  = 2 // of answers: with a detail
	sessionVersion = 2 // of sessions: with a principal
)

// write starts the value of a system row; its fields follow.
func write(fields ...uint64) string {
	var room [1 + 4*8]byte
	b := append(room[:0], version)
	for _, f := range fields {
		b = binary.BigEndian.AppendUint64(b, f)
	}
	return string(b)
}

// read takes the fields out of the value of a system row.
func read(key, value string, fields ...*uint64) {
	if len(value) != 1+8*len(fields) || value[0] != version {
		unreadable(key, value)
	}
	for i, f := range fields {
		*f = number(value, 1+8*i)
	}
}

func unreadable(key, value string) {
	invariant.Failf("I-R1", "row %q holds %d bytes %.40q", strings.Clone(key), len(value), value)
}

// Totals are counters over the whole log.
type Totals struct {
	Commands api.Number // applied so far
	Sessions uint64     // alive
}

// GetTotals reads the counters; before the first command they are zero.
func GetTotals(r Reader) (t Totals) {
	if value, ok := r.Get(totalsKey); ok {
		read(totalsKey, value, (*uint64)(&t.Commands), &t.Sessions)
	}
	return t
}

func putTotals(tx *db.Txn, t Totals) {
	tx.Put(totalsKey, write(uint64(t.Commands), t.Sessions))
}

// NextNumber raises the command counter and returns the number of this command.
func NextNumber(tx *db.Txn) api.Number {
	t := GetTotals(tx)
	t.Commands++
	putTotals(tx, t)
	return t.Commands
}

func countSession(tx *db.Txn, by int) {
	t := GetTotals(tx)
	t.Sessions += uint64(by)
	putTotals(tx, t)
}

// Ballot is a ballot of the log as the rows have it: it names one attempt of a replica to
// lead.
type Ballot struct {
	Round uint64
	Node  uint32
}

// Epoch is the present mastership. The zero Epoch is that of a new cell, which has had no
// master.
type Epoch struct {
	Number api.Epoch
	Master uint32 // the replica that is master in this epoch
	Ballot Ballot // at which it was elected
}

// GetEpoch reads the present epoch.
func GetEpoch(r Reader) (e Epoch) {
	value, ok := r.Get(epochKey)
	if !ok {
		return e
	}
	var master, node uint64
	read(epochKey, value, (*uint64)(&e.Number), &master, &e.Ballot.Round, &node)
	e.Master, e.Ballot.Node = uint32(master), uint32(node)
	return e
}

// NextEpoch begins the epoch after the present one: two tenures never share an epoch, not
// even two of one replica.
func NextEpoch(tx *db.Txn, master uint32, b Ballot) Epoch {
	e := Epoch{Number: GetEpoch(tx).Number + 1, Master: master, Ballot: b}
	tx.Put(epochKey, write(uint64(e.Number), uint64(master), b.Round, uint64(b.Node)))
	return e
}

// GetConstant reads a replicated constant, and whether it has been set.
func GetConstant(r Reader, name string) (value string, ok bool) {
	value, ok = r.Get(constantKey(name))
	if !ok {
		return "", false
	}
	if value == "" || value[0] != version {
		unreadable(constantKey(name), value)
	}
	return value[1:], true
}

// SetConstant sets a replicated constant for ever. It returns what the constant
// is now: value, or the one that was set before.
func SetConstant(tx *db.Txn, name, value string) string {
	if old, ok := GetConstant(tx, name); ok {
		return old
	}
	tx.Put(constantKey(name), string(rune(version))+value)
	return value
}

// GetSecret reads the key of the check digits in the cell's tokens, and whether it has
// been set.
func GetSecret(r Reader) (secret [32]byte, ok bool) {
	value, ok := r.Get(secretKey)
	if !ok {
		return secret, false
	}
	if len(value) != 1+len(secret) || value[0] != version {
		unreadable(secretKey, value)
	}
	copy(secret[:], value[1:])
	return secret, true
}

// SetSecret sets the secret of a cell that has none, for ever: a token is good as long as
// the cell has the secret with which it was sealed.
func SetSecret(tx *db.Txn, secret [32]byte) {
	if _, had := tx.Put(secretKey, string(append([]byte{version}, secret[:]...))); had {
		invariant.Failf("I-R8", "the cell has a secret and is given another one")
	}
}

// GetLongestLease reads the longest session lease that a master may have granted. A new
// master expires no session before that time has passed. 0: none was granted yet.
func GetLongestLease(r Reader) time.Duration {
	var ms uint64
	if value, ok := r.Get(leaseKey); ok {
		read(leaseKey, value, &ms)
	}
	return time.Duration(ms) * time.Millisecond
}

// SetLongestLease sets the longest session lease to d, which is not negative and rounded
// up to whole milliseconds.
func SetLongestLease(tx *db.Txn, d time.Duration) {
	tx.Put(leaseKey, write(uint64((d+time.Millisecond-1)/time.Millisecond)))
}
