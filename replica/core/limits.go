package core

import (
	"errors"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// mostSetting is how many changes of limits may be under way at one time.
const mostSetting = 16

// Errors of SetLimits. It has proposed nothing then.
var (
	// ErrNotServing: this replica is not the master, or does not serve yet.
	ErrNotServing = errors.New("this replica does not serve as the master")
	// ErrLogFull: the log has no room now, or too many changes of limits are under way. Try later.
	ErrLogFull = errors.New("the log has no room now")
)

// setting counts the changes of limits under way. They were all proposed in one epoch, in which no
// other replica proposes any, so they are applied in the order in which they were proposed.
type setting struct {
	epoch api.Epoch
	n     int
}

// SetLimits proposes a change of limits of the cell. It sets c.Guard to the present epoch. If it
// returns nil, a later Output.Limits has the outcome; outcomes come in the order of the calls.
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
	r.verifyInUse("proposes", string(raw[:1]))
	if r.paxos.Propose(now, raw) != nil {
		return ErrLogFull
	}
	r.setting.epoch = c.Guard
	r.setting.n++
	r.observeProposed(raw)
	return nil
}

// onLimits reports the outcome of the oldest change under way, if a is its command.
func (r *Replica) onLimits(a *command.Applied) {
	if c, ok := a.Command.(command.SetLimits); ok && r.setting.n > 0 && c.Guard == r.setting.epoch {
		r.out.Limits = append(r.out.Limits, a.Result.Code)
		r.setting.n--
	}
}

// endSetting reports api.NotMaster for the changes under way if this replica no longer serves in
// their epoch: it is unknown whether they will be applied.
func (r *Replica) endSetting() {
	if r.serving != nil && r.serving.Epoch == r.setting.epoch {
		return
	}
	for ; r.setting.n > 0; r.setting.n-- {
		r.out.Limits = append(r.out.Limits, api.NotMaster)
	}
}
