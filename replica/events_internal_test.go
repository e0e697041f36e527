package replica

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/driver"
)

func quiet() (*Replica, *driver.Driver) {
	cfg := driver.DefaultConfig()
	cfg.Core.Paxos.ID, cfg.Core.Paxos.Members = 1, append(cfg.Core.Paxos.Members, 1)
	return &Replica{cfg: Config{Driver: cfg}}, driver.New(cfg)
}

// Without a Listener the loop collects no events.
func TestEventsCostNothingWhereNothingListens(t *testing.T) {
	r, h := quiet()
	require.Zero(t, testing.AllocsPerRun(100, func() { r.tellListeners(h, nil) }))
}

func BenchmarkTellNobody(b *testing.B) {
	r, h := quiet()
	b.ReportAllocs()
	for b.Loop() {
		r.tellListeners(h, nil)
	}
}
