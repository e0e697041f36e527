package handle

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// Audit says what is wrong with the table taken together. nil means that all is
// well.
func (t *Table) Audit() error {
	total, opens := 0, map[api.Ref]int{}
	for _, s := range t.Sessions() {
		sh := t.shelves[s]
		total += len(sh.open)
		for _, h := range t.Handles(s) {
			if err := t.auditHandle(s, sh, h); err != nil {
				return err
			}
			if h.Ephemeral {
				opens[h.Node]++
			}
		}
		if err := t.auditShelf(s, sh); err != nil {
			return err
		}
	}
	if total != t.total || total > t.limits.Total+t.beyond {
		return fmt.Errorf("I-H1: %d handles counted, there are %d of %d and %d that were kept", t.total, total, t.limits.Total, t.beyond)
	}
	if !maps.Equal(opens, t.opens) {
		return fmt.Errorf("I-H5: openers of ephemeral nodes: counted %v, there are %v", t.opens, opens)
	}
	return nil
}

func (t *Table) auditHandle(s api.SessionID, sh *shelf, h Handle) error {
	if h.Session != s || !h.Valid() {
		return fmt.Errorf("I-H2: session %d has %v", s, h)
	}
	if h.ID.Epoch > t.epoch || h.ID.Epoch == t.epoch && h.ID.Counter > t.given {
		return fmt.Errorf("I-H2: %v is open in epoch %d, which gave out %d", h, t.epoch, t.given)
	}
	if h.Tie.Epoch > t.epoch || h.Tie.Epoch == t.epoch && h.Tie.Counter > t.ties {
		return fmt.Errorf("I-H2: %v is tied as %v in epoch %d, which made %d ties", h, h.Tie, t.epoch, t.ties)
	}
	if _, gone := sh.gone[h.ID]; gone {
		return fmt.Errorf("I-H4: %v is open and closed", h)
	}
	return nil
}

func (t *Table) auditShelf(s api.SessionID, sh *shelf) error {
	if len(sh.open) > t.limits.PerSession {
		return fmt.Errorf("I-H1: session %d has %d handles open", s, len(sh.open))
	}
	for _, seq := range slices.Sorted(maps.Keys(sh.calls)) {
		if id := sh.calls[seq]; seq <= sh.seen || seq-sh.seen > api.MaxWindow || id.Epoch != t.epoch {
			return fmt.Errorf("I-H3: session %d has seen %d; call %d opened %v", s, sh.seen, seq, id)
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(sh.gone), api.HandleID.Compare) {
		if id.Epoch >= t.epoch || sh.shut || len(sh.gone) > t.limits.Closed {
			return fmt.Errorf("I-H4: session %d remembers %d closed handles, shut: %t, %v in epoch %d", s, len(sh.gone), sh.shut, id, t.epoch)
		}
	}
	return nil
}
