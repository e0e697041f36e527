package story

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
)

// The window of a call is that of the first call of a report, whether its client has a number or a name.
func TestTheWindowOfACall(t *testing.T) {
	call := func(who string) window {
		return windowOf("register: c9 is not meant\n  #4 " + who + ": read -> c8 [called 7 at 0.010000s, returned 14 at 0.012000s]")
	}
	want := window{client: sim.FirstClient + 1, from: 10 * time.Millisecond, to: 12*time.Millisecond + time.Microsecond}
	require.Equal(t, want, call("program 2 of c2 (reader)"))
	require.Equal(t, want, call("c2"))
	id := event.MakeProgramID(1, 1, 0, 1)
	require.Equal(t, want, call("client 4296015873"))
	require.Equal(t, event.ProgramID(4296015873), id)
	require.Zero(t, call("reader"))
	require.Zero(t, call("client 3"), "no program has so low a number")
	require.Zero(t, windowOf("c2 and nothing else"))
}
