package model

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// LockState is an immutable state of one lock. The zero LockState is free and was never held.
type LockState struct{ rows *lockRows } // one pointer, so it costs nothing to box

// lockRows is the state of a lock; holds are in order of handle.
type lockRows struct {
	gone   bool
	shared bool   // the mode of the holds
	gen    number // generation of the present holds or, if free, of the last ones
	holds  []lockHold
	delays []lockDelay // running ones, in order of name
	sum    uint64      // hash of all above
}

type lockHold struct {
	handle      string
	acquisition number
	delay       int64
}

type lockDelay struct {
	began  uint64
	length int64
}

// lock returns a copy of the state to change, except holds and delays, which are shared.
func (s LockState) lock() lockRows {
	if s.rows == nil {
		return lockRows{}
	}
	return *s.rows
}

// state returns the changed copy as a state.
func (r lockRows) state() LockState {
	r.sum = r.hash()
	return LockState{&r}
}

// find returns the index of a handle's hold, or where it would be inserted.
func (r *lockRows) find(handle string) (int, bool) {
	i := sort.Search(len(r.holds), func(i int) bool { return r.holds[i].handle >= handle })
	return i, i < len(r.holds) && r.holds[i].handle == handle
}

// startDelay begins a delay, or extends the one of this name.
func (r *lockRows) startDelay(d lockDelay) {
	i := sort.Search(len(r.delays), func(i int) bool { return r.delays[i].began >= d.began })
	switch {
	case d.length == 0:
	case i < len(r.delays) && r.delays[i].began == d.began:
		r.delays[i].length = max(r.delays[i].length, d.length)
	default:
		r.delays = slices.Insert(r.delays, i, d)
	}
}

// delay returns the length of the delay with this name in nanoseconds; 0: it does not run.
func (r *lockRows) delay(began uint64) int64 {
	for _, d := range r.delays {
		if d.began == began {
			return d.length
		}
	}
	return 0
}

func (r *lockRows) hash() uint64 {
	var room [256]byte
	b := r.gen.appendTo(append(room[:0], flag(r.gone)<<1|flag(r.shared)))
	for _, h := range r.holds {
		b = h.acquisition.appendTo(append(append(b, h.handle...), 0))
		b = binary.BigEndian.AppendUint64(b, uint64(h.delay))
	}
	for _, d := range r.delays {
		b = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, d.began), uint64(d.length))
	}
	return xxhash.Sum64(b)
}

func (s LockState) equal(t LockState) bool {
	if s.rows == nil || t.rows == nil || s.rows == t.rows {
		return s.rows == t.rows || s.blank() && t.blank()
	}
	a, b := s.rows, t.rows
	return a.sum == b.sum && a.gone == b.gone && a.shared == b.shared && a.gen == b.gen &&
		slices.Equal(a.holds, b.holds) && slices.Equal(a.delays, b.delays)
}

// blank reports whether s equals the state at the start.
func (s LockState) blank() bool {
	return s.rows == nil || !s.rows.gone && s.rows.gen == number{} && len(s.rows.holds)+len(s.rows.delays) == 0
}

func (s LockState) hash() uint64 {
	if s.blank() {
		return 0
	}
	return s.rows.sum
}

// size counts holds and delays as on a 64-bit machine.
func (s LockState) size() int {
	if s.rows == nil {
		return 0
	}
	return 144 + 64*len(s.rows.holds) + 16*len(s.rows.delays)
}

// String returns holders, delays and generation of the lock.
func (s LockState) String() string {
	r := s.lock()
	var parts []string
	if r.gone {
		parts = append(parts, "gone")
	}
	for _, h := range r.holds {
		parts = append(parts, fmt.Sprintf("%s %s", h.handle, LockMode(r.shared)))
	}
	if len(r.holds) == 0 && !r.gone {
		parts = append(parts, "free")
	}
	for _, d := range r.delays {
		parts = append(parts, fmt.Sprintf("delay %d", d.began))
	}
	return strings.Join(append(parts, "generation "+r.gen.String()), ", ")
}

// LockMode returns the word for a mode.
func LockMode(shared bool) string {
	if shared {
		return "shared"
	}
	return "exclusive"
}
