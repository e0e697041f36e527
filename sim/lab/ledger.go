package lab

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim/resource"
)

// ledger is what is seen of a run, in true time.
type ledger struct {
	lines  []Line
	faults []Fault
	holds  holds
	waits  waits
	writes writes
	passed uint64 // messages between clients and the service
	herd   herd
}

// Hold is a span in which a client acted as a holder.
type Hold struct {
	Client string        `json:"client"`
	Token  uint64        `json:"token,omitempty"`
	From   time.Duration `json:"from_ns"`
	To     time.Duration `json:"to_ns"`
	over   bool
}

func (h *Hold) end(at time.Duration) {
	if !h.over {
		h.To, h.over = at, true
	}
}

// holds is all of them, in the order of their beginnings.
type holds []*Hold

func (all *holds) begin(client string, token uint64, at time.Duration) *Hold {
	h := &Hold{Client: client, Token: token, From: at}
	*all = append(*all, h)
	return h
}

// endOf ends what a client holds.
func (all holds) endOf(client string, at time.Duration) {
	for _, h := range all {
		if h.Client == client {
			h.end(at)
		}
	}
}

// after reports that another client began to hold after h did, and not after at.
func (all holds) after(h *Hold, at time.Duration) bool {
	for _, x := range all {
		if x.Client != h.Client && x.From > h.From && x.From <= at {
			return true
		}
	}
	return false
}

// Wait is a span in which a client waited for the lock.
type Wait struct {
	Client string        `json:"client"`
	From   time.Duration `json:"from_ns"`
	To     time.Duration `json:"to_ns"`
	Got    bool          `json:"got"` // the lock, in the end
}

func (w *Wait) end(at time.Duration) { w.To, w.Got = at, true }

// waits is all of them, in the order of their beginnings.
type waits []*Wait

func (all *waits) begin(client string, at time.Duration) *Wait {
	w := &Wait{Client: client, From: at}
	*all = append(*all, w)
	return w
}

// drop forgets a wait that a client's crash ended: it wants the lock no more.
func (all *waits) drop(client string) {
	*all = slices.DeleteFunc(*all, func(w *Wait) bool { return w.Client == client && !w.Got })
}

// Write is a request to the resource that it decided: a write, or a read that it refused.
type Write struct {
	Client   string        `json:"client"`
	At       time.Duration `json:"at_ns"`
	Value    uint64        `json:"value"` // 0: a read
	Accepted bool          `json:"accepted"`
	Stale    bool          `json:"stale"`    // accepted, and a later holder had begun
	Lost     bool          `json:"lost"`     // accepted, and the value at the end does not contain it
	Wrongly  bool          `json:"wrongly"`  // refused for its token, and its client was the latest holder
	Conflict bool          `json:"conflict"` // refused for the version that it was made from, by compare-and-set

	version, base uint64
	hold          *Hold // nil: it was made without a lock
}

// writes is all of them, in the order of decisions.
type writes []*Write

func (all *writes) add(at time.Duration, client string, q *resource.Ask, h *Hold, accepted bool) *Write {
	w := &Write{Client: client, At: at, Value: q.Value, Accepted: accepted, version: q.Version, base: q.Base, hold: h}
	*all = append(*all, w)
	return w
}

// judge fills in what can only be said when all is over.
func (all writes) judge(every holds) {
	byVersion, last := map[uint64]*Write{}, uint64(0)
	for _, w := range all {
		later := w.hold != nil && every.after(w.hold, w.At)
		w.Stale, w.Lost = w.Accepted && later, w.Accepted
		w.Wrongly = !w.Accepted && !w.Conflict && !later && w.hold != nil && (!w.hold.over || w.hold.To >= w.At)
		if w.Accepted {
			byVersion[w.version], last = w, w.version
		}
	}
	for w := byVersion[last]; w != nil; w = byVersion[w.base] { // what the value was made from
		w.Lost = false
	}
}
