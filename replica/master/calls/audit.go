package calls

import (
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
)

// Audit returns a fault of the table, always the same one for the same table; nil: it has none.
func (t *Table) Audit() error {
	totals, sessions := newTotals(), map[api.SessionID]*counts{}
	for id := range t.sessions { // order-free: fills a map
		sessions[id] = &counts{}
	}
	var err error
	for c := range t.all() {
		totals.count(c, +1)
		if of := sessions[c.Session]; of != nil {
			of.count(c, +1)
		}
		if wrong := t.audit(c); wrong != nil && (err == nil || wrong.Error() < err.Error()) {
			err = wrong
		}
	}
	for _, s := range t.sessions { // order-free: counts
		totals.kept += len(s.kept)
	}
	if err == nil && !totals.equal(&t.totals) {
		err = fmt.Errorf("I-C1: counted %+v, there are %+v", t.totals, totals)
	}
	for _, id := range t.Sessions() {
		s, acked := t.sessions[id], t.acked[id]
		if s == nil {
			continue
		}
		if err == nil && s.counts != *sessions[id] {
			err = fmt.Errorf("I-C1: of session %d counted %+v, there are %+v", id, s.counts, *sessions[id])
		}
		for _, k := range s.kept {
			if err == nil && (k.seq <= acked || k.seq-acked > api.MaxWindow) {
				err = fmt.Errorf("I-C2: session %d has acknowledged %d and keeps the answer %d", id, acked, k.seq)
			}
		}
	}
	return err
}

func (t *Table) audit(c *Call) error {
	acked := t.Acked(c.Session)
	_, isKept := t.Kept(c.Key)
	switch {
	case t.Get(c.Key) != c:
		return fmt.Errorf("I-C1: call %d of session %d has the entry of another", c.Seq, c.Session)
	case c.isEmpty():
		return fmt.Errorf("I-C1: call %d of session %d has an empty entry", c.Seq, c.Session)
	case isKept && c.State.onNode():
		return fmt.Errorf("I-C2: call %d of session %d is %v and was answered", c.Seq, c.Session, c.State)
	case c.State.Waits() && c.Seq <= acked:
		return fmt.Errorf("I-C2: session %d has acknowledged %d, and call %d is %v", c.Session, acked, c.Seq, c.State)
	}
	return nil
}

// AuditCommands returns a fault of the commands of calls, always the same one; nil: there is none.
// queued is how many of these commands the queue in front of the log holds.
func (t *Table) AuditCommands(queued int) error {
	var err error
	for c := range t.all() {
		if c.State.needsCommand() && c.Place == Nowhere {
			wrong := fmt.Errorf("I-C3: call %d of session %d is %v and has no command", c.Seq, c.Session, c.State)
			if err == nil || wrong.Error() < err.Error() {
				err = wrong
			}
		}
	}
	if err == nil && queued != t.totals.queued {
		err = fmt.Errorf("I-C3: %d commands of calls are in the queue, which holds %d", t.totals.queued, queued)
	}
	return err
}
