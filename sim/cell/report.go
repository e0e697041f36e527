package cell

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"time"
)

// Tally adds up the results of a campaign. The zero Tally is empty. One caller
// at a time; the order of results is part of the hash and of nothing else.
type Tally struct {
	sums      Totals
	ops       []int // of each counted seed, and so the next three
	unknown   []int
	failovers []int
	strikes   []int           // of all kinds of faults together
	recovery  []time.Duration // of each seed that healed
	broken    map[string]uint64
	faults    reaches
	sometimes reaches
	hash      uint64
}

// Totals are the numbers of a campaign. Their JSON form is part of what
// `chubby sim -o json` promises: fields are added, never renamed or removed.
type Totals struct {
	Seeds     uint64 `json:"seeds"`     // all that ran
	Counted   uint64 `json:"counted"`   // clean, and above the floors
	Idle      uint64 `json:"idle"`      // clean, but too little happened
	Failed    uint64 `json:"failed"`    // something numbered broke, or there was a panic
	Crashed   uint64 `json:"crashed"`   // of them, by a panic that is nothing numbered
	Internal  uint64 `json:"internal"`  // of them, by a panic of the simulator itself: no verdict
	Undecided uint64 `json:"undecided"` // a checker gave up

	Simulated time.Duration `json:"simulated_ns"`
	Elapsed   time.Duration `json:"elapsed_ns"` // real time
	Events    uint64        `json:"events"`
	PerSecond float64       `json:"events_per_second"`
	Ratio     float64       `json:"real_time_ratio"` // simulated to real

	// Medians and minima are of counted seeds.
	Ops             uint64 `json:"operations"` // with a definite answer
	OpsMedian       int    `json:"operations_median"`
	OpsMin          int    `json:"operations_minimum"`
	Hot             uint64 `json:"hot"`     // of Ops, on the contended row
	Unknown         uint64 `json:"unknown"` // outcomes nobody knows
	UnknownMedian   int    `json:"unknown_median"`
	UnknownMin      int    `json:"unknown_minimum"`
	Failovers       uint64 `json:"failovers"`
	FailoversMedian int    `json:"failovers_median"`
	FailoversMin    int    `json:"failovers_minimum"`
	Strikes         uint64 `json:"strikes"` // of all kinds of faults; by kind in Faults
	StrikesMedian   int    `json:"strikes_median"`
	StrikesMin      int    `json:"strikes_minimum"`

	RecoveryMedian time.Duration `json:"recovery_median_ns"` // from healing to the last call's end
	RecoveryMax    time.Duration `json:"recovery_max_ns"`

	Partitions uint64 `json:"partitions"`
	Decided    uint64 `json:"decided"` // by Porcupine as well

	Broken    []Number `json:"broken"` // failed seeds by property; "crash" and "internal" for panics
	Faults    []Reach  `json:"faults"`
	Sometimes []Reach  `json:"sometimes"`
	Rare      []string `json:"rare"` // demanded situations reached in too few seeds; judged from 10,000 counted seeds on

	// Hash covers number and hash of every seed, in order: one number to compare
	// two campaigns by.
	Hash string `json:"hash"`
}

// Reach is how often something happened in a campaign.
type Reach struct {
	Name  string `json:"name"`
	Sum   uint64 `json:"sum"`
	Seeds uint64 `json:"seeds"` // in which it happened at all
	// Demanded says that a long campaign must reach this situation.
	Demanded bool `json:"demanded,omitempty"`
}

// reaches keeps sums in the order in which names first came.
type reaches []Reach

func (rs *reaches) add(numbers []Number) {
	for _, n := range numbers {
		i := slices.IndexFunc(*rs, func(r Reach) bool { return r.Name == n.Name })
		if i < 0 {
			i = len(*rs)
			*rs = append(*rs, Reach{Name: n.Name, Demanded: isDemanded(n.Name)})
		}
		(*rs)[i].Sum += n.Value
		if n.Value > 0 {
			(*rs)[i].Seeds++
		}
	}
}

func (rs reaches) sorted() []Reach {
	all := append([]Reach{}, rs...)
	slices.SortFunc(all, func(a, b Reach) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Add takes in the result of one seed.
func (t *Tally) Add(r Result) {
	s := &t.sums
	s.Seeds++
	switch {
	case r.Failed():
		t.fail(&r)
	case r.Counted:
		s.Counted++
		t.ops = append(t.ops, r.Ops)
		t.unknown = append(t.unknown, r.Unknown)
		t.failovers = append(t.failovers, r.Failovers)
		t.strikes = append(t.strikes, int(r.strikes()))
	default:
		s.Idle++
	}
	if r.Undecided {
		s.Undecided++
	}
	if !r.Failed() {
		t.recovery = append(t.recovery, r.Recovery)
	}
	s.Simulated += r.Simulated
	s.Events += r.Events
	s.Ops += uint64(r.Ops)
	s.Hot += uint64(r.Hot)
	s.Unknown += uint64(r.Unknown)
	s.Failovers += uint64(r.Failovers)
	s.Strikes += r.strikes()
	s.Partitions += uint64(r.Partition)
	s.Decided += uint64(r.Decided)
	t.faults.add(r.Faults)
	t.sometimes.add(r.Sometimes)
	h := fnv.New64a()
	fmt.Fprintf(h, "%016x %d %s", t.hash, r.Seed, r.Hash)
	t.hash = h.Sum64()
}

// strikes are those of all kinds of faults.
func (r *Result) strikes() uint64 {
	var sum uint64
	for _, n := range r.Faults {
		sum += n.Value
	}
	return sum
}

func (t *Tally) fail(r *Result) {
	t.sums.Failed++
	switch r.broke() {
	case brokeCrash:
		t.sums.Crashed++
	case brokeInternal:
		t.sums.Internal++
	}
	if t.broken == nil {
		t.broken = map[string]uint64{}
	}
	t.broken[r.broke()]++
}

// What broke where nothing numbered did.
const (
	brokeCrash    = "crash"    // the product panicked
	brokeInternal = "internal" // the simulator did
)

// broke is what a failed seed is counted under.
func (r *Result) broke() string {
	if r.Internal {
		return brokeInternal
	}
	return r.Breach.Name()
}

// Name is the property's or invariant's number, "crash" where nothing numbered
// broke.
func (b *Breach) Name() string {
	if b.ID == "" {
		return brokeCrash
	}
	return b.ID
}

// Totals are the numbers so far, given how much real time they took.
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
	s.Broken = []Number{}
	for id, n := range t.broken { // order-free: sorted below
		s.Broken = append(s.Broken, Number{id, n})
	}
	slices.SortFunc(s.Broken, func(a, b Number) int { return strings.Compare(a.Name, b.Name) })
	s.Faults, s.Sometimes = t.faults.sorted(), append([]Reach{}, t.sometimes...)
	s.Rare = s.rare()
	s.Hash = fmt.Sprintf("%016x", t.hash)
	return s
}

// median is the lower one of an even number. It leaves all as it is.
func median[T int | time.Duration](all []T) T {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[(len(sorted)-1)/2]
}

// WriteTable writes the numbers for people.
func (s *Totals) WriteTable(w io.Writer) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-20s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("seeds", "%d counted, %d idle, %d failed", s.Counted, s.Idle, s.Failed)
	line("verdicts", "%s", s.verdicts())
	line("simulated time", "%v in %v, %.0f times real time", s.Simulated.Round(time.Second), s.Elapsed.Round(100*time.Millisecond), s.Ratio)
	line("events", "%d, %.0f a second", s.Events, s.PerSecond)
	line("operations", "%d answered, %s on the contended row", s.Ops, share(s.Hot, s.Ops))
	each := func(median, least int) {
		if s.Counted > 0 {
			line("  a counted seed", "median %d, minimum %d", median, least)
		}
	}
	each(s.OpsMedian, s.OpsMin)
	line("unknown outcomes", "%d, %s of all calls", s.Unknown, share(s.Unknown, s.Unknown+s.Ops))
	each(s.UnknownMedian, s.UnknownMin)
	line("fail-overs", "%d", s.Failovers)
	each(s.FailoversMedian, s.FailoversMin)
	line("fault strikes", "%d, of all kinds", s.Strikes)
	each(s.StrikesMedian, s.StrikesMin)
	line("recovery", "after healing: median %v, maximum %v", s.RecoveryMedian.Round(time.Millisecond), s.RecoveryMax.Round(time.Millisecond))
	line("histories", "%s of %d partitions decided by Porcupine too", share(s.Decided, s.Partitions), s.Partitions)
	line("hash of all seeds", "%s", s.Hash)
	writeReaches(&b, "faults", s.Faults)
	writeReaches(&b, "sometimes", s.Sometimes)
	for _, r := range s.Sometimes {
		if slices.Contains(s.Rare, r.Name) {
			fmt.Fprintf(&b, "\nrare: %s was reached in %s of %d; %d in %d are demanded\n", r.Name, seeds(r.Seeds), s.Counted, floorReach, floorSeeds)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// verdicts is the one line that counts.
func (s *Totals) verdicts() string {
	var parts []string
	for _, n := range s.Broken {
		switch n.Name {
		case brokeCrash:
			parts = append(parts, "crashed in "+seeds(n.Value))
		case brokeInternal:
			parts = append(parts, "no verdict in "+seeds(n.Value)+" (the simulator panicked)")
		default:
			parts = append(parts, n.Name+" broken in "+seeds(n.Value))
		}
	}
	if s.Undecided > 0 {
		parts = append(parts, "undecided in "+seeds(s.Undecided))
	}
	if len(parts) == 0 {
		return "nothing broken, nothing undecided"
	}
	return strings.Join(parts, ", ")
}

func seeds(n uint64) string {
	if n == 1 {
		return "1 seed"
	}
	return fmt.Sprintf("%d seeds", n)
}

func writeReaches(b *strings.Builder, name string, all []Reach) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%-26s %10s %8s\n", name, "times", "seeds")
	for _, r := range all {
		if r.Demanded {
			r.Name += " *"
		}
		fmt.Fprintf(b, "  %-24s %10d %8d\n", r.Name, r.Sum, r.Seeds)
	}
}

func share(part, whole uint64) string {
	if whole == 0 {
		return "none"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}
