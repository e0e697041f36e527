package driver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
)

// However long answers are missing, others are asked again within a bound (I-U1).
func TestPausesDoNotGrowWithoutBound(t *testing.T) {
	for name, c := range map[string]struct {
		begin  func(*Driver)
		extend func(h *Driver, due time.Time)
		text   string
	}{
		"rows for a snapshot": {
			func(h *Driver) { h.compare.begin(h.now, rowsAfter(9)) },
			func(h *Driver, due time.Time) { h.compare.due = due },
			"invariant I-U1 broken: replica 1 asks others about the rows of a snapshot again in 400.000001ms, its bound is 400ms",
		},
		"rows for a backup": {
			func(h *Driver) { h.backup.confirm.begin(h.now, rowsAfter(9)) },
			func(h *Driver, due time.Time) { h.backup.confirm.due = due }, // this one is no master
			"invariant I-U1 broken: replica 1 asks others about the rows of a backup again in 400.000001ms, its bound is 400ms",
		},
		"a snapshot": {
			func(h *Driver) { h.fetch.begin(h.now, paxos.Behind{Source: 2, Floor: 9}) },
			func(h *Driver, due time.Time) { h.fetch.due = due },
			"invariant I-U1 broken: replica 1 asks for a snapshot again in 400.000001ms, its bound is 400ms",
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := DefaultConfig()
			cfg.Core.Paxos.ID, cfg.Core.Paxos.Members = 1, []paxos.NodeID{1, 2, 3}
			h, now := New(cfg), time.Unix(100, 0)
			h.Start(now, paxos.Recovered{}, nil)
			c.begin(h)
			for range 1000 {
				now = now.Add(cfg.Core.Paxos.Retransmit)
				h.Advance(now)
				h.TakeOutput()
			}
			c.extend(h, now.Add(8*cfg.Core.Paxos.Retransmit+1))
			require.PanicsWithError(t, c.text, h.verifyPauses)
		})
	}
}
