package nodeops

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/cache"
	"github.com/chubbycell/chubby/replica/master/event"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/master/lockwait"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// The guide's table of fixed limits has the limits of the code.
func TestTheGuideHasTheFixedLimits(t *testing.T) {
	text, err := os.ReadFile("../../../docs/running.md")
	require.NoError(t, err)
	for _, row := range []string{
		fmt.Sprintf("| contents of a file, value of a row | %d bytes |", api.MaxValue),
		fmt.Sprintf("| key of a row | %d bytes |", api.MaxKey),
		fmt.Sprintf("| path of a node; one component; components | %d bytes; %d bytes; %d |", api.MaxPath, api.MaxComponent, api.MaxDepth),
		fmt.Sprintf("| name of a principal | %d bytes |", api.MaxPrincipal),
		fmt.Sprintf("| open handles of a session; of a cell | %d; %d |", handle.DefaultLimits.PerSession, handle.DefaultLimits.Total),
		fmt.Sprintf("| waiting `Acquire`s of a lock; of a cell | %d; %d |", lockwait.DefaultLimits.PerLock, lockwait.DefaultLimits.Total),
		fmt.Sprintf("| calls of a session in flight | %d |", api.MaxWindow/2),
		fmt.Sprintf("| events that wait for a session | %d |", event.DefaultLimits.PerSession),
		fmt.Sprintf("| paths in the caches of a session; of a cell | %d; %d |", cache.DefaultLimits.PerSession, cache.DefaultLimits.Total),
		fmt.Sprintf("| live sessions of a cell, at most by `limits set` | %d |", rows.MaxSessions),
		fmt.Sprintf("| members of a cell | %d |", paxos.MaxMembers),
	} {
		require.Contains(t, string(text), "\n"+row)
	}
}
