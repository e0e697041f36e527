package bench

import (
	"math"
	"math/bits"
	"time"
)

// latencies counts durations by size, in classes that are 1/64 of their size wide at most: a
// quantile is wrong by less than 2 %. The zero value is empty.
type latencies struct {
	n      uint64
	counts [64 * classes]uint32
}

// classes is how many classes there are for each power of two, in nanoseconds.
const classes = 64

// classOf is the class of a duration.
func classOf(d time.Duration) int {
	n := uint64(max(d, 0))
	if n < classes {
		return int(n)
	}
	shift := bits.Len64(n) - 7 // 6 bits behind the first one
	return (shift+1)*classes + int(n>>shift) - classes
}

// upper is the largest duration of a class.
func upper(class int) time.Duration {
	if class < classes {
		return time.Duration(class)
	}
	shift := class/classes - 1
	return time.Duration(((uint64(class%classes)+classes)+1)<<shift - 1)
}

func (l *latencies) add(d time.Duration) {
	l.n++
	l.counts[classOf(d)]++
}

func (l *latencies) merge(o *latencies) {
	l.n += o.n
	for i, n := range o.counts {
		l.counts[i] += n
	}
}

// quantile is the shortest duration that the share q of all is not above; 0 if there are none.
func (l *latencies) quantile(q float64) time.Duration {
	if l.n == 0 {
		return 0
	}
	const rounding = 1e-9 // of q, so that 99 % of 100 are 99
	rank := uint64(max(math.Ceil((q-rounding)*float64(l.n)), 1)) - 1
	for i, n := range l.counts {
		if rank < uint64(n) {
			return upper(i)
		}
		rank -= uint64(n)
	}
	return 0 // not reached: the counts add up to n
}
