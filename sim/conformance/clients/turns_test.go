package clients

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
)

// Two programs want the lock of one handle; the client is looked at twice, and something
// may be so before or between.
func TestL1WhoSharesAHandleIsLetInInTurn(t *testing.T) {
	valid := session.Status{State: session.Open, Lease: session.Valid}
	for name, c := range map[string]struct {
		before  func(s *Turns, st *session.Status)
		between func(s *Turns, st *session.Status)
		breaks  bool
	}{
		"both wait":                        {nil, nil, true},
		"one has asked the cell":           {func(s *Turns, _ *session.Status) { s.asks[0].Session = 7 }, nil, false},
		"one asks it now":                  {nil, func(s *Turns, _ *session.Status) { s.asks[1].Session = 7 }, false},
		"one is to ask when there is room": {func(_ *Turns, st *session.Status) { st.Queued = 1 }, nil, false},
		"in jeopardy":                      {func(_ *Turns, st *session.Status) { st.Lease = session.Jeopardy }, nil, false},
		"the session is over":              {nil, func(_ *Turns, st *session.Status) { st.State = session.Over }, false},
		"somebody has the lock":            {func(s *Turns, _ *session.Status) { s.lock = &spoken{held: true} }, nil, false},
		"nobody knows whether one has":     {func(s *Turns, _ *session.Status) { s.lock = &spoken{err: client.ErrJeopardy} }, nil, false},
		"who had the lock let it go":       {func(s *Turns, _ *session.Status) { s.lock = &spoken{err: client.ErrNotHeld} }, nil, true},
		"one has lost patience":            {nil, func(s *Turns, _ *session.Status) { s.Ends(s.asks[0]) }, false},
		"another one comes":                {nil, func(s *Turns, _ *session.Status) { s.Begins(&client.CallID{}) }, false},
		"nobody wants it":                  {func(s *Turns, _ *session.Status) { s.asks = nil }, nil, false},
	} {
		s, st := Turns{handle: new(client.Handle), since: -1}, valid
		s.Begins(&client.CallID{})
		s.Begins(&client.CallID{})
		if c.before != nil {
			c.before(&s, &st)
		}
		require.Zero(t, s.look(1*time.Second, st), name)
		require.Zero(t, s.look(1*time.Second, st), "%s: it may be let in at this instant", name)
		if c.between != nil {
			c.between(&s, &st)
		}
		require.Equal(t, c.breaks, s.look(2*time.Second, st) != fault{}, name)
	}
}
