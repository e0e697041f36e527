package moments

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// What strikes at one instant without a number is one harm, and what strikes the same machine later is another. That a
// machine goes on belongs to the harm that had stopped it.
func TestHarmsWithoutANumber(t *testing.T) {
	n2, c1 := sim.Addr(2), sim.FirstClient
	does := func(at time.Duration, who sim.Addr, text string) Moment {
		return Moment{At: at * time.Second, Who: who, Kind: "fault", Text: text}
	}
	log := Log{Broke: None, strikes: map[int]plan.Fault{}, All: []Moment{
		does(3, n2, "pause 0"),
		does(3, c1, "net.cut 2"),
		does(4, n2, "resume 0"),
		does(5, n2, "net.cut 65536"),
		does(6, n2, "net.mend 65536"),
		does(7, c1, "exit 0"),
	}}
	all := log.Harms()
	require.Len(t, all, 3)
	require.Equal(t, "3.000 s  aimed: n2 is paused (3.000); messages from c1 to n2 are lost (3.000); n2 resumes (4.000)", all[0].Words("aimed"))
	require.Equal(t, "5.000 s  not injected: messages from n2 to c1 are lost (5.000); messages from n2 to c1 get through again (6.000)", all[1].Words(""))
	require.False(t, all[0].IsOfProduct())
	require.False(t, all[1].IsOfProduct())
	require.True(t, all[2].IsOfProduct(), "its program ended")
}
