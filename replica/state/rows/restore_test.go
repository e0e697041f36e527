package rows_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/state/rows"
)

func TestRowsThatAreRenewedGoOnFarAbove(t *testing.T) {
	d, tx := cell()
	rows.EndSession(tx, 5)
	tx.Commit()
	was, ok := rows.CellID(d)
	require.True(t, ok)
	tx = d.Begin()
	ballot := rows.Ballot{Round: 8, Node: 1}
	e := rows.Renew(tx, 1, ballot, [32]byte{9}, 0)
	require.Equal(t, rows.Epoch{Number: 1 + rows.Gap, Master: 1, Ballot: ballot}, e)
	require.Equal(t, e, rows.GetEpoch(tx))
	require.EqualValues(t, uint64(1+rows.Gap), rows.GetTotals(tx).Commands)
	secret, _ := rows.GetSecret(tx)
	require.Equal(t, [32]byte{9}, secret)
	now, _ := rows.CellID(tx)
	require.NotEqual(t, was, now)
	require.Zero(t, rows.GetBackup(tx))
	require.NoError(t, rows.Audit(tx))
	user, _ := tx.Get(rows.UserKey("k"))
	require.Equal(t, "v", user)
	_, ok = rows.CellID(db.New())
	require.False(t, ok)
}

func TestRowsThatCannotBeRenewed(t *testing.T) {
	good := rows.Ballot{Round: 8, Node: 1}
	for name, c := range map[string]struct {
		want   invariant.ID
		ballot rows.Ballot
		secret [32]byte
		spoil  func(tx *db.Txn)
	}{
		"a session is alive": {"I-R8", good, [32]byte{9}, func(tx *db.Txn) { rows.OpenSession(tx, 6, [2]uint64{6}, "ann") }},
		"the same secret":    {"I-R8", good, secret, func(*db.Txn) {}},
		"no secret":          {"I-R8", good, [32]byte{}, func(*db.Txn) {}},
		"the same ballot":    {"I-R3", rows.Ballot{Round: 7, Node: 3}, [32]byte{9}, func(*db.Txn) {}},
	} {
		_, tx := cell()
		rows.EndSession(tx, 5)
		c.spoil(tx)
		breaks(t, c.want, func() { rows.Renew(tx, 1, c.ballot, c.secret, 0) })
		require.NotEmpty(t, name)
	}
}
