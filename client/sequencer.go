package client

import (
	"context"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// CheckSequencer asks the cell whether a sequencer of this node's lock is still valid: whether
// the lock is held now, in the sequencer's mode and at its generation (C6.17). A server calls
// it before it acts on a request that carries a sequencer. Any handle on the node will do, also
// one opened only to Read. It fails with ErrStaleSequencer if the sequencer is not valid, and
// with ErrInvalid if the string is not a sequencer of this node.
func (h *Handle) CheckSequencer(ctx context.Context, sequencer string) error {
	_, err := h.call(ctx, "check-sequencer", func(t api.Token) api.Op {
		return api.CheckSequencer{Handle: t, Sequencer: sequencer}
	})
	return err
}

// SetSequencer attaches a sequencer to the handle, in place of an earlier one: from now on
// its calls fail with ErrStaleSequencer when that is not valid any more (C6.16). Calls that
// began before it returns, such as an Acquire that waits, may go by the earlier one still,
// also after a fail-over; calls that begin later go by this one. Of two SetSequencers of a
// handle at the same time, either may be the last.
func (h *Handle) SetSequencer(ctx context.Context, sequencer string) error {
	op := func(t api.Token) api.Op { return api.SetSequencer{Handle: t, Sequencer: sequencer} }
	_, err := h.callThen(ctx, "set-sequencer", op, func(d session.Done) {
		if opened, ok := d.Result.Detail.(api.Opened); ok {
			h.token = opened.Token
		}
	})
	return err
}

// GetSequencer asks the cell for the sequencer of the lock that this handle holds (C6.15). It
// fails with ErrNotHeld if the handle holds none. Lock.Sequencer returns the same string
// without a call.
func (h *Handle) GetSequencer(ctx context.Context) (string, error) {
	r, err := h.call(ctx, "get-sequencer", func(t api.Token) api.Op { return api.GetSequencer{Handle: t} })
	if err != nil {
		return "", err
	}
	s, _ := r.Detail.(api.Sequenced)
	return s.Sequencer.Encode(), nil
}
