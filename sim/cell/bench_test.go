package cell

import (
	"testing"
	"time"
)

// BenchmarkSeed runs whole seeds of the default swarm, checks included.
func BenchmarkSeed(b *testing.B) {
	b.ReportAllocs()
	var events uint64
	var simulated time.Duration
	for i := 0; b.Loop(); i++ {
		r := Run(Options{Seed: uint64(i)})
		events += r.Events
		simulated += r.Simulated
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(simulated.Seconds()/b.Elapsed().Seconds(), "x-real-time")
}
