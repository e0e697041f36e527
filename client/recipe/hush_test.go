package recipe_test

import (
	"time"

	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/scenario"
)

// hush is a fault: a client cannot be reached, a change is made that it should hear of, and the master
// that would have told it loses power. What the client hears from the next master is EventReadAgain.
type hush struct{ change string } // the call that makes the change, and "about to" it

func (hush) Name() string { return "hush" }
func (hush) Help() string { return "a master loses power before it has told a client of a change" }

func (h hush) Strike(s scenario.Stage) {
	s.When(func(e event.Event) bool { return h.ended(e, "about to "+h.change) != nil }, func() { h.cut(s) })
}

// cut takes a client away until the change is made and the master is gone.
func (h hush) cut(s scenario.Stage) {
	clients := s.Clients()
	m := clients[s.Draw().Int(len(clients))]
	net := s.World().Net()
	net.Isolate(m.Addr())
	back := func() { net.Rejoin(m.Addr()) }
	changed := func(e event.Event) bool {
		call := h.ended(e, h.change)
		return call != nil && call.Client != m.Addr()
	}
	s.When(changed, func() {
		s.World().Count("hushed")
		s.CutPower(s.Leader())
		s.After(10*time.Millisecond, back)
	})
	s.Until(s.Draw().Duration(time.Second, 4*time.Second), back)
}

// ended is the end of a call that did what it was to do, or nil.
func (hush) ended(e event.Event, call string) *event.CallEnded {
	if c, ok := e.(event.CallEnded); ok && c.Call == call && c.Err == nil {
		return &c
	}
	return nil
}
