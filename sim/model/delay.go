package model

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// LongestDelay is the longest lock-delay that there is (C7.06), whatever the product
// takes it for.
const LongestDelay = time.Minute

// DelaySpan is how long a lock-delay of so many milliseconds is.
func DelaySpan(d api.LockDelay) time.Duration {
	return min(time.Duration(d)*time.Millisecond, LongestDelay)
}

// DelayOf is the lock-delay of a caller that asks for d: the first whole millisecond that is no
// less, within the bound.
func DelayOf(d time.Duration) time.Duration {
	return min((d + time.Millisecond - 1).Truncate(time.Millisecond), LongestDelay)
}

// DelayID names a lock-delay: the lock, and the command that freed it.
type DelayID struct {
	Lock  api.Ref
	Freed api.Number
}
