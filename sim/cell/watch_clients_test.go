package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/command"
	"github.com/chubbycell/chubby/sim"
)

// mind is a client that believes what it is told to.
type mind struct {
	client.Status
	at   time.Time
	down bool
}

func (m *mind) status() client.Status { return m.Status }
func (m *mind) now() time.Time        { return m.at }
func (m *mind) dead() bool            { return m.down }
func (m *mind) self() sim.Addr        { return sim.FirstClient }

// Session 7 is ended. Its client must not be certain then that it is alive.
func TestS11NoSessionEndsThatItsClientCountsOn(t *testing.T) {
	now := time.Unix(100, 0)
	alive := session.Status{State: session.Open, Session: 7, Lease: session.Valid, Bound: now.Add(time.Millisecond)}
	for name, c := range map[string]struct {
		change func(m *mind)
		breaks bool
	}{
		"certain for a millisecond": {func(*mind) {}, true},
		"the bound is now":          {func(m *mind) { m.at = m.Bound }, false},
		"jeopardy":                  {func(m *mind) { m.Lease = session.Jeopardy }, false},
		"another session":           {func(m *mind) { m.Session = 8 }, false},
		"it is closing":             {func(m *mind) { m.State = session.Ending }, false},
		"its machine is down":       {func(m *mind) { m.down = true }, false},
	} {
		f := newFacts(t)
		w := newClientWatch(f.w)
		m := &mind{Status: client.Status{Status: alive}, at: now}
		c.change(m)
		w.begins(m)
		w.command(&command.Applied{Command: command.Expire{Session: 7}, Verdict: command.Refused, Result: api.Result{Code: api.Aborted}})
		f.good()
		w.command(&command.Applied{Command: command.Expire{Session: 7}, Verdict: command.Executed, Result: api.Result{Code: api.OK}})
		if c.breaks {
			require.NotNil(t, f.w.Failure(), name)
			require.Equal(t, "S11", f.w.Failure().ID)
		} else {
			require.Nil(t, f.w.Failure(), name)
		}
		require.Equal(t, 1, w.ended)
	}
}
