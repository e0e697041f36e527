package cell

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
)

// A report names three programs, and counts the others by the place at which they wait, most first.
func TestTheReportOfAStallCountsPrograms(t *testing.T) {
	var all []sim.Blocked
	add := func(n int, call string) {
		for range n {
			all = append(all, sim.Blocked{Machine: sim.FirstClient + sim.Addr(len(all)), Name: fmt.Sprintf("program %d", len(all)+1), Calls: []string{call}})
		}
	}
	require.Empty(t, waiting(nil))
	add(3, "app.a (a.go:1)")
	require.Equal(t, "c1 (program 1) waits in app.a (a.go:1); c2 (program 2) waits in app.a (a.go:1); c3 (program 3) waits in app.a (a.go:1)", waiting(all))
	add(1, "client.(*Handle).Acquire (x.go:1)")
	add(2, "app.a (a.go:1)")
	require.Contains(t, waiting(all), "; 3 more: 2 wait in app.a (a.go:1), 1 waits in client.(*Handle).Acquire (x.go:1)")
	for i := range 4 {
		add(1, fmt.Sprintf("app.b (b.go:%d)", i))
	}
	require.Contains(t, waiting(all), "; 7 more: 2 wait in app.a (a.go:1), 1 waits in client.(*Handle).Acquire (x.go:1), 1 waits in app.b (b.go:0), 1 waits in app.b (b.go:1), 2 elsewhere")
}
