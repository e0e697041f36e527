package model

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

// A lock-delay is at least what was asked for, but at most a minute.
func TestTheLengthOfALockDelay(t *testing.T) {
	for asked, is := range map[time.Duration]time.Duration{
		0: 0, 1: time.Millisecond, 900 * time.Millisecond: 900 * time.Millisecond, 1900*time.Millisecond + 1: 1901 * time.Millisecond,
		time.Minute - 1: time.Minute, time.Minute: time.Minute, 2 * time.Minute: time.Minute,
	} {
		require.Equal(t, is, DelayOf(asked))
		require.Equal(t, is, DelaySpan(api.DelayOf(asked)))
	}
	require.Equal(t, time.Minute, DelaySpan(90_000))
}
