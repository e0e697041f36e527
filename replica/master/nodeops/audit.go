package nodeops

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Audit returns the first fault that it finds in the memory of Ops, in itself or compared with the rows;
// nil: there is none. The rows must be those of the last input.
func (o *Ops) Audit(r rows.Reader) error {
	if err := o.handles.Audit(); err != nil {
		return err
	}
	if err := errors.Join(o.queues.Audit(), o.events.Audit(), o.barrier.caches.Audit(), o.auditBarrier()); err != nil {
		return err
	}
	a := auditor{o: o, r: r, queued: map[api.HandleID]bool{}}
	for _, s := range o.calls.Sessions() {
		if err := a.session(s); err != nil {
			return err
		}
	}
	return a.whole()
}

type auditor struct {
	o      *Ops
	r      rows.Reader
	queued map[api.HandleID]bool // handles whose Acquires have a place in a queue
}

// alive checks that a session of which Ops remembers something stands in the rows.
func (a *auditor) alive(s api.SessionID, what string) error {
	if _, alive := rows.GetSession(a.r, s); !alive && !a.o.over {
		return fmt.Errorf("I-B6: session %d has ended and is remembered for its %s", s, what)
	}
	return nil
}

func (a *auditor) session(s api.SessionID) error {
	own, _ := a.o.handles.Room(s)
	if opens, _ := a.o.calls.Opens(s); opens > own {
		return fmt.Errorf("I-B2: session %d has %d Opens proposed, and room for %d", s, opens, own)
	}
	if !a.o.calls.Remembers(s) {
		return nil
	}
	if err := a.alive(s, "calls"); err != nil {
		return err
	}
	for _, w := range a.o.calls.OnNodes(s) {
		if w.Queued {
			a.queued[w.Handle.ID] = true
		}
		if err := a.waiter(w); err != nil {
			return err
		}
	}
	return nil
}

// waiter compares a call with the lock wait queue and the sweeps.
func (a *auditor) waiter(w *calls.Call) error {
	q, attempted, ok := a.o.queues.Find(w.Handle.ID)
	if w.Queued && (!ok || q.Seq != w.Seq || q.Session != w.Session || attempted != (w.State == calls.Proposed)) || w.State == calls.Parked && !w.Queued {
		return fmt.Errorf("I-B3: call %d of session %d has the place %+v, attempted: %t", w.Seq, w.Session, q, attempted)
	}
	if w.Queued && !a.o.handles.Has(w.Session, w.Handle.ID) {
		return fmt.Errorf("I-B3: %v waits and is not open", w.Handle)
	}
	if w.State == calls.Held && (a.o.sweeps[w.Path] == nil || !slices.Contains(a.o.sweeps[w.Path].held, w)) {
		return fmt.Errorf("I-B4: call %d of session %d waits for a sweep of %v that is none", w.Seq, w.Session, w.Path)
	}
	return a.turn(w)
}

// turn finds a waiter whose handle holds the lock, and a waiter that should be attempted and is not.
func (a *auditor) turn(w *calls.Call) error {
	if _, holds := lock.HeldBy(a.r, ownerOf(w.Handle)); holds && w.State == calls.Parked && a.o.calls.Releases(w.Handle.ID) == 0 {
		return fmt.Errorf("I-B5: %v waits, and holds a lock", w.Handle)
	}
	front, attempted, ok := a.o.queues.Front(w.Handle.Node)
	if !w.Queued || !ok || attempted || slices.Contains(a.o.owed.locks, w.Handle.Node) {
		return nil
	}
	if m := a.o.queues.Attempted(w.Handle.Node); m != 0 && m.HasConflict(front.Mode) {
		return nil // attempted while front was away: its outcome brings the turn of front
	}
	if s := lock.Get(a.r, w.Handle.Node); s.IsClaimable(front.Mode) {
		return fmt.Errorf("I-B5: %+v waits in front for a lock that is %+v", front, s)
	}
	return nil
}

func (a *auditor) whole() error {
	o := a.o
	for _, of := range []struct {
		what     string
		sessions []api.SessionID
	}{
		{"handles", o.handles.Sessions()}, {"events", o.events.Sessions()}, {"cached nodes", o.barrier.caches.Sessions()},
		{"presented tokens", slices.Sorted(maps.Keys(o.presented))},
	} {
		for _, s := range of.sessions {
			if err := a.alive(s, of.what); err != nil {
				return err
			}
		}
	}
	_, room := o.handles.Room(0)
	if _, opens := o.calls.Opens(0); opens > room {
		return fmt.Errorf("I-B2: %d Opens are proposed, and there is room for %d", opens, room)
	}
	if len(a.queued) != o.queues.Len() {
		return fmt.Errorf("I-B3: %d calls have a place, %d wait%s", len(a.queued), o.queues.Len(), a.strays())
	}
	for _, w := range o.queues.Kept() {
		if !o.handles.Has(w.Session, w.Handle) {
			return fmt.Errorf("I-B3: a place is kept for %+v, whose handle is not open", w)
		}
	}
	for _, p := range slices.SortedFunc(maps.Keys(o.sweeps), api.Path.Compare) {
		if o.calls.OpensAt(p) > 0 || o.sweeps[p].node.Path != p {
			return fmt.Errorf("I-B4: a sweep of %v is proposed, and %d Opens", p, o.calls.OpensAt(p))
		}
	}
	return nil
}

// mostStrays bounds the waiters that strays names.
const mostStrays = 2

// strays names waiters in the queues whose calls are gone; empty if there are none.
func (a *auditor) strays() string {
	text, n := "", 0
	for _, w := range a.o.queues.Waiters() {
		if a.queued[w.Handle] {
			continue
		}
		if n++; n <= mostStrays {
			text += fmt.Sprintf("; for the lock of %v waits call %d of session %d by handle %v, and is not there", w.Lock, w.Seq, w.Session, w.Handle)
		}
	}
	return text
}
