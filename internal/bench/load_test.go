package bench

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Calls that are refused count for the bound of a row: it does not go on for an hour once a quota is reached.
func TestCallsThatFailEndARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, calls := load{most: 10}, 0
		fill := func(context.Context) error {
			if calls++; calls > 3 {
				return errors.New("quota exceeded")
			}
			return nil
		}
		took := l.drive(t.Context(), []operation{fill}, 0, time.Hour, time.Second, func() {}, func() {})
		require.Less(t, took, time.Second)
		require.GreaterOrEqual(t, l.all.n+l.errors, uint64(10))
		require.LessOrEqual(t, calls, 15)
	})
}
