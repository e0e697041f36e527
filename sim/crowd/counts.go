package crowd

import "time"

// Counts are what has happened to a crowd since all of it was there.
type Counts struct {
	Sessions   int           `json:"sessions"`
	Simulated  time.Duration `json:"simulated_ns"`
	KeepAlives uint64        `json:"keepalives"` // that clients sent
	Answers    uint64        `json:"answers"`    // to them, that clients took in
	Jeopardy   uint64        `json:"jeopardy"`   // times that a client was not certain of its session
	Lost       uint64        `json:"lost"`       // sessions that ended
	Failovers  int           `json:"failovers"`
	Events     uint64        `json:"events"` // of the simulator
	// Requests are those of all kinds that clients sent, since the very beginning:
	// what a session needs to begin is among them.
	Requests uint64 `json:"requests_of_all"`
	// Kept are the KeepAlives among Requests.
	Kept uint64 `json:"keepalives_of_all"`
}

// Since is what has happened from an earlier time on. Counts of the very beginning stay.
func (n Counts) Since(at Counts) Counts {
	n.Simulated -= at.Simulated
	n.KeepAlives -= at.KeepAlives
	n.Answers -= at.Answers
	n.Jeopardy -= at.Jeopardy
	n.Failovers -= at.Failovers
	n.Events -= at.Events
	return n
}
