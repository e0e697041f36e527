package page

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/story"
)

// A page has one entry for each change of a session: the moment of the trace if the client told its program of the
// change, and otherwise what the client answered when it was asked.
func TestAChangeOfASessionIsOneEntry(t *testing.T) {
	r, o := NewRecorder(), plan.Options{Seed: 1}
	r.Watch(&o)
	var now client.Status
	o.Listen(0, event.SessionDialed{Client: sim.FirstClient, Status: func() client.Status { return now }, Dead: func() bool { return false }})
	step := 0
	becomes := func(kind client.EventKind, state session.State, why session.Why, lease session.Lease) {
		now.State, now.Why, now.Lease, now.Session, now.Epoch = state, why, lease, 7, 2
		at := time.Duration(step) * time.Second
		if kind != 0 {
			o.Listen(at, event.SessionTold{Client: sim.FirstClient, Session: 7, Kind: kind})
		}
		step++
		fmt.Fprintf(o.Trace.W, "%9d %d.000000000 c1 %d.000000000 receive <- n1 answer\n", step, step-1, step)
	}
	becomes(0, session.Open, 0, session.Valid)
	becomes(client.EventJeopardy, session.Open, 0, session.Jeopardy)
	becomes(client.EventSafe, session.Open, 0, session.Valid)
	becomes(client.EventJeopardy, session.Open, 0, session.Jeopardy)
	becomes(client.EventExpired, session.Over, session.Expired, session.Jeopardy)

	var told []string
	p := plan.New(o)
	for _, e := range r.entries(&story.Story{}, newFaultWords(r.log, &p)) {
		if e.kind == state {
			told = append(told, e.text)
		}
	}
	require.Equal(t, []string{
		"session 7 is safe, epoch 2",
		"session 7 is in jeopardy: its lease may be over, and calls wait",
		"session 7 is safe again: jeopardy is over",
		"session 7 is in jeopardy: its lease may be over, and calls wait",
		"session 7 is over (expired), with its handles and locks",
	}, told)
}
