package replica

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Limits are those limits of a cell that can be changed. SetLimits leaves a limit that is 0 as it is.
type Limits struct {
	tree.Limits
	Sessions uint64 // that may be alive at one time
}

// Errors of SetLimits, beside ErrStopped and those of the context.
var (
	// ErrNotMaster: this replica does not serve as the master. Nothing was changed.
	ErrNotMaster = core.ErrNotServing
	// ErrBusy: the log has no room now. Nothing was changed.
	ErrBusy = core.ErrLogFull
	// ErrLimit: a limit was refused; the text says which one, and why. Nothing was changed.
	ErrLimit = errors.New("limit")
	// ErrLimitsUnknown: the change was proposed, but the replica ceased to be master, the replica
	// stopped or the context ended before its outcome was known. The change may still be made.
	ErrLimitsUnknown = errors.New("the limits may have been changed, or not")
)

// SetLimits changes limits of the cell, by a command in its log. They then hold for all replicas and
// later masters, and for a cell that is restored from a later backup. Call it at the master. It
// refuses a limit below what is in use. Use may grow while SetLimits checks it; what is then above
// the new limit stays, but may not grow. SetLimits returns nil when the command has been applied; see
// the errors above, ErrStopped and the cause of ctx.
func (r *Replica) SetLimits(ctx context.Context, l Limits) error {
	if l.Sessions > rows.MaxSessions {
		return fmt.Errorf("%w sessions=%d: no cell has more than %d", ErrLimit, l.Sessions, uint64(rows.MaxSessions))
	}
	var view db.View
	var serves bool
	if err := r.ask(ctx, func(h *driver.Driver, _ time.Time) {
		if c := h.Core(); c != nil && c.Serving() != nil {
			view, serves = c.View(), true
		}
	}); err != nil {
		return err
	}
	if !serves {
		return ErrNotMaster
	}
	if err := l.check(view); err != nil {
		return err
	}
	var err error
	done := make(chan api.Code, 1)
	if stopped := r.ask(ctx, func(h *driver.Driver, now time.Time) {
		if err = h.SetLimits(now, command.SetLimits{Nodes: l.Limits, Sessions: l.Sessions}); err == nil {
			r.setting = append(r.setting, done)
		}
	}); stopped != nil || err != nil {
		return errors.Join(stopped, err)
	}
	select {
	case code := <-done:
		return limitsError(code)
	case <-r.left:
		return fmt.Errorf("%w: %w", ErrStopped, ErrLimitsUnknown)
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", context.Cause(ctx), ErrLimitsUnknown)
	}
}

func limitsError(code api.Code) error {
	switch code {
	case api.OK:
		return nil
	case api.NotMaster, api.Aborted:
		return fmt.Errorf("the replica is not the master any more: %w", ErrLimitsUnknown)
	}
	return fmt.Errorf("%w: refused: %v", ErrLimit, code)
}

// check returns an error that names a limit below what is in use. It ignores limits that are not
// lowered.
func (l Limits) check(view db.View) error {
	if _, founded := rows.GetSecret(view); !founded {
		return fmt.Errorf("%w: the cell is being founded", ErrNotMaster)
	}
	if n := rows.GetTotals(view).Sessions; l.Sessions != 0 && l.Sessions < min(n, rows.GetMaxSessions(view)) {
		return fmt.Errorf("%w sessions=%d: %d are alive", ErrLimit, l.Sessions, n)
	}
	if x, ok := tree.FindAbove(view, l.Limits); ok {
		what, word := "directory", "directory "+x.Directory.String()+" holds"
		if x.Principal != "" {
			what, word = "principal", fmt.Sprintf("principal %q owns", x.Principal)
		}
		return fmt.Errorf("%w %s_%s=%d: %s %d", ErrLimit, what, x.Unit, x.Limit, word, x.Used)
	}
	return nil
}

// tellSetting answers the oldest calls of SetLimits under way, one for each code.
func (r *Replica) tellSetting(codes []api.Code) {
	for _, code := range codes {
		r.setting[0] <- code
		r.setting = r.setting[1:]
	}
}
