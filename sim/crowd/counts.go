package crowd

import "time"

// Counts are what has happened to a crowd since all its sessions had settled.
type Counts struct {
	Sessions   int           `json:"sessions"`
	Simulated  time.Duration `json:"simulated_ns"`
	KeepAlives uint64        `json:"keepalives"` // that clients sent
	Answers    uint64        `json:"answers"`    // to KeepAlives, that clients received
	Jeopardy   uint64        `json:"jeopardy"`   // times that a client was not certain of its session
	Lost       uint64        `json:"lost"`       // sessions that ended
	Failovers  int           `json:"failovers"`
	Events     uint64        `json:"events"` // of the simulator
	// Requests are the requests of all kinds that clients have sent since the beginning of the run,
	// including those by which sessions begin.
	Requests uint64 `json:"requests_of_all"`
	// Kept are the KeepAlives among Requests.
	Kept uint64 `json:"keepalives_of_all"`
}

// Since returns n minus at, the counts at an earlier time. Fields that count from the beginning of
// the run are not changed.
func (n Counts) Since(at Counts) Counts {
	n.Simulated -= at.Simulated
	n.KeepAlives -= at.KeepAlives
	n.Answers -= at.Answers
	n.Jeopardy -= at.Jeopardy
	n.Failovers -= at.Failovers
	n.Events -= at.Events
	return n
}
