package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/api"
)

// The page of the master says how many Acquires wait for a lock that is delayed. The page of another replica, which does
// not know, has no such column.
func TestTheMastersPageCountsWhoWaitsForADelayedLock(t *testing.T) {
	path, err := api.ParsePath("/job")
	require.NoError(t, err)
	delays := func(isMaster bool, d replica.Delay) string {
		d.Node = api.Ref{Path: path}
		o := replica.Overview{IsMaster: isMaster, Delayed: 1, FirstDelays: []replica.Delay{d}}
		var text strings.Builder
		p := page{IsMaster: isMaster, Delays: listOf(delayRows(&o, fmt.Stringer.String), o.Delayed, "lock-delay runs", "lock-delays run")}
		require.NoError(t, pageTemplate.Execute(&text, p))
		_, section, ok := strings.Cut(text.String(), `<section id="delays">`)
		require.True(t, ok)
		section, _, _ = strings.Cut(section, "</section>")
		return section
	}
	text := delays(true, replica.Delay{Left: 40 * time.Second, Waiting: 2})
	require.Contains(t, text, "<th>node</th><th>free in</th><th>waiting</th></tr>")
	require.Contains(t, text, "<td>/job</td><td>40s</td><td>2</td></tr>")
	text = delays(false, replica.Delay{Left: time.Minute, IsWhole: true})
	require.Contains(t, text, "<th>node</th><th>free in</th></tr>")
	require.Contains(t, text, "<td>/job</td><td>within 1m0s: the master knows when</td></tr>")
}
