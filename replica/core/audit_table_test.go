package core

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
)

// auditOf returns the audit of node 1 of n, which has no rows after slot 5 and so the sum 0.
func auditOf(t *testing.T, n int) *audit {
	cfg := DefaultConfig()
	cfg.Paxos.ID = 1
	for i := range n {
		cfg.Paxos.Members = append(cfg.Paxos.Members, paxos.NodeID(i+1))
	}
	a := newAudit(&cfg, time.Time{})
	a.begin(5, db.New().View(), time.Time{})
	require.NoError(t, a.step())
	require.Equal(t, &SumReport{Slot: 5}, a.unsent)
	return &a
}

// sumOf returns the sum of rows of kind k. Node 1 has rows of kind 0.
func sumOf(k int) db.Sum { return db.Sum{A: uint64(k), B: uint64(k)} }

// Every way in which up to six replicas can have rows of up to three kinds, or stay silent: a
// replica stops if, and only if, no majority can have its rows.
func TestWhoCannotBeOfAMajorityStops(t *testing.T) {
	const silent = 3
	cases := 0
	for n := 1; n <= 6; n++ {
		kinds := make([]int, n) // kinds[0] is node 1's own: 0
		for {
			a := auditOf(t, n)
			same, quiet := 0, 0
			var err error
			for i, k := range kinds {
				switch {
				case k == silent:
					quiet++
				case k == 0:
					same++
				}
				if i > 0 && k != silent {
					err = a.addReport(paxos.NodeID(i+1), SumReport{Slot: 5, Sum: sumOf(k)})
				}
			}
			if i := len(kinds) - 1; i > 0 && kinds[i] == silent {
				err = a.verdict()
			}
			agreed, _ := Judge(a.self, a.members, a.own, a.others)
			require.Equal(t, same > n/2, agreed, "%v", kinds)
			if same+quiet > n/2 {
				require.NoError(t, err, "%v", kinds)
			} else {
				require.ErrorIs(t, err, ErrMinority, "%v", kinds)
				require.ErrorContains(t, err, "after slot 5")
			}
			cases++
			if !next(kinds[1:], silent) {
				break
			}
		}
	}
	require.Equal(t, 1+4+16+64+256+1024, cases)
}

// next counts up by one, with the lowest digit in front. It reports whether there was no overflow.
func next(digits []int, most int) bool {
	for i := range digits {
		if digits[i]++; digits[i] <= most {
			return true
		}
		digits[i] = 0
	}
	return false
}

// If replicas have rows of two kinds and none is silent, those of at most one kind go on.
func TestTheMinorityStopsAndTheMajorityGoesOn(t *testing.T) {
	for n := 2; n <= 7; n++ {
		for odd := 1; odd < n; odd++ {
			stops := func(mine, theirs int) bool {
				a := auditOf(t, n)
				for i := 1; i < n; i++ {
					k := 0
					if i >= mine {
						k = 1
					}
					_ = a.addReport(paxos.NodeID(i+1), SumReport{Slot: 5, Sum: sumOf(k)})
				}
				require.Equal(t, n, mine+theirs)
				return a.verdict() != nil
			}
			require.Equal(t, odd <= n/2, stops(odd, n-odd), "%d of %d", odd, n)
		}
	}
}

func TestReportsOfAnotherSlotSayNothing(t *testing.T) {
	a := auditOf(t, 3)
	require.NoError(t, a.addReport(2, SumReport{Slot: 4, Sum: sumOf(1)}))
	require.NoError(t, a.addReport(3, SumReport{Slot: 6, Sum: sumOf(1)}))
	require.Equal(t, AuditCounters{Summed: 1}, a.count)
	require.NoError(t, a.addReport(2, SumReport{Slot: 5, Sum: sumOf(1)}))
	require.NoError(t, a.addReport(3, SumReport{Slot: 5, Sum: sumOf(1)}), "it is behind what was told before")
	require.Equal(t, AuditCounters{Summed: 1, Compared: 1, Disagreed: 1}, a.count)

	// A report that comes before the own sum is finished counts once it is.
	a.begin(6, db.New().View(), time.Time{})
	require.NoError(t, a.addReport(2, SumReport{Slot: 6, Sum: sumOf(1)}))
	require.ErrorIs(t, a.step(), ErrMinority)
}

// Rows that a snapshot has replaced are no longer judged, whatever others had, and their sum is not
// finished.
func TestRowsThatAreGoneAreNoReasonToStop(t *testing.T) {
	a := auditOf(t, 3)
	require.NoError(t, a.addReport(2, SumReport{Slot: 5, Sum: sumOf(1)}))
	a.begin(6, db.New().View(), time.Time{})
	a.forget()
	require.NoError(t, a.addReport(3, SumReport{Slot: 5, Sum: sumOf(1)}))
	require.NoError(t, a.step())
	require.Nil(t, a.unsent)
	require.True(t, a.wake(time.Unix(7, 0)).IsZero())
}

func TestASumIsOfItsPlaceAndIsFinished(t *testing.T) {
	d := db.New()
	put := func(key string) {
		tx := d.Begin()
		tx.Put(key, "v")
		tx.Commit()
	}
	put("a")
	put("b")
	sum := d.Checksum()
	a := newAudit(&Config{ChecksumRows: 1, Paxos: paxos.Config{ID: 1, Members: []paxos.NodeID{1}}}, time.Time{})
	now := time.Unix(7, 0)
	require.True(t, a.wake(now).IsZero())
	a.begin(1, db.New().View(), now)
	a.begin(2, d.View(), now) // nothing is summed yet: the later command counts
	require.Equal(t, now, a.wake(now))
	put("c")
	require.NoError(t, a.step())
	a.begin(3, d.View(), now) // a sum is under way: this command is ignored
	require.Nil(t, a.unsent)
	require.NoError(t, a.step())
	require.Equal(t, &SumReport{Slot: 2, Sum: sum}, a.unsent)
	require.EqualValues(t, 1, a.count.Overlapped)
}
