package client

import (
	"cmp"
	"context"
	"fmt"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// CheckSequencer asks the cell whether a sequencer of this node's lock is still valid, that is, whether
// the lock is held now, in the sequencer's mode and at its generation (C6.17). A server calls it before it
// acts on a request that carries a sequencer. Any handle on the node that was opened with Read will do; a
// handle with Write alone fails with ErrPermission. CheckSequencer fails with ErrStaleSequencer if the
// sequencer is not valid, and with ErrInvalid and the reason if the text is not a sequencer of this node.
func (h *Handle) CheckSequencer(ctx context.Context, sequencer string) error {
	shown, s, bad := readSequencer(sequencer)
	_, err := h.call(ctx, "check-sequencer", func(t api.Token) api.Op {
		return api.CheckSequencer{Handle: t, Sequencer: shown}
	})
	if bad == nil && s.Node != h.node {
		bad = fmt.Errorf("a sequencer of the lock of %v, shown to a handle on %v", s.Node, h.node)
	}
	return withReason(err, ErrInvalid, bad)
}

// readSequencer returns the bytes of a sequencer for the cell, and their meaning. If the text is not
// a sequencer, both are zero and bad says why; the call then fails with ErrInvalid without a message.
func readSequencer(text string) (shown string, s api.Sequencer, bad error) {
	if s, bad = api.ParseSequencerText(text); bad == nil {
		shown = s.Encode()
	}
	return shown, s, bad
}

// SetSequencer attaches a sequencer to the handle, in place of an earlier one. From now on the
// handle's calls fail with ErrStaleSequencer once the sequencer is no longer valid (C6.16). Calls
// that began before SetSequencer returns, such as an Acquire that waits, may still use the earlier
// one, even after a fail-over; calls that begin later use the new one. If two SetSequencers of a
// handle run at the same time, either may take effect last. SetSequencer fails with ErrInvalid and
// the reason if the text is not a sequencer.
func (h *Handle) SetSequencer(ctx context.Context, sequencer string) error {
	if err := h.own(ctx, "set-sequencer"); err != nil {
		return err
	}
	shown, _, bad := readSequencer(sequencer)
	op := func(t api.Token) api.Op { return api.SetSequencer{Handle: t, Sequencer: shown} }
	_, err := h.callThen(ctx, "set-sequencer", op, func(d session.Done) {
		if opened, ok := d.Result.Detail.(api.Opened); ok {
			h.token = opened.Token
		}
	})
	return withReason(err, ErrInvalid, bad)
}

// GetSequencer asks the cell for the sequencer of the lock that this handle holds (C6.15). It
// fails with ErrNotHeld if the handle holds none. Lock.Sequencer returns the same text
// without a call.
func (h *Handle) GetSequencer(ctx context.Context) (string, error) {
	r, err := h.call(ctx, "get-sequencer", func(t api.Token) api.Op { return api.GetSequencer{Handle: t} })
	if err != nil {
		return "", err
	}
	s, _ := r.Detail.(api.Sequenced)
	return s.Sequencer.Text(), nil
}

// Sequencer is the decoded text of Lock.Sequencer, for a server that compares sequencers itself
// instead of asking the cell (CHU §2.1, §2.4). It does not name a cell: a server that accepts the
// locks of several cells must keep their sequencers apart.
type Sequencer struct {
	Lock       string // the path of the lock's node in its cell, such as "/leader"
	Instance   uint64 // of the node: a node that is made again at this path has another one
	Generation uint64 // it grows each time the lock is acquired while free, also across nodes at this path, and never decreases
	Mode       Mode
}

// ParseSequencer decodes the text of Lock.Sequencer. It fails with ErrInvalid and the reason if the
// text is not a sequencer, or was truncated or altered on the way. It accepts a forged text, and
// the sequencer of a lost lock: only Handle.CheckSequencer can tell.
func ParseSequencer(text string) (Sequencer, error) {
	s, err := api.ParseSequencerText(text)
	if err != nil {
		return Sequencer{}, &Error{Op: "parse-sequencer", Causes: []error{ErrInvalid, err}}
	}
	return Sequencer{Lock: s.Node.Path.String(), Instance: uint64(s.Node.Instance), Generation: uint64(s.Gen), Mode: s.Mode}, nil
}

// String formats the sequencer for people. Send servers the text of Lock.Sequencer instead.
func (s Sequencer) String() string {
	return fmt.Sprintf("%s (instance %d), generation %d, %v", s.Lock, s.Instance, s.Generation, s.Mode)
}

// Compare orders the sequencers of one lock by age. It is negative if s is the older acquisition,
// and 0 if both are of the same acquisition or of concurrent holders of a shared lock. It orders
// sequencers of different locks by Lock, which says nothing about their age.
//
// Generations alone tell the age. A cell that is restored from a backup has the node of that time, whose
// instance may be lower than that of a node that was made at its path after the backup.
func (s Sequencer) Compare(o Sequencer) int {
	return cmp.Or(cmp.Compare(s.Lock, o.Lock), cmp.Compare(s.Generation, o.Generation), cmp.Compare(s.Instance, o.Instance))
}
