package runner

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
)

// Tally adds up the results of a batch. The zero Tally is empty. It is not safe for concurrent use.
// The order of results matters only for the hash.
type Tally struct {
	sums      Totals
	ops       []int // of each counted seed, as the next three
	unknown   []int
	failovers []int
	strikes   []int           // of all kinds of faults together
	recovery  []time.Duration // of each seed that healed
	broken    map[string]uint64
	faults    reaches
	sometimes reaches
	counters  reaches
	hash      uint64
}

// Reach is how often something happened in a batch.
type Reach struct {
	Name  string `json:"name"`
	Sum   uint64 `json:"sum"`
	Seeds uint64 `json:"seeds"` // in which it happened at all
	// Demanded says that many seeds together must reach this situation.
	Demanded bool `json:"demanded,omitempty"`
}

// String returns the name with both numbers.
func (r Reach) String() string { return fmt.Sprintf("%s %d in %d seeds", r.Name, r.Sum, r.Seeds) }

// reaches has the sums in the order in which their names first came.
type reaches []Reach

func (rs *reaches) add(numbers []cell.Number) {
	for _, n := range numbers {
		r := rs.named(n.Name)
		r.Sum += n.Value
		if n.Value > 0 {
			r.Seeds++
		}
	}
}

// named returns the entry of a name, and makes it if necessary.
func (rs *reaches) named(name string) *Reach {
	i := slices.IndexFunc(*rs, func(r Reach) bool { return r.Name == name })
	if i < 0 {
		i = len(*rs)
		*rs = append(*rs, Reach{Name: name, Demanded: cell.Demanded(name)})
	}
	return &(*rs)[i]
}

func (rs reaches) sorted() []Reach {
	all := append([]Reach{}, rs...)
	slices.SortFunc(all, func(a, b Reach) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Add adds the result of one seed.
func (t *Tally) Add(r cell.Result) {
	run, s := RunOf(&r), &t.sums
	t.take(&run)
	switch run.Broken {
	case cell.Crashed:
		s.Crashed++
	case cell.NoVerdict:
		s.Internal++
	}
	if r.Undecided {
		s.Undecided++
	}
	s.Simulated += r.Simulated
	s.Events += r.Events
	s.Ops += uint64(r.Ops)
	s.Hot += uint64(r.Hot)
	s.Unknown += uint64(r.Unknown)
	s.Failovers += uint64(r.Failovers)
	s.Strikes += run.Strikes
	s.Partitions += uint64(r.Partition)
	s.Decided += uint64(r.Decided)
	t.faults.add(r.Faults)
	t.sometimes.add(r.Sometimes)
	t.counters.add(r.Counters)
}

// take adds a Run.
func (t *Tally) take(r *Run) {
	s := &t.sums
	s.Seeds++
	switch {
	case r.Broken != "":
		s.Failed++
		if t.broken == nil {
			t.broken = map[string]uint64{}
		}
		t.broken[r.Broken]++
	case r.Counted:
		s.Counted++
		t.ops = append(t.ops, r.Ops)
		t.unknown = append(t.unknown, r.Unknown)
		t.failovers = append(t.failovers, r.Failovers)
		t.strikes = append(t.strikes, int(r.Strikes))
	default:
		s.Idle++
	}
	if r.Broken == "" {
		t.recovery = append(t.recovery, r.Recovery)
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%016x %d %s", t.hash, r.Seed, r.Hash)
	t.hash = h.Sum64()
}

// Totals returns the numbers so far. elapsed is the real time that they took.
func (t *Tally) Totals(elapsed time.Duration) Totals {
	s := t.sums
	s.Elapsed = elapsed
	if sec := elapsed.Seconds(); sec > 0 {
		s.PerSecond = float64(s.Events) / sec
		s.Ratio = s.Simulated.Seconds() / sec
	}
	if s.Counted > 0 {
		s.OpsMedian, s.OpsMin = median(t.ops), slices.Min(t.ops)
		s.UnknownMedian, s.UnknownMin = median(t.unknown), slices.Min(t.unknown)
		s.FailoversMedian, s.FailoversMin = median(t.failovers), slices.Min(t.failovers)
		s.StrikesMedian, s.StrikesMin = median(t.strikes), slices.Min(t.strikes)
	}
	if len(t.recovery) > 0 {
		s.RecoveryMedian, s.RecoveryMax = median(t.recovery), slices.Max(t.recovery)
	}
	s.Broken = []cell.Number{}
	for id, n := range t.broken { // order-free: sorted below
		s.Broken = append(s.Broken, cell.Number{Name: id, Value: n})
	}
	slices.SortFunc(s.Broken, func(a, b cell.Number) int { return strings.Compare(a.Name, b.Name) })
	s.Faults, s.Sometimes = t.faults.sorted(), append([]Reach{}, t.sometimes...)
	if len(t.counters) > 0 {
		s.Counters = t.counters.sorted()
	}
	s.Rare = s.rare()
	s.Hash = fmt.Sprintf("%016x", t.hash)
	return s
}

// median returns the median, of an even number of values the lower one. It does not change all.
func median[T int | time.Duration](all []T) T {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[(len(sorted)-1)/2]
}
