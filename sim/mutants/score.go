package mutants

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// score sums up the hunts for one bug from all starts.
type score struct {
	Row
	hunts     []Hunted      // by start; starts without a hunt are left out
	kills     int           // hunts that caught the bug
	seeds     uint64        // median of seeds until the catch; a miss counts as more than any catch
	cpu       time.Duration // the same median of processor time
	hasMedian bool          // false: the median is a miss, and seeds and cpu are 0
}

// scoreOf returns the score of the hunts for one bug.
func scoreOf(r Row, hunts []Hunted) score {
	s := score{Row: r, hunts: hunts}
	slices.SortFunc(s.hunts, func(a, b Hunted) int { return cmp.Compare(a.Start, b.Start) })
	var seeds []uint64
	var cpu []time.Duration
	for i := range s.hunts {
		if h := &s.hunts[i]; h.Outcome == Caught {
			s.kills++
			seeds, cpu = append(seeds, h.Seeds), append(cpu, h.CPU)
		}
	}
	// This is the lower median of all hunts; misses are last.
	if at := (len(s.hunts) - 1) / 2; at < s.kills {
		slices.Sort(seeds)
		slices.Sort(cpu)
		s.seeds, s.cpu, s.hasMedian = seeds[at], cpu[at], true
	}
	return s
}

// isComplete reports whether the bug was hunted from every start.
func (s *score) isComplete(starts int) bool { return len(s.hunts) == starts }

// isControl reports whether the row is a control, which must not be caught.
func (s *score) isControl() bool { return s.Group == GroupControls }

// isWrong reports whether a hunt for this bug makes the suite fail.
func (s *score) isWrong() bool {
	return slices.ContainsFunc(s.hunts, func(h Hunted) bool { return h.IsWrong() })
}

// outcome describes in how many hunts the bug was caught, and the other outcomes.
func (s *score) outcome() string {
	if len(s.hunts) == 0 {
		return "not hunted"
	}
	text := fmt.Sprintf("%d of %d", s.kills, len(s.hunts))
	for _, o := range []Outcome{Crashed, Unbuilt} {
		n := 0
		for i := range s.hunts {
			if s.hunts[i].Outcome == o {
				n++
			}
		}
		if n > 0 {
			text += fmt.Sprintf(", %s %d", o, n)
		}
	}
	return text
}

// properties returns the properties that caught the bug, the most frequent first.
func (s *score) properties() string {
	type seen struct {
		id string
		n  int
	}
	var all []seen
	for _, h := range s.hunts {
		if h.Outcome != Caught {
			continue
		}
		i := slices.IndexFunc(all, func(p seen) bool { return p.id == h.Property })
		if i < 0 {
			i = len(all)
			all = append(all, seen{id: h.Property})
		}
		all[i].n++
	}
	slices.SortFunc(all, func(a, b seen) int { return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.id, b.id)) })
	var parts []string
	for _, p := range all {
		if len(all) == 1 {
			return p.id
		}
		parts = append(parts, fmt.Sprintf("%s (%d)", p.id, p.n))
	}
	return strings.Join(parts, ", ")
}

// conformance returns "yes" if only conformance checks caught the bug.
func (s *score) conformance() string {
	by := 0
	for i := range s.hunts {
		if s.hunts[i].Outcome == Caught && s.hunts[i].Conformance {
			by++
		}
	}
	if by > 0 && by == s.kills {
		return "yes"
	}
	return ""
}

// at returns the numbers of the chapters of the hunts, from 1.
func (s *score) at() string {
	var all []int
	for i := range s.hunts {
		all = append(all, s.hunts[i].chapter+1)
	}
	slices.Sort(all)
	return strings.Trim(fmt.Sprint(slices.Compact(all)), "[]")
}

// toll returns the median cost of a catch, in seeds and in seconds of processor time.
func (s *score) toll() (seeds, cpu string) {
	switch {
	case len(s.hunts) == 0:
		return "", ""
	case !s.hasMedian:
		return "–", "–"
	}
	return fmt.Sprint(s.seeds), seconds(s.cpu)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }

// sum adds up the scores of several bugs.
type sum struct {
	bugs, hunted, always, never int           // bugs; bugs hunted at all, caught from every start, caught from none
	hunts, kills                int           // hunts; hunts that caught their bug
	cpu                         time.Duration // of all hunts
}

func (t *sum) add(s *score) {
	t.bugs++
	if len(s.hunts) > 0 {
		t.hunted++
		if s.kills == len(s.hunts) {
			t.always++
		}
		if s.kills == 0 {
			t.never++
		}
	}
	t.hunts += len(s.hunts)
	t.kills += s.kills
	for i := range s.hunts {
		t.cpu += s.hunts[i].CPU
	}
}

// rate returns the share of hunts that ended with a catch.
func (t *sum) rate() string {
	if t.hunts == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(t.kills)/float64(t.hunts))
}
