package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestResultsComeInOrder(t *testing.T) {
	for _, jobs := range []int{0, 1, 7} {
		var got []uint64
		inOrder(context.Background(), jobs, 50, func(i uint64) uint64 { return i * i }, func(r uint64) { got = append(got, r) })
		require.Len(t, got, 50)
		for i, r := range got {
			require.Equal(t, uint64(i*i), r)
		}
	}
}

func TestNoWorkBeginsAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var got []uint64
	inOrder(ctx, 1, 50, func(i uint64) uint64 { return i }, func(r uint64) {
		if got = append(got, r); r == 3 {
			cancel()
		}
	})
	require.Equal(t, []uint64{0, 1, 2, 3}, got, "what ended is told, nothing more is begun")
}
