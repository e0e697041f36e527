package db

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// some has n rows.
func some(n int) *DB {
	d := New()
	tx := d.Begin()
	for i := range n {
		tx.Put(fmt.Sprintf("k%04d", i), fmt.Sprint("v", i))
	}
	tx.Commit()
	return d
}

func TestSummingTakesSomeRowsAtATime(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 11, 500} {
		d := some(n)
		for _, rows := range []int{0, 1, 10, 499, 500, 1000} {
			s, steps := d.View().Summing(), 1
			for ; !s.Step(rows); steps++ {
				tx := d.Begin()
				tx.Put("z", fmt.Sprint(steps)) // what comes later does not count
				tx.Commit()
			}
			require.True(t, s.Step(rows))
			require.Equal(t, s.view.Checksum(), s.Sum(), "%d rows, %d at a time", n, rows)
			require.Equal(t, s.Kept(), s.Sum())
			require.Equal(t, max(1, (s.view.Len()+max(rows, 1)-1)/max(rows, 1)), steps, "%d rows, %d at a time", n, rows)
		}
	}
}

// A row that memory changed by itself is not seen by the checksum that is kept,
// but by the one that is computed.
func TestSummingSeesWhatNoTransactionDid(t *testing.T) {
	d := some(100)
	d.Rot("k0050", "rot")
	s := d.View().Summing()
	for !s.Step(7) {
	}
	require.NotEqual(t, s.Kept(), s.Sum())
}

// Nor does it reach a stream that anybody could load.
func TestRowsThatNoTransactionWroteAreNotWrittenOut(t *testing.T) {
	d := some(100)
	d.Rot("k0050", "rot")
	var b bytes.Buffer
	_, err := d.View().WriteChunks(&b, 50)
	require.ErrorIs(t, err, ErrChanged)
	_, err = Load(&b)
	require.ErrorContains(t, err, "ends early")
}
