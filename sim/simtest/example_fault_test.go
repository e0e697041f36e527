package simtest_test

import (
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/scenario"
)

// blink is a fault: the leader steps down, and the next master loses power at the instant at which it begins to serve.
type blink struct{}

func (blink) Name() string { return "blink" }
func (blink) Help() string { return "a master loses power just as it begins to serve" }

func (blink) Strike(s scenario.Stage) {
	s.Resign(s.Leader())
	serves := func(e event.Event) bool { _, ok := e.(event.Serves); return ok }
	s.When(serves, func() {
		s.World().Count("blinks")
		s.CutPower(s.Leader())
	})
}
