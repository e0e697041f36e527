package db_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
)

// P8.03: every test against a row that is absent, has the value, has another.
func TestEachGuardOnEachRow(t *testing.T) {
	rows := fill(db.New(), "same", "v", "other", "w")
	for _, c := range []struct {
		test                db.Test
		absent, same, other bool
	}{
		{db.Absent, true, false, false},
		{db.Present, false, true, true},
		{db.Equal, false, true, false},
		{db.NotEqual, true, false, true},
		{0, false, false, false},
		{99, false, false, false},
	} {
		tx := rows.Begin()
		r, err := tx.MultiOp(db.MultiOp{Guards: []db.Guard{
			{Test: c.test, Key: "absent", Value: "v"},
			{Test: c.test, Key: "same", Value: "v"},
			{Test: c.test, Key: "other", Value: "v"},
		}})
		tx.Rollback()
		require.NoError(t, err)
		require.Equal(t, []bool{c.absent, c.same, c.other}, r.Guards, "test %d", c.test)
		require.False(t, r.Held, "no test holds on all three")
	}
}

func TestAnEmptyValueIsNotAnAbsentRow(t *testing.T) {
	tx := fill(db.New(), "empty", "").Begin()
	r, err := tx.MultiOp(db.MultiOp{Guards: []db.Guard{
		{Test: db.Equal, Key: "absent", Value: ""},
		{Test: db.Equal, Key: "empty", Value: ""},
		{Test: db.Absent, Key: "empty"},
	}})
	require.NoError(t, err)
	require.Equal(t, []bool{false, true, false}, r.Guards)
}

// P8.04: all guards must hold, otherwise the Else list runs.
func TestTheListsAndTheirGuards(t *testing.T) {
	yes, no := db.Guard{Test: db.Absent, Key: "x"}, db.Guard{Test: db.Present, Key: "x"}
	for _, c := range []struct {
		name   string
		guards []db.Guard
		held   bool
	}{
		{"no guard", nil, true},
		{"one holds", []db.Guard{yes}, true},
		{"all hold", []db.Guard{yes, yes, yes}, true},
		{"first fails", []db.Guard{no, yes, yes}, false},
		{"middle fails", []db.Guard{yes, no, yes}, false},
		{"last fails", []db.Guard{yes, yes, no}, false},
		{"none holds", []db.Guard{no, no}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			tx := db.New().Begin()
			r, err := tx.MultiOp(db.MultiOp{
				Guards: c.guards,
				Then:   []db.Op{{Kind: db.Put, Key: "ran", Value: "then"}},
				Else:   []db.Op{{Kind: db.Put, Key: "ran", Value: "else"}},
			})
			require.NoError(t, err)
			require.Equal(t, c.held, r.Held)
			require.Len(t, r.Guards, len(c.guards), "each guard has its result")
			ran, _ := tx.Get("ran")
			require.Equal(t, map[bool]string{true: "then", false: "else"}[c.held], ran)
		})
	}
}

// Guards see the rows before the list, operations see the effects of the operations before
// them (E07).
func TestGuardsSeeTheStateBeforeOperationsTheOnesBefore(t *testing.T) {
	tx := db.New().Begin()
	r, err := tx.MultiOp(db.MultiOp{
		Guards: []db.Guard{{Test: db.Absent, Key: "a"}, {Test: db.NotEqual, Key: "a", Value: "1"}},
		Then: []db.Op{
			{Kind: db.Lookup, Key: "a"},
			{Kind: db.Insert, Key: "a", Value: "1"},
			{Kind: db.Lookup, Key: "a"},
			{Kind: db.Put, Key: "a", Value: "2"},
			{Kind: db.Remove, Key: "a"},
			{Kind: db.Delete, Key: "a"},
			{Kind: db.Insert, Key: "a", Value: "3"},
		},
	})
	require.NoError(t, err)
	require.Equal(t, []bool{true, true}, r.Guards)
	require.Equal(t, []db.OpResult{{}, {}, {true, "1"}, {true, "1"}, {true, "2"}, {}, {}}, r.Ops)
	value, _ := tx.Get("a")
	require.Equal(t, "3", value)
}

// E06: a list that fails anywhere has no effect anywhere.
func TestAListThatFailsHasNoEffect(t *testing.T) {
	for _, c := range []struct {
		name string
		bad  db.Op
		want error
	}{
		{"insert of a row that is there", db.Op{Kind: db.Insert, Key: "a", Value: "x"}, db.ErrExists},
		{"insert of a row the list made", db.Op{Kind: db.Insert, Key: "new", Value: "x"}, db.ErrExists},
		{"remove of a row that is not there", db.Op{Kind: db.Remove, Key: "none"}, db.ErrMissing},
		{"remove of a row the list took away", db.Op{Kind: db.Remove, Key: "b"}, db.ErrMissing},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := fill(db.New(), "a", "1", "b", "2")
			before := d.Checksum()
			list := []db.Op{
				{Kind: db.Put, Key: "a", Value: "other"},
				{Kind: db.Put, Key: "new", Value: "x"},
				{Kind: db.Delete, Key: "b"},
				c.bad,
				{Kind: db.Put, Key: "never", Value: "x"},
			}
			for _, m := range []db.MultiOp{
				{Then: list},
				{Guards: []db.Guard{{Test: db.Absent, Key: "a"}}, Else: list},
			} {
				tx := d.Begin()
				r, err := tx.MultiOp(m)
				require.ErrorIs(t, err, c.want)
				var op *db.OpError
				require.ErrorAs(t, err, &op)
				require.Equal(t, 3, op.Index)
				require.Contains(t, err.Error(), c.bad.Key)
				require.Nil(t, r.Ops)
				require.Len(t, r.Guards, len(m.Guards))
				tx.Commit()
				require.Equal(t, before, d.Checksum())
			}
		})
	}
}

func TestAnUnknownOperationFailsItsList(t *testing.T) {
	tx := db.New().Begin()
	_, err := tx.MultiOp(db.MultiOp{Then: []db.Op{{Kind: db.Put, Key: "a"}, {Kind: 77, Key: "b"}}})
	require.ErrorContains(t, err, "kind(77)")
	require.False(t, errors.Is(err, db.ErrExists))
	_, ok := tx.Get("a")
	require.False(t, ok)
}
