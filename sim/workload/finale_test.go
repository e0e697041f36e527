package workload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/plan"
)

// However many programs there are, few make last calls: one on each client, and on at most
// mostFinales clients.
func TestFewProgramsMakeLastCalls(t *testing.T) {
	for _, c := range []struct{ clients, threads, all int }{{8, 3, 24}, {9, 3, 9}, {50, 1, 24}, {50, 10, 24}} {
		p := plan.Plan{Clients: c.clients}
		p.Calls.Threads = c.threads
		programs := New(Env{Plan: &p})
		all := 0
		for machine := range c.clients {
			for mate := range c.threads {
				if x := (&thread{all: programs, id: int64(machine)<<32 | 3<<8 | int64(mate)}); !x.isBystander() {
					all++
				}
			}
		}
		require.Equal(t, c.all, all, "%+v", c)
	}
}
