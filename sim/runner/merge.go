package runner

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
)

// Run is what a shard reports of each of its seeds beside its Totals. Without it, medians and the
// hash of all shards together could not be computed.
type Run struct {
	Seed      uint64        `json:"seed"`
	Hash      string        `json:"hash"`
	Counted   bool          `json:"counted"`
	Broken    string        `json:"broken,omitempty"` // property or invariant, or "crash", or "internal"
	Ops       int           `json:"operations"`
	Unknown   int           `json:"unknown"`
	Failovers int           `json:"failovers"`
	Strikes   uint64        `json:"strikes"`
	Recovery  time.Duration `json:"recovery_ns"`
}

// RunOf returns the Run of a result.
func RunOf(r *cell.Result) Run {
	return Run{
		Seed: r.Seed, Hash: r.Hash, Counted: r.Counted, Broken: r.Broke(), Ops: r.Ops, Unknown: r.Unknown,
		Failovers: r.Failovers, Strikes: r.Strikes(), Recovery: r.Recovery,
	}
}

// Shard is the report of one shard.
type Shard struct {
	Totals Totals
	Runs   []Run
}

// Check returns an error if the runs are not those from which the totals were made: one of them was
// damaged, or edited.
func (s *Shard) Check() error {
	var t Tally
	for i := range s.Runs {
		t.take(&s.Runs[i])
	}
	switch own := t.Totals(0); {
	case own.Seeds != s.Totals.Seeds || own.Counted != s.Totals.Counted || own.Failed != s.Totals.Failed:
		return fmt.Errorf("its runs are %d seeds, %d counted and %d failed, its totals say %d, %d and %d",
			own.Seeds, own.Counted, own.Failed, s.Totals.Seeds, s.Totals.Counted, s.Totals.Failed)
	case own.Hash != s.Totals.Hash:
		return fmt.Errorf("the hash of its runs is %s, its totals say %s", own.Hash, s.Totals.Hash)
	}
	return nil
}

// Merge returns the totals of one run over the seeds of all shards, no two of which may have a seed
// in common. What is judged of many seeds together, such as rare situations, is judged of all.
// Elapsed is the sum of the shards' times, which one machine would take.
func Merge(shards []Shard) Totals {
	var t Tally
	var runs []Run
	var elapsed time.Duration
	for i := range shards {
		runs = append(runs, shards[i].Runs...)
		elapsed += shards[i].Totals.Elapsed
		t.join(&shards[i].Totals)
	}
	slices.SortFunc(runs, func(a, b Run) int { return cmp.Compare(a.Seed, b.Seed) })
	for i := range runs {
		t.take(&runs[i])
	}
	return t.Totals(elapsed)
}

// join adds the sums of a shard that cannot be computed from its runs.
func (t *Tally) join(o *Totals) {
	s := &t.sums
	s.Crashed += o.Crashed
	s.Internal += o.Internal
	s.Undecided += o.Undecided
	s.Simulated += o.Simulated
	s.Events += o.Events
	s.Ops += o.Ops
	s.Hot += o.Hot
	s.Unknown += o.Unknown
	s.Failovers += o.Failovers
	s.Strikes += o.Strikes
	s.Partitions += o.Partitions
	s.Decided += o.Decided
	t.faults.join(o.Faults)
	t.sometimes.join(o.Sometimes)
	t.counters.join(o.Counters)
}

func (rs *reaches) join(all []Reach) {
	for _, o := range all {
		r := rs.named(o.Name)
		r.Sum += o.Sum
		r.Seeds += o.Seeds
	}
}
