//go:build unix

package cell

import (
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// The two definitions by which the simulator's speed is stated: one-way delay 0.3 to 1 ms, sync 0.2
// to 1 ms, every kind of fault, together at the mean rate of the default swarm, and every check. It
// is also measured without faults: then no replica restarts, and the difference is the cost of
// recovery. By default a cell writes a snapshot after 10,000 slots, more than a light minute has,
// so each restart applies the whole log again. The definition is therefore also measured with as
// many snapshots as the default swarm has on average.
//
// Run them on one core (GOMAXPROCS=1). Rates are per second of processor time, so that other work
// of the machine matters little.

// BenchmarkLight is 3 replicas and 3 clients which call once in 100 ms.
func BenchmarkLight(b *testing.B) { benchPlan(b, 3, 3, 200*time.Millisecond) }

// BenchmarkSaturated is 5 replicas and 10 clients without think time.
func BenchmarkSaturated(b *testing.B) { benchPlan(b, 5, 10, 0) }

// BenchmarkSeed runs whole seeds of the default swarm.
func BenchmarkSeed(b *testing.B) {
	benchRuns(b, func(seed uint64) plan.Plan { return plan.New(plan.Options{Seed: seed}) })
}

// The plans whose speed is measured run without a broken property.
func TestSpeedIsMeasuredOnPlansThatRunClean(t *testing.T) {
	var snapshots uint64
	for _, p := range []plan.Plan{speedPlan(1, 3, 3, 200*time.Millisecond), speedPlan(1, 5, 10, 0)} {
		p.Duration, p.Driver.SnapshotEvery = 6*time.Second, swarmSnapshots
		for _, p.Faults = range [][]plan.FaultPlan{p.Faults, nil} {
			r := run(p, sim.Config{})
			require.False(t, r.Failed() || r.Undecided, "%d replicas, %d faults: %+v", p.Replicas, len(p.Faults), r.Breach)
			i := slices.IndexFunc(r.Sometimes, func(n Number) bool { return n.Name == "snapshot-written" })
			snapshots += r.Sometimes[i].Value
		}
	}
	require.Positive(t, snapshots, "what bounds them was looked at")
}

func benchPlan(b *testing.B, replicas, clients int, think time.Duration) {
	b.Run("faults", func(b *testing.B) {
		benchRuns(b, func(seed uint64) plan.Plan { return speedPlan(seed, replicas, clients, think) })
	})
	b.Run("snapshots", func(b *testing.B) {
		benchRuns(b, func(seed uint64) plan.Plan {
			p := speedPlan(seed, replicas, clients, think)
			p.Driver.SnapshotEvery = swarmSnapshots
			return p
		})
	})
	b.Run("calm", func(b *testing.B) {
		benchRuns(b, func(seed uint64) plan.Plan {
			p := speedPlan(seed, replicas, clients, think)
			p.Faults = nil
			return p
		})
	})
}

// speedPlan is the definition as a plan. Only the draws of the run come from the seed, among them
// when a fault strikes and which machine it strikes.
func speedPlan(seed uint64, replicas, clients int, think time.Duration) plan.Plan {
	const us = time.Microsecond
	p := plan.Plan{
		Seed: seed, Replicas: replicas, Clients: clients, Workload: "mixed", Duration: 60 * time.Second,
		Driver: driver.DefaultConfig(), Store: store.Options{SegmentSize: 1 << 18}, RatePPB: 1_000_000,
		Link: sim.LinkConfig{Delay: sim.Table{300 * us, 475 * us, 650 * us, 825 * us, 1000 * us}},
		Disk: sim.DiskConfig{
			Read: sim.Table{20 * us}, Write: sim.Table{20 * us}, Meta: sim.Table{20 * us},
			Sync: sim.Table{200 * us, 400 * us, 600 * us, 800 * us, 1000 * us},
		},
		Calls: plan.CallPlan{
			Threads: 1, Think: think, Patience: 4 * time.Second, Groups: 4, Keys: 8, Hot: 40, Value: 64,
			Weights: [6]uint32{4, 4, 1, 2, 1, 0},
		},
	}
	p.Driver.Core.Paxos.Seed = seed
	p.Driver.Core.Sessions = session.Config{} // sessions live for ever, as when the definition was made
	for _, f := range plan.Faults(nil) {
		p.Faults = append(p.Faults, plan.FaultPlan{Name: f.Name, Mean: swarmGap * time.Duration(len(plan.Faults(nil)))})
	}
	return p
}

// swarmGap is one over the mean rate of strikes of the default swarm, whose gaps
// are log-uniform between 0.3 and 4 s.
const swarmGap = 840 * time.Millisecond

// swarmSnapshots is the mean number of slots between two snapshots there, which is
// log-uniform between 1 and 1,000.
const swarmSnapshots = 145

func benchRuns(b *testing.B, plan func(seed uint64) plan.Plan) {
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(800)) // as cmd/chubby does
	}
	b.ReportAllocs()
	var events, ops, seeds uint64
	var simulated time.Duration
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := processorTime(b)
	for b.Loop() {
		seeds++
		p := plan(seeds)
		r := run(p, sim.Config{})
		if r.Failed() || r.Undecided {
			b.Fatalf("seed %d: %+v", seeds, r.Breach)
		}
		events += r.Events
		ops += uint64(r.Ops)
		simulated += p.Duration // without the waits of the last phase
	}
	took := processorTime(b) - began
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(events)/took.Seconds(), "events/s")
	b.ReportMetric(float64(ops)/simulated.Seconds(), "ops/sim-s")
	b.ReportMetric(float64(events)/float64(ops), "events/op")
	b.ReportMetric(simulated.Seconds()/took.Seconds(), "x-real-time")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(events), "allocs/event")
	b.ReportMetric(took.Seconds()/float64(seeds), "cpu-s/seed")
}

// processorTime is the processor time that this process has used, kernel included.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
