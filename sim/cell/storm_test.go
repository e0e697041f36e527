package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// A thousand Acquires wait for one lock. No attempt is in vain: each attempt is a grant, except the
// one that is under way.
func TestAThousandWaitersAreWokenOneByOne(t *testing.T) {
	p := plan.New(plan.Options{Seed: 3, Replicas: 3, Clients: 40, Workload: plan.Storm, Faults: []string{}})
	p.Hostile, p.Watch = plan.HostilePlan{}, plan.WatchPlan{} // a thousand programs that read at each grant would fill the windows of their sessions
	roomy(&p)
	p.Calls.Threads, p.Calls.Patience, p.Calls.Think = plan.MostAtOnce, time.Minute, time.Millisecond
	c := build(p, sim.Config{})
	t.Cleanup(c.world.Close)
	c.start()
	require.Equal(t, sim.Reached, c.world.Run(20*time.Second))
	require.Nil(t, c.world.Failure())
	require.Greater(t, c.queues.Most, 950, "who waited at one time")
	require.Greater(t, c.queues.Given, uint64(300))
	require.LessOrEqual(t, c.queues.Woken, c.queues.Given+uint64(plan.MostAtOnce), "readers in front come together")
}

// Programs of one client acquire by one shared handle, and close it while others use it.
func TestProgramsShareAHandle(t *testing.T) {
	p := plan.New(plan.Options{Seed: 5, Replicas: 3, Clients: 4, Workload: plan.Storm, Faults: []string{}})
	p.Hostile = plan.HostilePlan{}
	roomy(&p)
	p.Calls.Threads, p.Calls.Patience, p.Calls.Think, p.Calls.Share = 12, 10*time.Second, 10*time.Millisecond, 3
	c := build(p, sim.Config{})
	t.Cleanup(c.world.Close)
	c.start()
	require.Equal(t, sim.Reached, c.world.Run(20*time.Second))
	require.Nil(t, c.world.Failure())
	require.Greater(t, c.load.Shared, uint64(10))
	require.Greater(t, c.load.Completed, 500)
}

func TestHowLargeStormsAre(t *testing.T) {
	most := 0
	for seed := range uint64(200) {
		p := plan.New(plan.Options{Seed: seed, Workload: plan.Storm})
		waiters := p.Clients * p.Calls.Threads
		require.LessOrEqual(t, p.Calls.Threads, plan.MostAtOnce)
		require.LessOrEqual(t, p.Clients, plan.MaxClients)
		require.GreaterOrEqual(t, waiters, 100)
		most = max(most, waiters)
	}
	require.Greater(t, most, 900)
	for seed := range uint64(200) {
		p := plan.New(plan.Options{Seed: seed})
		require.GreaterOrEqual(t, p.Clients, 3)
		require.LessOrEqual(t, p.Clients, 50)
	}
}

func TestSessionsComeAndGo(t *testing.T) {
	r := Run(plan.Options{Seed: 1, Workload: plan.Churn, Faults: []string{}})
	require.Nil(t, r.Breach)
	require.True(t, r.Counted)
	n := numbers(r.Sometimes)
	require.Positive(t, n["session-deserted"])
	require.Positive(t, n["session-expired"])
	require.Positive(t, n["ephemeral-swept"])
}

func TestServersRegisterAndWatchersListThem(t *testing.T) {
	r := Run(plan.Options{Seed: 3, Workload: plan.Registry, Faults: []string{}, Tune: []string{"caches=1"}})
	require.Nil(t, r.Breach)
	require.True(t, r.Counted)
	n := numbers(r.Sometimes)
	for _, name := range []string{"session-deserted", "session-expired", "ephemeral-swept", "event-told", "cache-names", "cache-hit", "cache-acked"} {
		require.Positive(t, n[name], name)
	}
	require.Greater(t, n["event-relisted"], uint64(50))
}

func TestFilesAreAsLargeAsTheyMayBe(t *testing.T) {
	r := Run(plan.Options{Seed: 1, Workload: plan.Big, Faults: []string{}})
	require.Nil(t, r.Breach)
	require.True(t, r.Counted)
	require.Positive(t, numbers(r.Sometimes)["contents-too-large"])
}

func numbers(all []Number) map[string]uint64 {
	m := map[string]uint64{}
	for _, n := range all {
		m[n.Name] = n.Value
	}
	return m
}
