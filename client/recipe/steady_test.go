package recipe_test

import (
	"time"

	"github.com/chubbycell/chubby/sim/scenario"
)

// steady is what direct reads of a program have shown without a break. An event travels with the
// answer to a KeepAlive, and a session without such an answer for the length of its lease is not
// served: so what stays for longer than any lease, while calls are answered, a watcher has heard of.
type steady struct {
	shows       string
	since, last time.Time
}

// mostLease is more than the longest lease of a simulated cell, and what a read takes after it.
const mostLease = 30 * time.Second

// read notes what a direct read has shown, and reports whether a watcher must know of it.
func (s *steady) read(p scenario.Program, shows string) bool {
	now := p.Now()
	if s.shows != shows || now.Sub(s.last) > 2*time.Second {
		s.since = now
	}
	s.shows, s.last = shows, now
	return now.Sub(s.since) > mostLease
}

// patience is how long a program watches in one turn: after healing not for long, for all of them are
// to end then.
func patience(p scenario.Program) time.Duration {
	if p.Healed() {
		return 10 * time.Second
	}
	return 60 * time.Second
}
