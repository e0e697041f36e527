package session

import (
	"slices"
	"time"
)

// route tracks which replica the client takes for the master (C1.10, C1.11). The client sends
// everything there until that replica is silent, keeps refusing, or says that it is not the master.
// A wrong choice costs only time.
type route struct {
	order      []uint32  // all replicas, in random order
	at         int       // index of the target
	lastAnswer time.Time // when the target last answered with more than a refusal
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

// hasAnswered reports whether the target has answered with more than a refusal.
func (r *route) hasAnswered() bool { return !r.lastAnswer.IsZero() }

// has reports whether id is a replica of the cell.
func (r *route) has(id uint32) bool {
	return slices.Contains(r.order, id)
}

// noteAnswer records that a replica answered with more than a refusal.
func (r *route) noteAnswer(from uint32, now time.Time) {
	if from == r.target() {
		r.lastAnswer = now
	}
}

// setMaster makes a replica the target that answered as the master of the latest epoch, even if the
// client had left that replica.
func (r *route) setMaster(from uint32, now time.Time) {
	if i := slices.Index(r.order, from); i != r.at {
		r.setTarget(i)
	}
	r.lastAnswer = now
}

// setMasterOfNewEpoch makes the replica the target that an answer names as master, together with an
// epoch that is new to the client. It may be the second answer to a request: a replica answers
// NotMaster while it knows no master, and once more when there is one.
func (r *route) setMasterOfNewEpoch(master uint32) {
	if i := slices.Index(r.order, master); i >= 0 && i != r.at {
		r.setTarget(i)
	}
}

// onTimeout handles a missing answer of replica to, for a sending at the instant sent.
func (r *route) onTimeout(to uint32, sent time.Time) {
	if !r.lastAnswer.After(sent) {
		r.leave(to)
	}
}

// leave moves from a replica to the next one, if it still is the target.
func (r *route) leave(from uint32) {
	if from == r.target() {
		r.setTarget((r.at + 1) % len(r.order))
	}
}

// follow moves from a replica that is not the master to the one that it names. If the hint is
// empty, names the sender, or is unknown, it moves to the next one.
func (r *route) follow(from, hint uint32) {
	if from != r.target() {
		return
	}
	if i := slices.Index(r.order, hint); i >= 0 && hint != from {
		r.setTarget(i)
		return
	}
	r.leave(from)
}

func (r *route) setTarget(to int) { r.at, r.lastAnswer = to, time.Time{} }
