package mutants

import (
	"fmt"
	"time"
)

// Sample returns at most n of the planted bugs, spread evenly over their order, the same ones in each call. It leaves
// out controls, and bugs that a hunt may miss (Row.Note).
func Sample(all []Mutant, rows []Row, n int) []Mutant {
	mayMiss := map[string]bool{}
	for i := range rows {
		mayMiss[rows[i].ID] = rows[i].Note != ""
	}
	var fit []Mutant
	for _, m := range all {
		if !m.Control && !mayMiss[m.ID] {
			fit = append(fit, m)
		}
	}
	if len(fit) <= n {
		return fit
	}
	var some []Mutant
	for i := range n {
		some = append(some, fit[i*len(fit)/n])
	}
	return some
}

// versus compares two values of --faults by the bugs that one program hunted with both.
func (r *Report) versus(p *page) {
	both := func(m *Mutant, start int) bool {
		return start < r.Starts && r.Book.IsCompared(m, start, r.Faults, r.Versus)
	}
	first, second := r.scores(r.Faults, both), r.scores(r.Versus, both)
	p.text("\n## %s against %s\n", r.Faults, r.Versus)
	p.text("The same bugs from the same starts, each hunted twice by one program: once with %s, once with %s. A hunt that missed counts with all it spent.", faultsText(r.Faults), faultsText(r.Versus))
	p.header("id", "caught, "+r.Faults, "caught, "+r.Versus, "median CPU s, "+r.Faults, "median CPU s, "+r.Versus, "all CPU s, "+r.Faults, "all CPU s, "+r.Versus)
	var a, b sum
	quicker, slower := 0, 0
	for i := range first {
		x, y := &first[i], &second[i]
		if len(x.hunts) == 0 {
			continue
		}
		var one, two sum
		one.add(x)
		two.add(y)
		a.add(x)
		b.add(y)
		_, xcpu := x.toll()
		_, ycpu := y.toll()
		p.row(x.ID, x.outcome(), y.outcome(), xcpu, ycpu, seconds(one.cpu), seconds(two.cpu))
		switch before(x, y) {
		case -1:
			quicker++
		case 1:
			slower++
		}
	}
	p.row("all", fmt.Sprintf("%d of %d", a.kills, a.hunts), fmt.Sprintf("%d of %d", b.kills, b.hunts), "", "", seconds(a.cpu), seconds(b.cpu))
	p.text("\nBy its median %s found %d bugs sooner than %s, and %d later. Catches for each hour of processor time: %s with %s, %s with %s.",
		r.Faults, quicker, r.Versus, slower, hourly(a), r.Faults, hourly(b), r.Versus)
}

// before compares the median processor times of two scores: -1, 0 or 1. A missing median is larger than any.
func before(x, y *score) int {
	switch {
	case x.hasMedian && (!y.hasMedian || x.cpu < y.cpu):
		return -1
	case y.hasMedian && (!x.hasMedian || y.cpu < x.cpu):
		return 1
	}
	return 0
}

// hourly returns the number of catches for each hour of processor time.
func hourly(t sum) string {
	if t.cpu <= 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", float64(t.kills)*float64(time.Hour)/float64(t.cpu))
}
