package runner

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
)

// Totals are the numbers of a batch. Their JSON form is part of what
// `chubby sim -o json` promises: fields are added, never renamed or removed.
type Totals struct {
	Seeds     uint64 `json:"seeds"`     // all seeds that ran
	Counted   uint64 `json:"counted"`   // nothing broke, and the run is above the floors (cell.FloorTime, cell.FloorOps)
	Idle      uint64 `json:"idle"`      // nothing broke, but the run is below the floors
	Failed    uint64 `json:"failed"`    // a property or invariant broke, or code panicked
	Crashed   uint64 `json:"crashed"`   // how many of Failed panicked without breaking an invariant
	Internal  uint64 `json:"internal"`  // how many of Failed have no verdict because the simulator itself panicked
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
	Unknown         uint64 `json:"unknown"` // unknown outcomes
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

	Broken    []cell.Number `json:"broken"` // failed seeds by property; "crash" and "internal" for panics
	Faults    []Reach       `json:"faults"`
	Sometimes []Reach       `json:"sometimes"`
	Counters  []Reach       `json:"counters,omitempty"` // of the world, for runs with an extension
	Rare      []string      `json:"rare"`               // demanded situations reached in too few seeds; judged from 10,000 counted seeds on

	// Hash covers number and hash of every seed, in order. Two batches with equal hashes had the
	// same runs.
	Hash string `json:"hash"`
}

// WriteTable writes the numbers as text. With more, it adds medians and minima of counted seeds,
// how often each kind of fault struck, and how often each rare situation was reached.
func (s *Totals) WriteTable(w io.Writer, more bool) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-20s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("seeds", "%d counted, %d idle, %d failed", s.Counted, s.Idle, s.Failed)
	line("verdicts", "%s", s.verdicts())
	line("simulated time", "%v in %v, %.0f times real time", s.Simulated.Round(time.Second), s.Elapsed.Round(100*time.Millisecond), s.Ratio)
	line("events", "%d, %.0f per second", s.Events, s.PerSecond)
	line("operations", "%d answered, %s on the contended row", s.Ops, share(s.Hot, s.Ops))
	each := func(median, least int) {
		if more && s.Counted > 1 { // for one seed, they equal the line above
			line("  per counted seed", "median %d, minimum %d", median, least)
		}
	}
	each(s.OpsMedian, s.OpsMin)
	line("unknown outcomes", "%d, %s of all calls", s.Unknown, share(s.Unknown, s.Unknown+s.Ops))
	each(s.UnknownMedian, s.UnknownMin)
	line("fail-overs", "%d", s.Failovers)
	each(s.FailoversMedian, s.FailoversMin)
	line("fault strikes", "%d, of %s", s.Strikes, kinds(s.Faults))
	each(s.StrikesMedian, s.StrikesMin)
	line("recovery", "last call ended after healing: median %v, maximum %v", s.RecoveryMedian.Round(time.Millisecond), s.RecoveryMax.Round(time.Millisecond))
	line("histories", "%s of %d partitions also decided by Porcupine", share(s.Decided, s.Partitions), s.Partitions)
	line("hash of all seeds", "%s", s.Hash)
	for _, r := range s.Sometimes {
		if slices.Contains(s.Rare, r.Name) {
			line("rare", "%s was reached in %s of %d; %d in %d are required", r.Name, seeds(r.Seeds), s.Counted, floorReach, floorSeeds)
		}
	}
	if more {
		writeReaches(&b, "faults", s.Faults)
		writeReaches(&b, "sometimes", s.Sometimes)
		writeReaches(&b, "counters", s.Counters)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Counter returns the counter of this name (World.Count); its Sum is 0 if nothing counted.
func (s *Totals) Counter(name string) Reach {
	for _, c := range s.Counters {
		if c.Name == name {
			return c
		}
	}
	return Reach{Name: name}
}

// verdicts returns the most important line: what broke, in how many seeds.
func (s *Totals) verdicts() string {
	var parts []string
	for _, n := range s.Broken {
		switch n.Name {
		case cell.Crashed:
			parts = append(parts, "crashed in "+seeds(n.Value))
		case cell.NoVerdict:
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

// kinds returns of how many kinds faults struck.
func kinds(faults []Reach) string {
	n := 0
	for _, f := range faults {
		if f.Sum > 0 {
			n++
		}
	}
	if n == 1 {
		return "1 kind"
	}
	return fmt.Sprintf("%d kinds", n)
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
