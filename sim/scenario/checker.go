package scenario

import (
	"time"

	"github.com/chubbycell/chubby/sim/event"
)

// Checker checks one property over one run. It states what the papers, a contract or a
// user's outcome demand, never what the implementation happens to do.
type Checker interface {
	// On is told of every event. An error breaks the property and ends the run.
	On(now time.Duration, e event.Event) error
	// End is asked when the run is over and nothing has broken.
	End() error
}

// Property is a kind of Checker: New makes one for each run.
type Property struct {
	ID   string // what reports and planted bugs cite, as "X1"
	Help string // one line
	New  func() Checker
}
