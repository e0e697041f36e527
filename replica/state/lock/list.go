package lock

import (
	"iter"

	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// Holding is one hold with its lock and its holder.
type Holding struct {
	Lock  api.Ref
	Owner Owner
	Hold
}

// All iterates over the locks that have a row, by instance of their nodes: the locks of
// present nodes that were ever held. No row may change before the iteration is over.
func All(r Reader) iter.Seq2[api.Ref, State] {
	return func(yield func(api.Ref, State) bool) {
		for key, value := range r.Scan(allLocks) {
			if !yield(mustParse(key).Lock, readState(key, value)) {
				return
			}
		}
	}
}

// HoldingsOf lists what the handles of a session hold, in the order in which the
// handles were given out.
func HoldingsOf(r Reader, s api.SessionID) []Holding { return exported(heldIn(r, s)) }

// Holders lists the holds of a lock, in the order of sessions and their handles.
func Holders(r Reader, n api.Ref) []Holding { return exported(holders(r, n)) }

// Holdings lists all holds of all locks, in the order of sessions and their handles, for audits
// and reports.
func Holdings(r Reader) []Holding { return exported(indexed(r, allIndex)) }

// Delay is a running delay.
type Delay struct {
	Lock   api.Ref
	Freed  api.Number // the command that freed it
	Length api.LockDelay
}

// Delays lists all running delays, by instance of their nodes and then by number. No row
// says how much of a delay has passed, so a new master runs each again in full.
func Delays(r Reader) []Delay { return delays(r, allDelays) }

type held struct {
	lock  api.Ref
	owner Owner
	hold  Hold
}

func exported(all []held) (out []Holding) {
	for _, h := range all {
		out = append(out, Holding{Lock: h.lock, Owner: h.owner, Hold: h.hold})
	}
	return out
}

// heldBy returns the hold of a handle, if it has one.
func heldBy(r Reader, o Owner) []held {
	n, ok := HeldBy(r, o)
	if !ok {
		return nil
	}
	return []held{{n, o, mustHold(r, n, o)}}
}

// heldIn returns the holds of the handles of a session.
func heldIn(r Reader, s api.SessionID) []held { return indexed(r, indexOf(s)) }

func indexed(r Reader, prefix string) (all []held) {
	for key, value := range r.Scan(prefix) {
		k := mustParse(key)
		n := readIndex(key, value)
		all = append(all, held{n, k.Owner, mustHold(r, n, k.Owner)})
	}
	return all
}

func holders(r Reader, n api.Ref) (all []held) {
	for key, value := range r.Scan(holdsOf(n)) {
		all = append(all, held{n, mustParse(key).Owner, readHold(key, value)})
	}
	return all
}

func delays(r Reader, prefix string) (all []Delay) {
	for key, value := range r.Scan(prefix) {
		k := mustParse(key)
		all = append(all, Delay{Lock: k.Lock, Freed: k.Freed, Length: readDelay(key, value)})
	}
	return all
}

func mustHold(r Reader, n api.Ref, o Owner) Hold {
	h, ok := GetHold(r, n, o)
	if !ok {
		invariant.Failf("I-K4", "the index says that %v holds %v", o, n)
	}
	return h
}

func mustParse(key string) Key {
	k, ok := ParseKey(key)
	if !ok {
		invariant.Failf("I-K1", "a row has the key %q", key)
	}
	return k
}
