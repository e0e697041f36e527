package event

import "time"

// Event is one of the structs of this package.
type Event interface{ event() }

// Listener is called for each event. now is the true time since the run began, which checkers
// may use but no process can read.
type Listener func(now time.Duration, e Event)

// Stream hands events to its listeners, in the order in which they were added. The zero
// Stream has none. It is for the simulator's one goroutine.
type Stream struct{ listeners []Listener }

// Listen adds a listener for the rest of the run.
func (s *Stream) Listen(l Listener) { s.listeners = append(s.listeners, l) }

// Wanted reports whether there is a listener. A publisher asks before it builds an event.
func (s *Stream) Wanted() bool { return len(s.listeners) > 0 }

// Publish hands e to every listener.
func (s *Stream) Publish(now time.Duration, e Event) {
	for _, l := range s.listeners {
		l(now, e)
	}
}
