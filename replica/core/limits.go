package core

import (
	"errors"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// mostSetting is how many changes of limits may be under way at one time.
const mostSetting = 16

// Why SetLimits proposes nothing.
var (
	// ErrNotServing: this replica is not the master, or does not serve yet.
	ErrNotServing = errors.New("this replica does not serve as the master")
	// ErrLogFull: the log has no room now. Later it may have.
	ErrLogFull = errors.New("the log has no room now")
)

// setting is the changes of limits under way, the oldest first: they were proposed in one epoch,
// in which no other replica proposes any, so they are applied in this order.
type setting struct {
	epoch api.Epoch
	n     int
}

// SetLimits has limits of the cell changed, whatever c says of its guard. If it returns nil,
// Output.Limits has what came of it, behind what came of earlier ones.
func (r *Replica) SetLimits(now time.Time, c command.SetLimits) error {
	r.now = now
	if r.serving == nil {
		return ErrNotServing
	}
	r.endSetting()
	if r.setting.n >= mostSetting {
		return ErrLogFull
	}
	c.Guard = r.serving.Epoch
	raw := command.Append(nil, c)
	if r.paxos.Propose(now, raw) != nil {
		return ErrLogFull
	}
	r.setting.epoch = c.Guard
	r.setting.n++
	r.observeProposed(raw)
	return nil
}

// onLimits answers the oldest change under way if a command is that one.
func (r *Replica) onLimits(a *command.Applied) {
	if c, ok := a.Command.(command.SetLimits); ok && r.setting.n > 0 && c.Guard == r.setting.epoch {
		r.out.Limits = append(r.out.Limits, a.Result.Code)
		r.setting.n--
	}
}

// endSetting answers the changes of an epoch in which this replica serves no more: whether they
// are made is unknown.
func (r *Replica) endSetting() {
	if r.serving != nil && r.serving.Epoch == r.setting.epoch {
		return
	}
	for ; r.setting.n > 0; r.setting.n-- {
		r.out.Limits = append(r.out.Limits, api.NotMaster)
	}
}
