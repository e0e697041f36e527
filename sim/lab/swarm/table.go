package swarm

import (
	"time"

	"github.com/chubbycell/chubby/sim/experiment"
)

// Table adds up what is seen in the places of a grid.
type Table struct {
	grid []Place
	seen [][]Seen // by place
}

// NewTable is the empty table of a grid.
func NewTable(grid []Place) *Table { return &Table{grid: grid, seen: make([][]Seen, len(grid))} }

// Add takes in what was seen of the next seed in a place.
func (t *Table) Add(place int, x Seen) { t.seen[place] = append(t.seen[place], x) }

// Row is a system under a fault. Lost counts seeds in which an update was lost.
type Row struct {
	System  string            `json:"system"`
	Fault   string            `json:"fault"`
	Overlap *experiment.Share `json:"two_holders"` // seeds with two holders at once, without a fence; null here and below: not measured
	Lost    *experiment.Share `json:"lost_without_fence"`
	Write   *experiment.Share `json:"lost_with_write_fence"`          // null also where the system has no token
	Read    *experiment.Share `json:"lost_with_read_and_write_fence"` // the same
	Refused *experiment.Share `json:"holder_refused"`                 // seeds in which that fence refuses the latest holder
}

// Cost is what a system costs, without faults, and how long a dead holder blocks.
type Cost struct {
	System   string              `json:"system"`
	Messages experiment.Estimate `json:"messages_a_lock"` // between clients and the service
	HandOff  experiment.Estimate `json:"hand_off_s"`      // median
	Gap      experiment.Estimate `json:"without_holder_s"`
	Longest  float64             `json:"longest_without_holder_s"`
	Crashes  int                 `json:"crashes"` // of holders
	Never    int                 `json:"never"`   // of them, those with no holder until the end of the run
}

// Rows are the rows of all systems and faults, in the order of the grid.
func (t *Table) Rows() []Row {
	all := []Row{}
	for i, p := range t.grid {
		if p.Fault.Name == Calm.Name {
			continue
		}
		if n := len(all); n == 0 || all[n-1].System != p.System.Name || all[n-1].Fault != p.Fault.Name {
			all = append(all, Row{System: p.System.Name, Fault: p.Fault.Name})
		}
		row := &all[len(all)-1]
		lost := t.share(i, func(x *Seen) bool { return x.Lost > 0 })
		switch p.Guard.Guard {
		case noGuard.Guard:
			row.Lost, row.Overlap = lost, t.share(i, func(x *Seen) bool { return x.Overlap })
		case writeFence.Guard:
			row.Write = lost
		default:
			row.Read, row.Refused = lost, t.share(i, func(x *Seen) bool { return x.Refused > 0 })
		}
	}
	return all
}

func (t *Table) share(place int, is func(x *Seen) bool) *experiment.Share {
	hits := 0
	for i := range t.seen[place] {
		if is(&t.seen[place][i]) {
			hits++
		}
	}
	share := experiment.ShareOf(hits, len(t.seen[place]))
	return &share
}

// Costs are what the systems cost, in the order of the grid: of those that ran without faults.
func (t *Table) Costs() []Cost {
	all := []Cost{}
	for i, p := range t.grid {
		switch {
		case p.Fault.Name == Calm.Name:
			all = append(all, t.calm(i))
		case p.Fault.Name == ClientCrash && p.Guard.Guard == noGuard.Guard && len(all) > 0 && all[len(all)-1].System == p.System.Name:
			all[len(all)-1].crashes(t.seen[i])
		}
	}
	return all
}

func (t *Table) calm(place int) Cost {
	var messages, holds []uint64
	var handOffs [][]time.Duration
	for _, x := range t.seen[place] {
		messages, holds = append(messages, x.Messages), append(holds, uint64(x.Holds))
		handOffs = append(handOffs, x.HandOffs)
	}
	return Cost{System: t.grid[place].System.Name, Messages: experiment.Ratio(messages, holds), HandOff: experiment.Quantile(handOffs, 50)}
}

func (c *Cost) crashes(seen []Seen) {
	var gaps [][]time.Duration
	for _, x := range seen {
		gaps = append(gaps, x.Gaps)
		c.Crashes += len(x.Gaps) + x.Never
		c.Never += x.Never
		for _, d := range x.Gaps {
			c.Longest = max(c.Longest, d.Seconds())
		}
	}
	c.Gap = experiment.Quantile(gaps, 50)
}
