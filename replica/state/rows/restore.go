package rows

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// CellID identifies a cell. A restored cell has another one than the cell before. ok is
// false in a cell that was not founded. It is a hash of the secret, and reveals nothing
// about it.
func CellID(r Reader) (id uint64, ok bool) {
	secret, ok := GetSecret(r)
	if !ok {
		return 0, false
	}
	sum := sha256.Sum256(append([]byte("cell"), secret[:]...))
	return binary.BigEndian.Uint64(sum[:]), true
}

// Gap is by how much Renew raises the numbers of a cell: more than a cell can count in the
// years between a backup and its restore.
const Gap = 1 << 44

// Leap returns where a number of a new cell begins that was n in the backup: Gap above n, and not below
// floor. Cells of one backup differ in their floors only.
func Leap[N ~uint64](n N, floor uint64) N { return max(n+Gap, N(floor)) }

// Renew makes the rows of a backup those of a new cell, without a command in a log. Numbers
// and epoch continue above all that the old cell may have given out since (S2), and not below floor
// (Leap); the epoch's ballot becomes b, the secret is replaced, and no backup is recorded. There must
// be a secret, and no session alive.
func Renew(tx *db.Txn, master uint32, b Ballot, secret [32]byte, floor uint64) Epoch {
	t, was := GetTotals(tx), GetEpoch(tx)
	old, sealed := GetSecret(tx)
	switch {
	case t.Sessions != 0 || !sealed || old == secret || secret == [32]byte{}:
		invariant.Failf("I-R8", "rows with %d sessions, sealed: %t, are renewed", t.Sessions, sealed)
	case !was.Ballot.less(b) || t.Commands+Gap < t.Commands || was.Number+Gap < was.Number:
		invariant.Failf("I-R3", "rows of %+v and %+v are renewed with %+v", t, was, b)
	}
	t.Commands = Leap(t.Commands, floor)
	putTotals(tx, t)
	e := Epoch{Number: Leap(was.Number, floor), Master: master, Ballot: b}
	tx.Put(epochKey, write(uint64(e.Number), uint64(master), b.Round, uint64(b.Node)))
	tx.Put(secretKey, string(append([]byte{version}, secret[:]...)))
	tx.Delete(backupKey)
	return e
}

func (b Ballot) less(o Ballot) bool {
	return b.Round < o.Round || b.Round == o.Round && b.Node < o.Node
}

// SessionIDs lists the ids of Sessions.
func SessionIDs(r Reader) (all []api.SessionID) {
	for id := range Sessions(r) {
		all = append(all, id)
	}
	return all
}
