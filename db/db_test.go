package db_test

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
)

// fill commits rows given as key, value, key, value.
func fill(d *db.DB, rows ...string) *db.DB {
	t := d.Begin()
	for i := 0; i < len(rows); i += 2 {
		t.Put(rows[i], rows[i+1])
	}
	t.Commit()
	return d
}

// flat is the opposite of fill.
func flat(rows iter.Seq2[string, string]) (list []string) {
	for k, v := range rows {
		list = append(list, k, v)
	}
	return list
}

// breaks requires that f violates the invariant.
func breaks(t *testing.T, id invariant.ID, f func()) {
	t.Helper()
	v := invariant.Caught(f)
	require.NotNil(t, v, "no invariant was broken")
	require.Equal(t, id, v.ID)
}

func TestRowsComeInKeyOrderAndOnlyFromTheRangeAsked(t *testing.T) {
	d := fill(db.New(), "b/2", "y", "a", "1", "b/1", "x", "c", "3", "b", "0")
	require.Equal(t, []string{"a", "1", "b", "0", "b/1", "x", "b/2", "y", "c", "3"}, flat(d.Ascend("", "")))
	require.Equal(t, []string{"b", "0", "b/1", "x"}, flat(d.Ascend("b", "b/2")))
	require.Equal(t, []string{"b/1", "x", "b/2", "y"}, flat(d.Scan("b/")))
	require.Empty(t, flat(d.Scan("bb")))
	require.Equal(t, 5, d.Len())
	require.EqualValues(t, 14, d.Bytes())
}

func TestAnIterationMayEndEarly(t *testing.T) {
	d := fill(db.New(), "a", "1", "b", "2")
	for k := range d.Ascend("", "") {
		require.Equal(t, "a", k)
		break
	}
	fill(d, "c", "3") // would break I-D3 if the iteration still counted
	require.Equal(t, 3, d.Len())
}

func TestRollbackLeavesNoTrace(t *testing.T) {
	d := fill(db.New(), "a", "1", "b", "2")
	sum, bytes := d.Checksum(), d.Bytes()
	tx := d.Begin()
	tx.Put("a", "other")
	tx.Put("a", "again")
	tx.Delete("b")
	tx.Put("b", "back")
	tx.Put("c", "new")
	tx.Delete("never there")
	tx.Rollback()
	require.Equal(t, []string{"a", "1", "b", "2"}, flat(d.Ascend("", "")))
	require.Equal(t, sum, d.Checksum())
	require.Equal(t, bytes, d.Bytes())
}

func TestRollbackToAMarkKeepsWhatWasBefore(t *testing.T) {
	d := db.New()
	tx := d.Begin()
	tx.Put("a", "1")
	m := tx.Mark()
	tx.Put("a", "2")
	tx.Put("b", "2")
	require.Equal(t, []string{"a", "b"}, changed(tx, m))
	tx.RollbackTo(m)
	require.Empty(t, changed(tx, m))
	tx.Commit()
	require.Equal(t, []string{"a", "1"}, flat(d.Ascend("", "")))
}

func changed(t *db.Txn, since db.Mark) (keys []string) {
	for k := range t.Changed(since) {
		keys = append(keys, k)
	}
	return keys
}

func TestPutAndDeleteTellWhatStoodThere(t *testing.T) {
	tx := db.New().Begin()
	defer tx.Rollback()
	_, had := tx.Put("a", "1")
	require.False(t, had)
	old, had := tx.Put("a", "2")
	require.True(t, had)
	require.Equal(t, "1", old)
	old, had = tx.Delete("a")
	require.True(t, had)
	require.Equal(t, "2", old)
	_, had = tx.Delete("a")
	require.False(t, had)
}

func TestDeleteAllTakesThePrefixAndNothingElse(t *testing.T) {
	d := fill(db.New(), "a", "1", "b/", "2", "b/x", "3", "b0", "4")
	tx := d.Begin()
	require.Equal(t, 2, tx.DeleteAll("b/"))
	tx.Commit()
	require.Equal(t, []string{"a", "1", "b0", "4"}, flat(d.Ascend("", "")))
}

func TestAViewStaysAsItWas(t *testing.T) {
	d := fill(db.New(), "a", "1", "b", "2")
	v, sum := d.View(), d.Checksum()
	fill(d, "a", "changed", "c", "3")
	tx := d.Begin()
	tx.Delete("b")
	tx.Commit()
	require.Equal(t, []string{"a", "1", "b", "2"}, flat(v.Ascend("", "")))
	require.Equal(t, sum, v.Checksum())
	require.Equal(t, sum, v.Recompute())
	require.Equal(t, 2, v.Len())
	require.Equal(t, []string{"a", "changed", "c", "3"}, flat(d.View().Scan("")))
}

// The race detector decides: readers of a view and the writer share tree nodes, and must share
// none that changes.
func TestViewsAreReadWhileTheOwnerWrites(t *testing.T) {
	d := db.New()
	for i := range 2000 {
		fill(d, key(i), "old")
	}
	v := d.View()
	done := make(chan db.Sum)
	for range 2 {
		go func() { done <- v.Recompute() }()
	}
	for i := range 3000 {
		fill(d, key(i*7%4000), "new")
	}
	require.Equal(t, v.Checksum(), <-done)
	require.Equal(t, v.Checksum(), <-done)
	require.NotEqual(t, v.Checksum(), d.Checksum())
}

func TestTheChecksumTellsRowsApart(t *testing.T) {
	sums := map[db.Sum][]string{}
	for _, rows := range [][]string{
		{}, {"", ""}, {"a", ""}, {"", "a"}, {"a", "b"}, {"b", "a"}, {"ab", ""}, {"", "ab"},
		{"a", "b", "c", "d"}, {"a", "d", "c", "b"}, {"a", "a"}, {"b", "b"}, {"a", "a", "b", "b"},
	} {
		s := fill(db.New(), rows...).Checksum()
		require.Empty(t, sums[s], "%q and %q", sums[s], rows)
		sums[s] = append(rows, "seen")
	}
	require.Equal(t, db.Sum{}, db.New().Checksum())
}

// The numbers are part of the stream format and must not change.
func TestTheChecksumIsPinned(t *testing.T) {
	require.Equal(t, "19adf44d5e0f289ed09964f12168766c", fill(db.New(), "key", "value").Checksum().String())
}

func TestTheOwnerMayNot(t *testing.T) {
	t.Run("begin twice", func(t *testing.T) {
		d := db.New()
		d.Begin()
		breaks(t, "I-D2", func() { d.Begin() })
	})
	t.Run("take a view inside a transaction", func(t *testing.T) {
		d := db.New()
		d.Begin()
		breaks(t, "I-D2", func() { d.View() })
	})
	t.Run("ask for the checksum inside a transaction", func(t *testing.T) {
		d := db.New()
		d.Begin()
		breaks(t, "I-D2", func() { d.Checksum() })
	})
	t.Run("go on after the end", func(t *testing.T) {
		tx := db.New().Begin()
		tx.Commit()
		breaks(t, "I-D2", func() { tx.Put("a", "1") })
		breaks(t, "I-D2", func() { tx.Delete("a") })
		breaks(t, "I-D2", func() { tx.Commit() })
		breaks(t, "I-D2", func() { tx.Rollback() })
	})
	t.Run("write under an iteration", func(t *testing.T) {
		tx := fill(db.New(), "a", "1").Begin()
		breaks(t, "I-D3", func() {
			for k := range tx.Scan("") {
				tx.Delete(k)
			}
		})
	})
	t.Run("write a row that no stream can hold", func(t *testing.T) {
		tx := db.New().Begin()
		breaks(t, "I-D4", func() { tx.Put("k", string(make([]byte, db.MaxRow))) })
	})
}

func key(i int) string {
	const digits = "0123456789"
	b := []byte("row/0000000")
	for at := len(b) - 1; i > 0; at, i = at-1, i/10 {
		b[at] = digits[i%10]
	}
	return string(b)
}
