package lessons

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// MaxStory is how many lines a lesson has at most.
const MaxStory = 25

// Directory is where the programs are, from the root of the module.
const Directory = "sim/lab/lessons/"

// Tell is a lesson on one page: the time line of the program with index i, then, where i is that of
// a wrong program, that of the last right one from where they part, then what became of
// all. all are the findings of Play.
func (l *Lesson) Tell(all []Finding, i int) []string {
	lines := lab.Wrapped("", fmt.Sprintf("%s: %s", l.Name, l.Title))
	var end []string
	for k := range all {
		end = append(end, all[k].lines()...)
	}
	end = append(end, lab.Wrapped("lesson  ", l.Says)...)
	room := MaxStory - len(lines) - len(end)
	shown := &all[i]
	right := &all[len(all)-1]
	apart := parted(right.Outcome.Lines, shown.Outcome.Lines)
	lines, room = append(lines, l.head(shown)), room-1
	if !shown.Wrong || len(apart) == 0 {
		return append(append(lines, timeLine(&shown.Outcome, shown.Outcome.Lines, room)...), end...)
	}
	second := min(room/3, len(apart))
	lines = append(lines, timeLine(&shown.Outcome, shown.Outcome.Lines, room-1-second)...)
	lines = append(lines, l.head(right)+", from where they part")
	return append(append(lines, timeLine(&right.Outcome, apart, second)...), end...)
}

func (f *Finding) kind() string {
	if f.Wrong {
		return "wrong"
	}
	return "right"
}

// head says which program a time line is of.
func (l *Lesson) head(f *Finding) string {
	return fmt.Sprintf("%s: %s in %s%s; resource: %s", f.kind(), f.Program, Directory, l.File, f.Guard)
}

// lines are a finding in words.
func (f *Finding) lines() []string {
	what := f.Harm
	if what == "" {
		what = "no harm"
	}
	if f.Shows != "" {
		what += " (" + f.Shows + ")"
	}
	if !f.Holds() {
		what += "; NOT AS THE LESSON SAYS"
	}
	return lab.Wrapped(f.kind()+"   ", fmt.Sprintf("%s, %s, %s: %s", f.Program, f.Note, f.Guard, what))
}

// parted are the lines of one from the first at which it is not the other's.
func parted(one, other []lab.Line) []lab.Line {
	for i := range one {
		if i == len(other) || one[i] != other[i] {
			return one[i:]
		}
	}
	return nil
}

// timeLine is the lines of an outcome, of those that are given, at most so many: routine is left out first.
func timeLine(o *lab.Outcome, lines []lab.Line, most int) []string {
	left := 0
	if len(lines) > most {
		kept := telling(o, lines, most-1)
		left, lines = len(lines)-len(kept), kept
	}
	width := 0
	for _, x := range lines {
		width = max(width, len(x.Who))
	}
	var text []string
	for _, x := range lines {
		text = append(text, short(fmt.Sprintf("%8.3f  %-*s  %s", x.At.Seconds(), width, x.Who, x.Text)))
	}
	if left > 0 {
		text = append(text, fmt.Sprintf("     ...  %d lines of routine are left out (-o json has all)", left))
	}
	return text
}

// telling leaves the lines that say most, in their order: what faults do and what late holders do;
// then what became of it; then the rest.
func telling(o *lab.Outcome, lines []lab.Line, most int) []lab.Line {
	late, lost := map[time.Duration]bool{}, map[time.Duration]bool{} // instants
	for i := range o.Writes {
		w := &o.Writes[i]
		late[w.At] = late[w.At] || w.Stale || !w.Accepted
		lost[w.At] = lost[w.At] || w.Lost
	}
	if len(o.Overlaps) > 0 {
		late[o.Overlaps[0].From] = true
	}
	strikes := map[time.Duration]bool{}
	for _, f := range o.Faults {
		strikes[f.From] = true
	}
	class := func(x lab.Line) int {
		switch {
		case strings.HasPrefix(x.Text, "gives ") || strings.HasPrefix(x.Text, "the key is past"):
			return 3
		case late[x.At] || strikes[x.At] || x.Text == "runs again":
			return 0
		case lost[x.At] || x.Who == bank || x.Who == pages:
			return 1
		}
		return 2
	}
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return class(lines[i]) - class(lines[j]) })
	order = order[:most]
	slices.Sort(order)
	var kept []lab.Line
	for _, i := range order {
		kept = append(kept, lines[i])
	}
	return kept
}

// short cuts what does not fit into a line.
func short(line string) string {
	if r := []rune(line); len(r) > lab.Columns {
		return string(r[:lab.Columns-3]) + "..."
	}
	return line
}
