package torture

import (
	"time"
)

// Report is what a run found.
type Report struct {
	Verdict     string         `json:"verdict"` // clean, broken, undecided, interrupted
	Violations  []Violation    `json:"violations"`
	Seed        uint64         `json:"seed"`
	Seconds     float64        `json:"seconds"` // with faults
	Replicas    int            `json:"replicas"`
	Clients     int            `json:"clients"`
	Faults      map[string]int `json:"faults"`    // by kind
	Kills       int            `json:"kills"`     // replicas that were killed, and not resumed
	Failovers   int            `json:"failovers"` // masters behind the first one
	Operations  int64          `json:"operations"`
	Rows        int64          `json:"rows"`  // calls on rows that were answered
	Files       int64          `json:"files"` // calls on files that were answered
	Locks       int64          `json:"locks"` // locks that were acquired
	Events      int64          `json:"events"`
	Unknown     int            `json:"unknown"`       // calls whose outcome their client does not know
	Failed      int            `json:"failed"`        // calls that were not executed
	Lost        int            `json:"sessions_lost"` // sessions
	LongestGap  float64        `json:"longest_gap_seconds"`
	GapDuring   string         `json:"longest_gap_during,omitempty"` // the fault
	Histories   int            `json:"histories"`
	Undecided   int            `json:"undecided"`                      // histories that the search gave up
	Placed      int            `json:"placed"`                         // calls that were found in the log
	Slots       int            `json:"slots"`                          // of the log, that replicas applied
	Holes       int            `json:"holes"`                          // slots of which no replica tells
	Dir         string         `json:"dir,omitempty"`                  // of the run, if it stays: something broke, or is undecided
	FirstBroken float64        `json:"first_broken_seconds,omitempty"` // since the faults began
}

// Violation is a property that does not hold.
type Violation struct {
	Property string `json:"property"`
	Text     string `json:"text"`
	File     string `json:"file,omitempty"` // the history
}

// The verdicts.
const (
	Clean       = "clean"
	Broken      = "broken"
	Undecided   = "undecided"
	Interrupted = "interrupted"
)

// gap is the longest time without an answer.
type gap struct {
	last    time.Duration // when the last answer came
	longest time.Duration
	during  string
}

// answered takes down an answer.
func (g *gap) answered(at time.Duration, fault string) {
	if d := at - g.last; d > g.longest && g.last != 0 {
		g.longest, g.during = d, fault
	}
	g.last = at
}
