package lab

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAHerdIsTheWaitersThatMoveBetweenAReleaseAndTheNextGrant(t *testing.T) {
	const ms = time.Millisecond
	all := waits{{Client: "A", Got: true}, {Client: "B"}, {Client: "C"}, {Client: "D"}}
	h := &herd{}
	h.passes(5*ms, "B") // before the first release
	h.released(10*ms, all)
	h.passes(11*ms, "A") // it releases, and does not wait
	h.passes(11*ms, "B")
	h.passes(12*ms, "B") // again
	h.granted(13 * ms)
	h.passes(14*ms, "C") // its answer says: held by another
	h.passes(15*ms, "D") // it polls later
	h.granted(16 * ms)   // a second holder at once moves nothing
	h.passes(17*ms, "D")
	require.Equal(t, []Wake{{At: 10 * ms, Waiting: 3, Moved: 2}}, h.wakes)

	h.released(20*ms, waits{{Client: "A", Got: true}}) // nothing waits
	h.passes(21*ms, "A")
	require.Len(t, h.wakes, 1)
}
