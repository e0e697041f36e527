package sessions

import (
	"testing"

	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
)

// Session 7's lease ends at 6, and its KeepAlive waits since 5. Read authority ends at 4.
func TestS11AMasterWithoutAuthorityAsksTheLog(t *testing.T) {
	confirm := command.ConfirmLeadership{Guard: 3}
	for name, c := range map[string]struct {
		do     func(r *reign)
		breaks bool
	}{
		"it asks":               {func(r *reign) { r.proposes(6.1, confirm); r.acts(30) }, false},
		"it does not":           {func(r *reign) { r.acts(6.1); r.acts(11.2) }, true},
		"the lease is not over": {func(r *reign) { r.acts(0.1); r.acts(5.9) }, false},
		"it asks in time":       {func(r *reign) { r.acts(6.1); r.proposes(11, confirm); r.acts(30) }, false},
		"the log takes nothing": {func(r *reign) {
			r.acts(6.1)
			r.c.refused++
			r.acts(11)
			r.c.refused++
			r.acts(15)
			r.acts(19)
		}, false},
		"the log took none, once": {func(r *reign) { r.acts(6.1); r.c.refused++; r.acts(7); r.acts(12.1) }, true},
		"it asked, and the log answered": {func(r *reign) {
			r.proposes(6.1, confirm)
			r.acts(7, command.Applied{Command: confirm, Verdict: command.Executed})
			r.acts(12.1)
		}, true},
		"that was of an earlier epoch": {func(r *reign) {
			r.proposes(6.1, confirm)
			r.acts(7, command.Applied{Command: command.ConfirmLeadership{Guard: 2}, Verdict: command.Executed})
			r.acts(12.1)
		}, false},
		"it has authority again": {func(r *reign) { r.acts(6.1); r.c.lease = second(100); r.acts(12) }, false},
		"its end is proposed": {func(r *reign) {
			r.acts(6.1)
			r.set(func(s *session.Session) { s.Expiring = true })
			r.acts(12)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReign(t, 6)
			r.c.lease = second(4)
			r.beats(5, 1, 3)
			c.do(r)
			if c.breaks {
				r.f.Breaks("S11")
			} else {
				r.f.Good()
			}
		})
	}
}

// Session 7 has acknowledged epoch 3 at 1.
func TestL1AFailOverEnds(t *testing.T) {
	for name, c := range map[string]struct {
		do     func(r *reign)
		breaks bool
	}{
		"it serves":               {func(r *reign) { r.acts(1); r.c.state = master.Serving; r.acts(30) }, false},
		"it does not":             {func(r *reign) { r.acts(1); r.acts(6.1) }, true},
		"not yet":                 {func(r *reign) { r.acts(1); r.acts(5.9) }, false},
		"it wants something":      {func(r *reign) { r.acts(1); r.c.still = false; r.acts(4); r.c.still = true; r.acts(8.9) }, false},
		"the log takes nothing":   {func(r *reign) { r.acts(1); r.c.refused++; r.acts(6); r.acts(10) }, false},
		"a replica knows nothing": {func(r *reign) { r.c.sessions[8] = session.Session{}; r.acts(1); r.acts(30) }, false},
		"it waits for no other":   {func(r *reign) { r.c.still = false; r.acts(1); r.c.still = true; r.acts(20); r.acts(25.1) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReign(t, 6)
			r.c.still = true
			r.beats(0.9, 1, 3)
			c.do(r)
			if c.breaks {
				r.f.Breaks("L1")
			} else {
				r.f.Good()
			}
		})
	}
}
