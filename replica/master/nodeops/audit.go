package nodeops

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Audit says what is wrong with the memory of the Ops, taken together and with
// the rows as they were told. nil means that all is well.
func (o *Ops) Audit(r rows.Reader) error {
	if err := o.table.Audit(); err != nil {
		return err
	}
	if err := o.queues.Audit(); err != nil {
		return err
	}
	a := auditor{o: o, r: r, openings: map[api.Path]int{}, trials: map[api.HandleID]int{}, releases: map[api.HandleID]int{}}
	for _, s := range o.sessions() {
		if err := a.shelf(s, o.shelves[s]); err != nil {
			return err
		}
	}
	return a.whole()
}

type auditor struct {
	o        *Ops
	r        rows.Reader
	underWay int
	opening  int
	queued   int
	openings map[api.Path]int
	trials   map[api.HandleID]int
	releases map[api.HandleID]int
}

func (a *auditor) alive(s api.SessionID) error {
	if _, alive := rows.GetSession(a.r, s); !alive && !a.o.over {
		return fmt.Errorf("I-B6: session %d has ended and is remembered", s)
	}
	return nil
}

func (a *auditor) shelf(s api.SessionID, sh *shelf) error {
	if err := a.alive(s); err != nil {
		return err
	}
	opening := 0
	for _, w := range sh.pending() {
		if err := a.call(s, sh, w); err != nil {
			return err
		}
		if w.opens {
			opening++
		}
	}
	for _, seq := range slices.Sorted(maps.Keys(sh.told)) {
		if seq <= sh.seen || seq-sh.seen > api.MaxWindow {
			return fmt.Errorf("I-B1: session %d has seen %d and keeps the answer %d", s, sh.seen, seq)
		}
	}
	own, _ := a.o.table.Room(s)
	if opening != sh.opening || opening > own {
		return fmt.Errorf("I-B2: session %d has %d Opens proposed, %d counted, and room for %d", s, opening, sh.opening, own)
	}
	a.opening += opening
	return nil
}

func (a *auditor) call(s api.SessionID, sh *shelf, w *call) error {
	if w.Session != s || w.Seq <= sh.seen && w.state != proposed {
		return fmt.Errorf("I-B1: session %d, which has seen %d, has call %d under way", s, sh.seen, w.Seq)
	}
	if _, told := sh.told[w.Seq]; told {
		return fmt.Errorf("I-B1: call %d of session %d is under way and answered", w.Seq, s)
	}
	if w.state == proposed {
		a.underWay++
	}
	if w.opens {
		a.openings[w.path]++
	}
	if w.trial {
		a.trials[w.handle.ID]++
	}
	if w.frees && w.state == proposed {
		a.releases[w.handle.ID]++
	}
	if w.queued {
		a.queued++
	}
	return a.waiter(w)
}

// waiter compares the call with what the queue and the sweeps know of it.
func (a *auditor) waiter(w *call) error {
	q, tried, ok := a.o.queues.Find(w.handle.ID)
	if w.queued && (!ok || q.Seq != w.Seq || q.Session != w.Session || tried != (w.state == proposed)) || w.state == parked && !w.queued {
		return fmt.Errorf("I-B3: call %d of session %d has the place %+v, tried: %t", w.Seq, w.Session, q, tried)
	}
	if w.queued && !a.o.table.Has(w.Session, w.handle.ID) {
		return fmt.Errorf("I-B3: %v waits and is not open", w.handle)
	}
	if w.state == held && (a.o.sweeps[w.path] == nil || !slices.Contains(a.o.sweeps[w.path].held, w)) {
		return fmt.Errorf("I-B4: call %d of session %d waits for a sweep of %v that is none", w.Seq, w.Session, w.path)
	}
	return a.turn(w)
}

// turn looks whether somebody waits for what he has, or should be tried.
func (a *auditor) turn(w *call) error {
	if _, holds := lock.HeldBy(a.r, ownerOf(w.handle)); holds && w.state == parked && a.o.releases[w.handle.ID] == 0 {
		return fmt.Errorf("I-B5: %v waits, and holds a lock", w.handle)
	}
	front, tried, ok := a.o.queues.Front(w.handle.Node)
	if !w.queued || !ok || tried || slices.Contains(a.o.owed.locks, w.handle.Node) {
		return nil
	}
	if s := lock.Get(a.r, w.handle.Node); s.Claimable(front.Mode) {
		return fmt.Errorf("I-B5: %+v waits in front for a lock that is %+v", front, s)
	}
	return nil
}

func (a *auditor) whole() error {
	o := a.o
	for _, s := range o.table.Sessions() {
		if err := a.alive(s); err != nil {
			return err
		}
	}
	_, room := o.table.Room(0)
	if a.underWay != o.underWay || a.opening != o.opening || a.opening > room ||
		!maps.Equal(a.openings, o.openings) || !maps.Equal(a.trials, o.trials) || !maps.Equal(a.releases, o.releases) {
		return fmt.Errorf("I-B2: counted %d calls, %d Opens %v, Acquires %v, Releases %v; there are %d, %d %v, %v, %v, and room for %d",
			o.underWay, o.opening, o.openings, o.trials, o.releases, a.underWay, a.opening, a.openings, a.trials, a.releases, room)
	}
	if a.queued != o.queues.Len() {
		return fmt.Errorf("I-B3: %d calls have a place, %d wait", a.queued, o.queues.Len())
	}
	for _, p := range slices.SortedFunc(maps.Keys(o.sweeps), api.Path.Compare) {
		if o.openings[p] > 0 || o.sweeps[p].node.Path != p {
			return fmt.Errorf("I-B4: a sweep of %v is proposed, and %d Opens", p, o.openings[p])
		}
	}
	return nil
}
