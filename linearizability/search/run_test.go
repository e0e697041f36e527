package search

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// call is an operation on a register of small numbers: it writes value or, if Read, it read value.
type call struct {
	Op
	value int
}

func problemOf(calls []call) *Problem[int] {
	p := &Problem[int]{
		Step: func(s, i int) (bool, int) {
			if calls[i].Read {
				return s == calls[i].value, s
			}
			return true, calls[i].value
		},
		Same: func(a, b int) bool { return a == b },
		Hash: func(s int) uint64 { return uint64(s) },
		Size: func(int) int { return 8 },
	}
	twins := map[int]int32{}
	for i, c := range calls {
		if c.Open {
			c.Twin, twins[c.value] = twins[c.value], int32(i+1)
		}
		p.Ops = append(p.Ops, c.Op)
	}
	return p
}

// drawn draws a few overlapping calls, some of them open.
func drawn(r *rand.Rand) []call {
	stamps := r.Perm(1000)
	calls := make([]call, 2+r.IntN(8))
	for i := range calls {
		a, b := int64(stamps[2*i]), int64(stamps[2*i+1])
		calls[i] = call{Op{Call: min(a, b), Return: max(a, b), Read: r.IntN(2) == 0}, r.IntN(3)}
		if !calls[i].Read && r.IntN(3) == 0 {
			calls[i].Open = true
		}
		if r.IntN(3) > 0 { // a short call, so that few calls overlap
			calls[i].Return = calls[i].Call*1000 + 1500
		} else {
			calls[i].Return *= 1000
		}
		calls[i].Call *= 1000
		calls[i].Return += int64(i) // all differ
	}
	slices.SortFunc(calls, func(a, b call) int { return cmp.Compare(a.Call, b.Call) })
	return calls
}

// hasOrder tries every order.
func hasOrder(calls []call, state int, placed uint) bool {
	barrier, left := int64(1<<62), false
	for i, c := range calls {
		if placed>>i&1 == 0 && !c.Open {
			barrier, left = min(barrier, c.Return), true
		}
	}
	if !left {
		return true
	}
	for i, c := range calls {
		if placed>>i&1 != 0 || c.Call > barrier || c.Read && c.value != state {
			continue
		}
		next := state
		if !c.Read {
			next = c.value
		}
		if hasOrder(calls, next, placed|1<<i) {
			return true
		}
	}
	return false
}

// The search gives the same answer as trying every order. The operations that returned before Stuck have an order.
func TestTheSearchFindsWhatTryingAllFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 20_000 {
		calls := drawn(r)
		got := problemOf(calls).Run(Bounds{})
		require.Equal(t, hasOrder(calls, 0, 0), got.Found, "%+v", calls)
		require.Equal(t, None, got.Met)
		if got.Found {
			found++
			require.Equal(t, -1, got.Stuck)
			continue
		}
		before := slices.Clone(calls)
		for i := range before {
			if before[i].Return >= calls[got.Stuck].Return {
				before[i].Open = true
			}
		}
		before = slices.DeleteFunc(before, func(c call) bool { return c.Open && c.Read })
		require.True(t, hasOrder(before, 0, 0), "what returned before it has an order: %+v", calls)
	}
	require.InDelta(t, 10_000, found, 8_000)
}

// The search does not try every subset of many open operations: most configurations are redundant.
func TestOpenOperationsAreNotTriedInEverySet(t *testing.T) {
	var calls []call
	for i := range int64(30) {
		calls = append(calls, call{Op{Call: i, Open: true}, int(i % 3)})
	}
	for i := range int64(10) {
		calls = append(calls, call{Op{Call: 100 + 2*i, Return: 101 + 2*i, Read: true}, int(i % 3)})
	}
	calls = append(calls, call{Op{Call: 1000, Return: 1001, Read: true}, 7})
	got := problemOf(calls).Run(Bounds{Steps: 200_000})
	require.False(t, got.Found)
	require.Equal(t, None, got.Met)
	require.Equal(t, 40, got.Stuck)
}

func TestEveryBoundEndsASearch(t *testing.T) {
	var calls []call
	for i := range int64(24) {
		calls = append(calls, call{Op{Call: i, Return: 100 + i}, int(i)})
	}
	calls = append(calls, call{Op{Call: 1000, Return: 1001, Read: true}, -1})
	p := problemOf(calls)
	got := p.Run(Bounds{Steps: 5000})
	require.Equal(t, Result{Met: Steps, Steps: 5000, Bytes: got.Bytes, Stuck: got.Stuck}, got)
	require.Equal(t, Memory, p.Run(Bounds{Bytes: 1 << 20}).Met)
	asked := 0
	require.Equal(t, Time, p.Run(Bounds{Stop: func() bool { asked++; return asked == 3 }}).Met)
}
