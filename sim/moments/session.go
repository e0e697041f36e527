package moments

import (
	"fmt"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/event"
)

// toldOf says what a client believes about its session since it told its program so.
func toldOf(e event.SessionTold) string {
	name := "its session"
	if e.Session != 0 {
		name = fmt.Sprintf("session %d", e.Session)
	}
	switch {
	case e.Kind == client.EventJeopardy:
		return name + " is in jeopardy: its lease may be over, and calls wait"
	case e.Kind == client.EventSafe:
		return name + " is safe again: jeopardy is over"
	case e.Kind == client.EventExpired && e.Renewable:
		return name + " is over (expired); the next call opens another one"
	case e.Kind == client.EventExpired:
		return name + " is over (expired), with its handles and locks"
	}
	return fmt.Sprintf("%s: %v", name, e.Kind)
}
