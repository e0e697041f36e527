package lab

import "time"

// Wake is a release for which other clients waited, and how many of them it moved.
type Wake struct {
	At      time.Duration `json:"at_ns"`
	Waiting int           `json:"waiting"` // clients, at the release
	// Moved is how many of these sent a message to the service or were sent one by it, until
	// a round trip after the next client held the lock: woken, or just polling.
	Moved int `json:"moved"`
}

// herd is the releases of a run.
type herd struct {
	wakes   []Wake
	waiting map[string]bool // of the last release, those that did not move yet
	until   time.Duration   // when the last one is over; 0: the lock is free
}

// released begins a wake. all are the waits of the run.
func (h *herd) released(at time.Duration, all waits) {
	h.waiting, h.until = map[string]bool{}, 0
	for _, w := range all {
		if !w.Got {
			h.waiting[w.Client] = true
		}
	}
	if n := len(h.waiting); n > 0 {
		h.wakes = append(h.wakes, Wake{At: at, Waiting: n})
	}
}

// granted says that the lock has its next holder.
func (h *herd) granted(at time.Duration) {
	if h.until == 0 {
		h.until = at + 2*linkDelay
	}
}

// passes is a message between a client and the service.
func (h *herd) passes(at time.Duration, client string) {
	if h.waiting[client] && (h.until == 0 || at <= h.until) {
		delete(h.waiting, client)
		h.wakes[len(h.wakes)-1].Moved++
	}
}
