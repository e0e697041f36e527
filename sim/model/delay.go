package model

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// LongestDelay is the longest lock-delay that a client may ask for (C7.06). It is stated here
// again, so that checkers do not take it from the product.
const LongestDelay = time.Minute

// DelaySpan returns the length of a lock-delay given in milliseconds, at most LongestDelay.
func DelaySpan(d api.LockDelay) time.Duration {
	return min(time.Duration(d)*time.Millisecond, LongestDelay)
}

// DelayOf returns the lock-delay that a caller who asks for d gets: d rounded up to whole
// milliseconds, at most LongestDelay.
func DelayOf(d time.Duration) time.Duration {
	return min((d + time.Millisecond - 1).Truncate(time.Millisecond), LongestDelay)
}

// DelayID identifies a lock-delay by the lock and the command that freed it.
type DelayID struct {
	Lock  api.Ref
	Freed api.Number
}
