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

// teller is a replica that opens a session, tells its client in each answer to a KeepAlive to drop
// something, and ends the session after so many answers.
type teller struct {
	env   *sim.Env
	after int
	asked []api.Request
}

func (r *teller) Start(env *sim.Env) { r.env = env }
func (r *teller) Wake(time.Time)     {}

func (r *teller) Receive(_ time.Time, from sim.Addr, msg []byte) {
	q, err := api.DecodeRequest(msg)
	if err != nil {
		panic(err)
	}
	r.asked = append(r.asked, q)
	p := q.Answer(3, api.Result{Code: api.OK})
	switch q.Op.(type) {
	case api.OpenSession:
		p.Result.Session = 7
	case api.KeepAlive:
		if p.Detail = (api.Leased{Lease: time.Second, Events: []api.Event{{Kind: api.EventDropAll, Drop: 1}}, LastEvent: 1}); r.after == 0 {
			p = q.Answer(3, api.Result{Code: api.NoSession})
		}
		r.after--
	case api.Open:
		p.Detail = api.Opened{Token: "t"}
	}
	r.env.Send(from, api.AppendReply(nil, p))
}

// A deaf client asks for cacheable answers, keeps its session alive, acknowledges no drop, and
// opens another session when its session is over.
func TestADeafClientAcknowledgesNothing(t *testing.T) {
	w, r := worldtest.New(t), &teller{after: 20}
	p := &plan.Plan{Replicas: 1, Caches: plan.CachePlan{On: true, Deaf: 50 * time.Millisecond}}
	w.Add(sim.MachineConfig{Process: func() sim.Process { return r }}).Start()
	programs := workload.New(workload.Env{Plan: p, World: w.World})
	d := NewDeaf(p, programs)
	d.Join(w.World, sim.ClockConfig{})
	w.Clients()[0].Start()
	require.Equal(t, sim.Reached, w.RunFor(10*time.Second))
	keeps, reads, opened := 0, 0, 0
	for _, q := range r.asked {
		switch op := q.Op.(type) {
		case api.KeepAlive:
			keeps++
			require.Zero(t, op.AckedEvents)
			require.EqualValues(t, 3, op.AckedEpoch, "but it knows of the epoch")
		case api.OpenSession:
			opened++
		default:
			reads++
			require.True(t, q.MayCache)
			require.Equal(t, api.OK, q.Check())
		}
	}
	require.Greater(t, keeps, 20)
	require.Greater(t, reads, 50)
	require.GreaterOrEqual(t, opened, 2)
	require.EqualValues(t, 1, d.Lost)
	programs.Finale, programs.Running = true, 1
	before := len(r.asked)
	r.after = 2
	require.Equal(t, sim.Quiet, w.RunFor(time.Minute), "it begins no other session")
	require.Less(t, len(r.asked), before+200)
}

// While honest clients make their last calls, a deaf client continues. Then it stops, so that its
// session ends and its ephemeral nodes disappear (S15).
func TestADeafClientStopsAfterTheLastOfAll(t *testing.T) {
	w, r := worldtest.New(t), &teller{after: 1 << 20}
	p := &plan.Plan{Replicas: 1, Caches: plan.CachePlan{On: true, Deaf: 50 * time.Millisecond}}
	w.Add(sim.MachineConfig{Process: func() sim.Process { return r }}).Start()
	programs := workload.New(workload.Env{Plan: p, World: w.World})
	NewDeaf(p, programs).Join(w.World, sim.ClockConfig{})
	w.Clients()[0].Start()
	programs.Finale, programs.Running = false, 1
	require.Equal(t, sim.Reached, w.RunFor(time.Second))
	programs.Finale = true
	before := len(r.asked)
	require.Equal(t, sim.Reached, w.RunFor(time.Second))
	require.Greater(t, len(r.asked), before)
	programs.Running = 0
	require.Equal(t, sim.Quiet, w.RunFor(time.Second))
}
