package lock

import (
	"iter"

	"github.com/chubbycell/chubby/replica/api"
)

// Owners iterates over the holders of a lock, in the order of sessions and their handles. No row
// may change before the iteration is over.
func Owners(r Reader, n api.Ref) iter.Seq[Owner] {
	return func(yield func(Owner) bool) {
		for key := range r.Scan(holdsOf(n)) {
			if !yield(mustParse(key).Owner) {
				return
			}
		}
	}
}

// AllDelays iterates over what Delays lists. No row may change before the iteration is over.
func AllDelays(r Reader) iter.Seq[Delay] {
	return func(yield func(Delay) bool) {
		for key, value := range r.Scan(allDelays) {
			k := mustParse(key)
			if !yield(Delay{Lock: k.Lock, Freed: k.Freed, Length: readDelay(key, value)}) {
				return
			}
		}
	}
}
