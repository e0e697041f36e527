package handle

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// Audit returns the first fault that it finds in the table; nil: it has none.
func (t *Table) Audit() error {
	total, opens, watch := 0, map[api.Ref]int{}, watchers{}
	for _, s := range t.Sessions() {
		of := t.sessions[s]
		total += len(of.open)
		for _, h := range t.Handles(s) {
			if err := t.auditHandle(s, of, h); err != nil {
				return err
			}
			if h.Ephemeral {
				opens[h.Node]++
			}
			if !of.open.get(h.ID).poisoned {
				watch.add(h)
			}
		}
		if err := t.auditSession(s, of); err != nil {
			return err
		}
	}
	if total != t.total || total > t.limits.Total+t.beyond {
		return fmt.Errorf("I-H1: %d handles counted, there are %d of %d and %d that were kept", t.total, total, t.limits.Total, t.beyond)
	}
	if !maps.Equal(opens, t.openers) {
		return fmt.Errorf("I-H5: openers of ephemeral nodes: counted %v, there are %v", t.openers, opens)
	}
	if !maps.EqualFunc(watch, t.watchers, maps.Equal) {
		return fmt.Errorf("I-H6: watchers are %v, there are %v", t.watchers, watch)
	}
	return nil
}

func (t *Table) auditHandle(s api.SessionID, of *session, h Handle) error {
	if h.Session != s || !h.Valid() {
		return fmt.Errorf("I-H2: session %d has %v", s, h)
	}
	if h.ID.Epoch > t.epoch || h.ID.Epoch == t.epoch && h.ID.Counter > t.given {
		return fmt.Errorf("I-H2: %v is open in epoch %d, which gave out %d", h, t.epoch, t.given)
	}
	if h.Tie.Epoch > t.epoch || h.Tie.Epoch == t.epoch && h.Tie.Counter > t.ties {
		return fmt.Errorf("I-H2: %v is tied as %v in epoch %d, which made %d ties", h, h.Tie, t.epoch, t.ties)
	}
	if _, gone := of.gone[h.ID]; gone {
		return fmt.Errorf("I-H4: %v is open and closed", h)
	}
	return nil
}

func (t *Table) auditSession(s api.SessionID, of *session) error {
	if len(of.open) > t.limits.PerSession {
		return fmt.Errorf("I-H1: session %d has %d handles open", s, len(of.open))
	}
	if !slices.IsSortedFunc(of.open, func(a, b *entry) int { return a.ID.Compare(b.ID) }) {
		return fmt.Errorf("I-H1: session %d has handles out of order", s)
	}
	for _, g := range of.calls {
		if g.seq <= of.seen || g.seq-of.seen > api.MaxWindow || g.id.Epoch != t.epoch {
			return fmt.Errorf("I-H3: session %d has seen %d; call %d opened %v", s, of.seen, g.seq, g.id)
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(of.gone), api.HandleID.Compare) {
		if id.Epoch >= t.epoch || of.shut || len(of.gone) > t.limits.Closed {
			return fmt.Errorf("I-H4: session %d remembers %d closed handles, shut: %t, %v in epoch %d", s, len(of.gone), of.shut, id, t.epoch)
		}
	}
	return nil
}
