package cell

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/agreement"
	"github.com/chubbycell/chubby/sim/check/growth"
	"github.com/chubbycell/chubby/sim/check/histories"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
)

func TestCleanCellsServe(t *testing.T) {
	for seed := range few(2, 4) {
		r := Run(plan.Options{Seed: seed, Faults: []string{}})
		require.Nil(t, r.Breach, "seed %d", seed)
		require.True(t, r.Counted, "seed %d: %d operations in %v", seed, r.Ops, r.Simulated)
	}
}

// mute is a process that does nothing: a replica that never answers.
type mute struct{}

func (mute) Start(*sim.Env)                      {}
func (mute) Receive(time.Time, sim.Addr, []byte) {}
func (mute) Wake(time.Time)                      {}

// someCell returns a cell without faults that has run for a while.
func someCell(t *testing.T, seed uint64, tune ...func(*plan.Plan)) *seedRun {
	p := plan.New(plan.Options{Seed: seed, Replicas: 3, Faults: []string{}})
	for _, f := range tune {
		f(&p)
	}
	c := &seedRun{build(p, sim.Config{})}
	t.Cleanup(c.world.Close)
	c.start()
	require.Equal(t, sim.Reached, c.world.Run(5*time.Second))
	require.Positive(t, c.load.Completed)
	return c
}

func TestL1ACellThatNeverAnswersAgain(t *testing.T) {
	c := someCell(t, 1)
	for _, m := range c.machines.Replicas[:2] {
		m.Kill()
		m.SetProcess(func() sim.Process { return mute{} })
	}
	c.heal()
	c.liveness(c.world.Now())
	require.NotNil(t, c.world.Failure())
	require.Equal(t, "L1", c.world.Failure().ID)
}

// Whichever replica is the hub, and whichever led before, the cell serves through the hub, and
// stands still without it.
func TestL1ReplicasThatHearOneAlone(t *testing.T) {
	for hub := range 3 {
		for _, gone := range []bool{false, true} {
			c := someCellWithALease(t)
			back := c.star(c.machines.Replicas[hub])
			if gone {
				c.world.Net().Isolate(c.machines.Replicas[hub].Addr())
			}
			c.load.Finale = true
			require.Equal(t, sim.Reached, c.world.RunFor(plan.RecoveryBound))
			require.Equal(t, gone, c.load.Running > 0)
			if !gone {
				back()
				c.awaitLevel("again")
				require.Nil(t, c.world.Failure())
			}
		}
	}
}

func TestL1AReplicaThatNeverCatchesUp(t *testing.T) {
	c := someCell(t, 6)
	c.heal()
	c.liveness(c.world.Now())
	require.Nil(t, c.world.Failure())
	c.machines.Replicas[2].Kill()
	c.machines.Replicas[2].SetProcess(func() sim.Process { return mute{} })
	c.epilogue()
	require.NotNil(t, c.world.Failure())
	require.Equal(t, "L1", c.world.Failure().ID)
}

func TestS17ALogThatRotsIsRefusedAndThatIsSeen(t *testing.T) {
	c := someCell(t, 2)
	m := c.machines.Replicas[0]
	m.Crash()
	rotten := 0
	for _, f := range m.Disk().Mem().Files() {
		if strings.HasSuffix(f.Name, ".wal") && f.Size > 200 {
			for off := int64(60); off < 200; off += 8 {
				require.NoError(t, m.Disk().Mem().Corrupt(f.Name, off, 0xff))
			}
			rotten++
		}
	}
	require.Positive(t, rotten)
	m.Start()
	c.world.RunFor(time.Second)
	require.NotNil(t, c.world.Failure())
	require.Equal(t, "S17", c.world.Failure().ID)
}

func TestL2EachSizeHasABoundThatCanBreak(t *testing.T) {
	c := someCell(t, 3)
	c.checkBounds()
	require.Nil(t, c.world.Failure())
	var grown []string
	for _, m := range c.machines.Replicas {
		for _, s := range sizesOf(running(m)) {
			require.Positive(t, s.Most, s.What)
			if s.N > 0 {
				grown = append(grown, s.What)
			}
		}
	}
	require.Contains(t, grown, "sessions")
	require.Contains(t, grown, "stored answers")
	require.Contains(t, grown, "chosen values in memory")
	require.Contains(t, grown, "heartbeats remembered")

	r := running(c.machines.Replicas[0])
	r.missed = r.Host.Core().Status().FirstOpen + 9
	lacks := func() (n int) {
		for _, s := range sizesOf(r) {
			if slices.Contains([]string{"votes above the first open slot", "slots in memory", "chosen values in memory"}, s.What) {
				n += s.Most
			}
		}
		return n
	}
	most := lacks()
	r.behind += 7 // slots that a life lacks when it begins are no leak
	require.Equal(t, most+21, lacks())
	r.missed = 0 // until it has applied them
	require.Equal(t, most, lacks())

	c.load.Sessions = 0
	c.checkBounds()
	require.NotNil(t, c.world.Failure())
	require.Equal(t, "L2", c.world.Failure().ID)
}

// sizesOf returns the sizes of what a replica holds, each with its bound.
func sizesOf(r *replica) []growth.Size {
	l := grown(r)
	return r.cell.growth.Sizes(&l)
}

func TestL1ARunThatGoesWildOrStops(t *testing.T) {
	for _, end := range []sim.End{sim.Quiet, sim.Exhausted} {
		c := someCell(t, 7)
		require.True(t, c.reached(sim.Reached))
		require.False(t, c.reached(end))
		require.Equal(t, "L1", c.world.Failure().ID)
		require.False(t, c.reached(sim.Reached), "a run that broke goes no further")
	}
}

func TestS3AnAnswerThatIsNowhereInTheLog(t *testing.T) {
	c := someCell(t, 4)
	op := c.history.Call(1, 0, linearizability.Put("g0/never", "x"))
	c.history.OK(op, 0, linearizability.KVOutput{OK: true})
	c.history.Judge(c.world, c.watch.Calls, &histories.Verdict{})
	require.Equal(t, "S3", c.world.Failure().ID)
}

func TestS4ACallThatIsSaidToHaveFailedTookEffect(t *testing.T) {
	c := &seedRun{build(plan.New(plan.Options{Seed: 1, Faults: []string{}}), sim.Config{})}
	defer c.world.Close()
	trail := client.CallID{Session: 3, Seq: 4}
	op := c.history.Begins(1, 1, linearizability.Put("a", "b"), &trail)
	c.history.Failed(op, 2)
	c.watch.Calls.Effects[model.Call{Session: 3, Seq: 4}] = agreement.Effect{At: linearizability.Position{Slot: 5}}
	c.history.Judge(c.world, c.watch.Calls, &histories.Verdict{})
	require.Equal(t, "S4", c.world.Failure().ID)
	require.Contains(t, c.world.Failure().Text, "never will be")
}

func TestS4AnAnswerThatNoOrderExplains(t *testing.T) {
	c := someCell(t, 5, func(p *plan.Plan) { p.Workload = "mixed" })
	for i, o := range c.history.History().Operations() {
		if o.Outcome == linearizability.OutcomeOK && o.Input.Op == linearizability.OpGet {
			ops := c.history.History().Operations()
			ops[i].Output = linearizability.KVOutput{Found: true, Value: "never written"}
			break
		}
	}
	c.history.Judge(c.world, c.watch.Calls, &histories.Verdict{})
	require.Equal(t, "S4", c.world.Failure().ID)
}

// A row with an empty value exists: programs write such rows, and expect to read them.
func TestS4RowsMayHoldNothing(t *testing.T) {
	c := someCell(t, 5, func(p *plan.Plan) { p.Workload = "increments" })
	found, expected := false, false
	for _, o := range c.history.History().Operations() {
		in, out := o.Input, o.Output
		found = found || in.Op == linearizability.OpGet && out.Found && out.Value == ""
		expected = expected || in.Op == linearizability.OpCAS && !in.Absent && in.Expect == ""
	}
	require.True(t, found)
	require.True(t, expected)
}

func TestOneSeedIsOneHistory(t *testing.T) {
	few := func(seed uint64) plan.Options { return plan.Options{Seed: seed, Clients: 4} } // without this, one of the seeds has 36
	seen := map[string]uint64{}
	for seed := range uint64(3) {
		a, b := Run(few(seed)), Run(few(seed))
		require.Equal(t, a.Hash, b.Hash, "seed %d", seed)
		require.Equal(t, a.Events, b.Events)
		require.NotContains(t, seen, a.Hash)
		seen[a.Hash] = seed
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	for _, o := range []plan.Options{{Replicas: 8}, {Clients: 65}, {Duration: -1}, {Workload: "none such"}, {Faults: []string{"none such"}}} {
		require.Error(t, o.Check(), "%+v", o)
	}
	require.NoError(t, plan.Options{Replicas: 7, Clients: 1, Workload: "mixed", Faults: []string{"crash"}}.Check())
	_, err := plan.ParseFaults("crash, flood", nil)
	require.ErrorContains(t, err, `unknown fault "flood"`)
}
