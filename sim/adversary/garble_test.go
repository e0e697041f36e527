package adversary

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/workload"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// hearing is a replica that counts what it receives, and which of that is a request.
type hearing struct {
	silent
	all, requests *int
}

func (r hearing) Receive(_ time.Time, _ sim.Addr, msg []byte) {
	*r.all++
	if _, err := api.DecodeRequest(msg); err == nil {
		*r.requests++
	}
}

// all is a cell in which every session was opened by one principal.
type all struct {
	unknown
	by api.Principal
}

func (c all) OpenedBy(api.SessionID) api.Principal { return c.by }

// An altered request may name another session of the hostile client: then it could change rows of a workload. It is not sent.
func TestAGarbledRequestIsNoneOfItsOwnSessions(t *testing.T) {
	for _, own := range []bool{true, false} {
		w := worldtest.New(t)
		p := &plan.Plan{Replicas: 1}
		p.Hostile.Gap = time.Hour
		var received, requests int
		w.Add(sim.MachineConfig{Process: func() sim.Process { return hearing{all: &received, requests: &requests} }}).Start()
		a := New(p, workload.New(workload.Env{Plan: p, World: w.World}), unknown{})
		if own {
			a.facts = all{by: a.Name()}
		}
		a.Join(w.World, sim.ClockConfig{})
		m := w.Clients()[0]
		m.Start()
		require.Equal(t, sim.Reached, w.RunFor(time.Second))
		h := m.Process().(*hostile)
		h.master = 1
		h.of.heard.wires = [][]byte{api.AppendRequest(nil, api.Request{ID: 9, Session: 19, Seq: 162, AckedThrough: 161, Epoch: 12, Op: api.Delete{Key: "g0/hot"}})}
		for range 500 {
			garble(h)
		}
		require.Equal(t, sim.Reached, w.RunFor(time.Second))
		require.Positive(t, received)
		require.Equal(t, own, requests == 0, "%d requests", requests)
	}
}
