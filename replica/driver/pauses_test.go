package driver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
)

// However long answers are missing, others are asked again before long: after an outage, the
// wait must not be as long as the outage, while nothing is dropped from the log. The bound is
// twice that of the code. A backup asks by the same comparison as a snapshot.
func TestPausesDoNotGrowWithoutBound(t *testing.T) {
	for name, begin := range map[string]func(*Driver){
		"rows for a snapshot": func(d *Driver) { d.compare.begin(d.now, rowsAfter(9)) },
		"a snapshot":          func(d *Driver) { d.fetch.begin(d.now, paxos.Behind{Source: 2, Floor: 9}) },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := DefaultConfig()
			cfg.Core.Paxos.ID, cfg.Core.Paxos.Members = 1, []paxos.NodeID{1, 2, 3}
			d, now := New(cfg), time.Unix(100, 0)
			d.Start(now, paxos.Recovered{}, nil, 0)
			begin(d)
			last := now
			for range 2000 {
				now = now.Add(cfg.Core.Paxos.Retransmit)
				d.Advance(now)
				for _, m := range d.TakeOutput().Peers {
					if IsTransfer(string(m.Wire)) {
						last = now
					}
				}
				require.LessOrEqual(t, now.Sub(last), 16*cfg.Core.Paxos.Retransmit)
			}
		})
	}
}
