package cellcmd

import (
	"errors"
	"time"

	"github.com/chubbycell/chubby/client"
)

// guard decides when a command must end because its lock may be another's soon. It knows
// how long the session is certain to live (left), and that the cell keeps the lock from
// others for the lock-delay after that at least.
//
//	left      delay                                            what happens
//	above 0                                                    the session lives
//	below 0                                                    warn, once
//	          less than two fifths of the lock-delay remain    terminate, once
//	          less than a fifth of it remains                  kill
//	          none of it remains                               another client may hold the lock
type guard struct {
	delay    time.Duration
	warned   bool
	stopping bool
	killed   bool
	since    time.Time // when it was told to end
	why      error
}

// action is what a guard wants done.
type action int

const (
	nothing action = iota
	warn
	terminate
	kill
)

// until is how long a command may live yet.
func (g *guard) until(left time.Duration) time.Duration { return left + g.delay - g.grace() }

// grace is how long a command has to end in good order, and how long before the lock may be another's
// it must have ended.
func (g *guard) grace() time.Duration { return g.delay / 5 }

// look decides at an instant, with what the session has left and the error of the lock.
func (g *guard) look(now time.Time, left time.Duration, err error) action {
	switch remains := g.until(left); {
	case g.stopping && !g.killed && (remains <= 0 || now.Sub(g.since) >= g.grace()):
		g.killed = true
		return kill
	case g.stopping:
		return nothing
	case isLost(err) || remains <= g.grace():
		g.stopping, g.since, g.why = true, now, orJeopardy(err)
		return terminate
	case left <= 0 && !g.warned:
		g.warned = true
		return warn
	case left > 0:
		g.warned = false
	}
	return nothing
}

// atEnd says, when the command has ended, what was lost by then, with why for the reason; "": the command had the lock
// to its end. This process may have been stopped since it looked last, for longer than the lock lasts.
func (g *guard) atEnd(left time.Duration, err error) string {
	switch {
	case g.stopping:
		return "the lock was lost, so the command was ended"
	case isLost(err) || g.until(left) <= 0:
		g.why = orJeopardy(err)
		return "the lock was lost, or may have been, before lock saw the end of the command"
	}
	return ""
}

// isLost reports whether the error of a lock is final.
func isLost(err error) bool { return err != nil && !errors.Is(err, client.ErrJeopardy) }

// orJeopardy is the error of a lock, or jeopardy where the lease alone says that the lock may be lost.
func orJeopardy(err error) error {
	if err == nil {
		return client.ErrJeopardy
	}
	return err
}
