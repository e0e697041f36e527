package moments

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
)

// A trace says when a client's session comes into jeopardy, is safe again, or is over by its client.
func TestATraceOfASession(t *testing.T) {
	var b bytes.Buffer
	o := plan.Options{Seed: 1}
	(&Printer{W: &b, Only: &Filter{Kinds: []string{Believes}}}).Watch(&o)
	header := b.Len()
	for _, e := range []event.SessionTold{
		{Session: 7, Kind: client.EventJeopardy},
		{Session: 7, Kind: client.EventSafe},
		{Session: 7, Kind: client.EventExpired},
		{Kind: client.EventExpired, Renewable: true},
	} {
		e.Client = sim.FirstClient
		o.Listen(time.Second, e)
	}
	var all []string
	for line := range strings.Lines(b.String()[header:]) {
		all = append(all, strings.Join(strings.Fields(line)[2:], " "))
	}
	require.Equal(t, []string{
		"c1 - believes session 7 is in jeopardy: its lease may be over, and calls wait",
		"c1 - believes session 7 is safe again: jeopardy is over",
		"c1 - believes session 7 is over (expired), with its handles and locks",
		"c1 - believes its session is over (expired); the next call opens another one",
	}, all)
}
