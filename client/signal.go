package client

import (
	"slices"
	"sync"
)

// signal is the Signal of Goroutines.
type signal struct {
	mu      sync.Mutex
	fired   bool
	waiters []chan struct{} // each has room for one element
}

// Fire implements Signal.
func (s *signal) Fire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fired {
		return
	}
	s.fired = true
	for _, w := range s.waiters {
		select {
		case w <- struct{}{}:
		default: // wakened already, by another signal
		}
	}
	s.waiters = nil
}

// watch lets w be wakened when the signal fires.
func (s *signal) addWaiter(w chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.fired {
		s.waiters = append(s.waiters, w)
	}
}

func (s *signal) removeWaiter(w chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiters = slices.DeleteFunc(s.waiters, func(have chan struct{}) bool { return have == w })
}

// firstFired returns the index of the first signal that has fired, or -1.
func firstFired(signals []*signal) int {
	for i, s := range signals {
		s.mu.Lock()
		fired := s.fired
		s.mu.Unlock()
		if fired {
			return i
		}
	}
	return -1
}
