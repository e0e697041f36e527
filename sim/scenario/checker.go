package scenario

import (
	"time"

	"github.com/chubbycell/chubby/sim/event"
)

// Checker checks one property over one run. It states what the papers, a contract or a user's
// outcome require, never what the implementation happens to do.
type Checker interface {
	// On receives every event, in order. An error breaks the property and ends the run.
	On(now time.Duration, e event.Event) error
	// End is called when the run is over and nothing has broken. An error breaks the property.
	End() error
}

// Property is a kind of Checker: New makes one for each run.
type Property struct {
	ID   string // the name in reports and planted bugs, such as "X1"
	Help string // one line
	New  func() Checker
}
