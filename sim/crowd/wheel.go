package crowd

import "time"

// wheel holds the instants at which members are to be woken. An entry may ring too early; then the
// member sets it again. So moving a wake to a later instant, as nearly all moves do, costs nothing
// until the entry rings.
type wheel struct {
	began time.Time
	slots [][]int32 // a ring: the members that ring at each tick
	tick  int64     // the last one that rang
	first int64     // no entry rings before this tick
}

const (
	wheelGrain = 10 * time.Millisecond
	wheelSlots = 1 << 13
)

func (w *wheel) begin(now time.Time) {
	w.began, w.slots, w.tick, w.first = now, make([][]int32, wheelSlots), 0, wheelSlots
}

// set makes member i ring at the first tick that is not before t, or after one round of the ring if
// that is earlier. It returns the instant of that tick.
func (w *wheel) set(i int32, t time.Time) time.Time {
	tick := int64((t.Sub(w.began) + wheelGrain - 1) / wheelGrain)
	tick = min(max(tick, w.tick+1), w.tick+wheelSlots-1)
	s := &w.slots[tick%wheelSlots]
	*s = append(*s, i)
	w.first = min(w.first, tick)
	return w.began.Add(time.Duration(tick) * wheelGrain)
}

// turn calls ring for each member whose tick has come.
func (w *wheel) turn(now time.Time, ring func(i int32)) {
	for to := int64(now.Sub(w.began) / wheelGrain); w.tick < to; {
		w.tick++
		s := &w.slots[w.tick%wheelSlots]
		all := *s
		*s = nil
		for _, i := range all {
			ring(i)
		}
		if *s == nil {
			*s = all[:0]
		}
	}
	w.first = max(w.first, w.tick+1)
}

// next returns an instant before which no entry is due.
func (w *wheel) next() time.Time {
	for last := w.tick + wheelSlots - 1; w.first < last && len(w.slots[w.first%wheelSlots]) == 0; {
		w.first++
	}
	return w.began.Add(time.Duration(w.first) * wheelGrain)
}
