package workload

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// A client takes a call if, and only if, fewer calls wait than may. A call that was taken in a
// session that ended without loss may be refused in the next session, even at the same instant.
func TestWhetherThereWasRoomIsJudgedOfTheSessionThatACallBeganIn(t *testing.T) {
	const at = 5 * time.Second
	in := func(s session.State, id api.SessionID, queued int) session.Status {
		return session.Status{State: s, Session: id, Queued: queued}
	}
	for name, c := range map[string]struct {
		then   session.Status
		now    time.Duration
		s      session.Status
		sentIn api.SessionID
		busy   bool
		wrong  string
	}{
		"refused, and there is room":            {then: in(session.Open, 18, 1), now: at, s: in(session.Open, 18, 1), busy: true, wrong: "L1"},
		"refused, and the session is not open":  {then: in(session.Opening, 0, 0), now: at, s: in(session.Opening, 0, 0), busy: true, wrong: "L1"},
		"refused by a client that was idle":     {then: in(session.Idle, 0, 0), now: at, s: in(session.Idle, 0, 0), busy: true, wrong: "L1"},
		"refused, and the next session is new":  {then: in(session.Over, 18, 0), now: at, s: in(session.Opening, 0, 0), busy: true, wrong: "L1"},
		"refused, and there is none":            {then: in(session.Open, 18, 2), now: at, s: in(session.Open, 18, 2), busy: true},
		"refused at the opening, with none":     {then: in(session.Opening, 0, 2), now: at, s: in(session.Opening, 0, 2), busy: true},
		"refused by the next session":           {then: in(session.Open, 18, 0), now: at, s: in(session.Opening, 0, 2), busy: true},
		"refused by the next session, and open": {then: in(session.Open, 18, 0), now: at, s: in(session.Open, 19, 2), busy: true},
		"refused by a later session, later":     {then: in(session.Opening, 0, 0), now: at + 1, s: in(session.Opening, 0, 2), busy: true},
		"taken, and there is room":              {then: in(session.Open, 18, 1), now: at + 1, s: in(session.Open, 18, 0), sentIn: 18},
		"taken, and there is none":              {then: in(session.Open, 18, 2), now: at + 1, s: in(session.Open, 18, 0), sentIn: 18, wrong: "L2"},
		"taken by the next session":             {then: in(session.Open, 18, 2), now: at + 1, s: in(session.Open, 19, 0), sentIn: 19},
	} {
		e := entrance{at: at, most: 2, then: c.then}
		id, what := e.fault(c.now, c.s, c.sentIn, c.busy)
		require.Equal(t, c.wrong, id, "%s: %s", name, what)
		require.Equal(t, c.wrong == "", what == "", name)
	}
}
