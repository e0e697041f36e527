package session

import (
	"slices"
	"time"
)

// route is whom a client takes for the master (C1.10, C1.11): it sends
// everything there until that replica is silent, keeps refusing, or says that it
// is not the master. It costs time only: any replica may be asked anything.
type route struct {
	order []uint32  // all replicas, in a random order
	at    int       // the target's place in order
	heard time.Time // when the target last answered with more than a refusal
}

func newRoute(cfg Config) route {
	order := slices.Clone(cfg.Replicas)
	for i := len(order) - 1; i > 0; i-- {
		j := int(cfg.Draw() % uint64(i+1))
		order[i], order[j] = order[j], order[i]
	}
	return route{order: order}
}

func (r *route) target() uint32 { return r.order[r.at] }

// known says that the target has answered with more than a refusal.
func (r *route) known() bool { return !r.heard.IsZero() }

// has says whether a replica is one of the cell's.
func (r *route) has(id uint32) bool {
	return slices.Contains(r.order, id)
}

// answered notes that a replica answered with more than a refusal: if it is the
// target, it is a good one.
func (r *route) answered(from uint32, now time.Time) {
	if from == r.target() {
		r.heard = now
	}
}

// serves notes that a replica answered as the master of the latest epoch: whatever
// it was left for, it is the one.
func (r *route) serves(from uint32, now time.Time) {
	if i := slices.Index(r.order, from); i != r.at {
		r.turn(i)
	}
	r.heard = now
}

// silent says that a sending of the instant sent to the replica to was not
// answered in time.
func (r *route) silent(to uint32, sent time.Time) {
	if !r.heard.After(sent) {
		r.leave(to)
	}
}

// leave turns from a replica to the next one, unless that has happened already.
func (r *route) leave(from uint32) {
	if from == r.target() {
		r.turn((r.at + 1) % len(r.order))
	}
}

// follow turns from a replica that is not the master to the one it names; a hint
// that is none, names the sender or a stranger only turns away.
func (r *route) follow(from, hint uint32) {
	if from != r.target() {
		return
	}
	if i := slices.Index(r.order, hint); i >= 0 && hint != from {
		r.turn(i)
		return
	}
	r.leave(from)
}

func (r *route) turn(to int) { r.at, r.heard = to, time.Time{} }
