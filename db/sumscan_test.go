package db

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// some returns a DB of n rows.
func some(n int) *DB {
	d := New()
	tx := d.Begin()
	for i := range n {
		tx.Put(fmt.Sprintf("k%04d", i), fmt.Sprint("v", i))
	}
	tx.Commit()
	return d
}

func TestASumScanTakesSomeRowsAtATime(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 11, 500} {
		d := some(n)
		for _, rows := range []int{0, 1, 10, 499, 500, 1000} {
			s, steps := d.View().SumScan(), 1
			for ; !s.Step(rows); steps++ {
				tx := d.Begin()
				tx.Put("z", fmt.Sprint(steps)) // later writes do not count
				tx.Commit()
			}
			require.True(t, s.Step(rows))
			require.Equal(t, s.view.Checksum(), s.Sum(), "%d rows, %d at a time", n, rows)
			require.Equal(t, s.Maintained(), s.Sum())
			require.Equal(t, max(1, (s.view.Len()+max(rows, 1)-1)/max(rows, 1)), steps, "%d rows, %d at a time", n, rows)
		}
	}
}

// The maintained checksum does not detect a row that failing memory changed; the recomputed
// one does.
func TestASumScanSeesWhatNoTransactionDid(t *testing.T) {
	d := some(100)
	d.Rot("k0050", "rot")
	s := d.View().SumScan()
	for !s.Step(7) {
	}
	require.NotEqual(t, s.Maintained(), s.Sum())
}

// Such a row is not written to a stream that can be loaded.
func TestRowsThatNoTransactionWroteAreNotWrittenOut(t *testing.T) {
	d := some(100)
	d.Rot("k0050", "rot")
	var b bytes.Buffer
	_, err := d.View().WriteChunks(&b, 50)
	require.ErrorIs(t, err, ErrChanged)
	_, err = Load(&b)
	require.ErrorContains(t, err, "ends early")
}
