package mutants

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Report is the report of a campaign.
type Report struct {
	Book    *Book
	Mutants []Mutant // of the source tree
	Rows    []Row    // of all bugs that were considered
	Starts  int      // starts of each bug in a complete campaign
	Faults  string   // --faults of the campaign
	Versus  string   // --faults to compare with; "": none
	Command string   // the command line that makes this report
	State   string   // name of the book's file, as the report shows it
}

// CountWrong returns the number of bugs that make the suite fail; see Catch.IsWrong.
func (r *Report) CountWrong() int {
	n := 0
	for _, s := range r.scores(r.Faults, r.isCovered) {
		if s.isWrong() {
			n++
		}
	}
	return n
}

// isCovered reports whether the report covers a start.
func (r *Report) isCovered(_ *Mutant, start int) bool { return start < r.Starts }

// scores returns the score of each mutant. It uses the last hunt of each start for the present diff, if keep returns
// true for it.
func (r *Report) scores(faults string, keep func(m *Mutant, start int) bool) []score {
	var all []score
	for k := range r.Mutants {
		m := &r.Mutants[k]
		i := slices.IndexFunc(r.Rows, func(row Row) bool { return row.ID == m.ID })
		row := Row{ID: m.ID, Title: m.Title, Priority: m.Priority, Group: "of no group"}
		if i >= 0 {
			row = r.Rows[i]
		}
		if m.Control {
			row.Group = GroupControls
		}
		var hunts []Hunted
		for start := range r.starts() {
			if h := r.Book.Find(m, start, faults); h != nil && keep(m, start) {
				hunts = append(hunts, *h)
			}
		}
		all = append(all, scoreOf(row, hunts))
	}
	return all
}

// starts returns an upper bound of the starts in the book.
func (r *Report) starts() int {
	n := r.Starts
	for i := range r.Book.Hunted {
		n = max(n, r.Book.Hunted[i].Start+1)
	}
	return n
}

// groupsOf returns the groups of the rows, in their order, and then the other groups of scores.
func groupsOf(all []score, rows []Row) []string {
	var groups []string
	note := func(g string) {
		if !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	for i := range rows {
		note(rows[i].Group)
	}
	for i := range all {
		note(all[i].Group)
	}
	return groups
}

// Write writes the report in Markdown. Equal contents give equal text.
func (r *Report) Write(w io.Writer) error {
	p := &page{}
	all := r.scores(r.Faults, r.isCovered)
	r.head(p, all)
	r.totals(p, all)
	r.bugs(p, all)
	r.missed(p, all)
	if r.Versus != "" {
		r.versus(p)
	}
	r.absent(p)
	_, err := io.WriteString(w, p.String())
	return err
}

// page builds a Markdown text.
type page struct{ strings.Builder }

func (p *page) text(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// row writes a row of a table; characters that would end a cell are escaped.
func (p *page) row(cells ...string) {
	for _, c := range cells {
		p.WriteString("| " + strings.ReplaceAll(strings.ReplaceAll(c, "|", `\|`), "\n", " ") + " ")
	}
	p.WriteString("|\n")
}

func (p *page) header(cells ...string) {
	p.text("")
	p.row(cells...)
	p.WriteString(strings.Repeat("|---", len(cells)) + "|\n")
}

func (r *Report) head(p *page, all []score) {
	t := r.Book.Terms()
	p.text("# The instrument's score\n")
	p.text("Each bug of `sim/mutants` was planted, one at a time, and hunted with `chubby sim`: %s, no option that names the bug, %s.", faultsText(r.Faults), r.from())
	p.text("A hunt ends with the first property or invariant that breaks. Start k begins with seed %d + k·%d.", t.From, t.Stride)
	p.text("Medians are over all starts of a bug; one that was missed counts as longer than any, and \"–\" says that the median is such a one.")
	p.text("\"Only conformance\" marks a bug that was caught by checks of `sim/conformance` alone: a rule of this implementation was broken before any property of the cell was. Hunts of programs that did not yet tell the two apart leave it empty.")
	p.text("CPU seconds are the processor time of the simulator, without the build; counts of seeds depend on no machine.")
	if r.Starts == 1 {
		p.text("\n**This is one start of each bug**: a kill rate of one hunt says little.")
	}
	if done := r.done(all); done < len(all) {
		p.text("\n**The campaign is not over**: %d of %d bugs were hunted from every start.", done, len(all))
	}
	p.header("what", "")
	p.row("command", "`"+r.Command+"`")
	p.row("every hunt", "`"+r.State+"`")
	r.chapters(p, all)
}

// chapters writes the program and the bounds of each chapter.
func (r *Report) chapters(p *page, all []score) {
	if len(r.Book.Chapters) > 1 {
		p.text("\nSeveral programs hunted. A bug that a former one always caught stands; one that it missed is hunted again from every start, and the last hunts count. Column \"at\" says which programs a row is of.")
	}
	count := make([]int, len(r.Book.Chapters))
	for i := range all {
		for j := range all[i].hunts {
			count[all[i].hunts[j].chapter]++
		}
	}
	p.header("at", "commit", "date", "source", "machine", "each hunt at most", "hunts that count")
	for i, t := range r.Book.Chapters {
		commit := t.Commit
		if t.Modified {
			commit += ", modified"
		}
		p.row(fmt.Sprint(i+1), commit, t.Date, t.Source, t.Machine, t.limits(), fmt.Sprint(count[i]))
	}
}

// done returns how many bugs were hunted from every start.
func (r *Report) done(all []score) (n int) {
	for i := range all {
		if all[i].isComplete(r.Starts) {
			n++
		}
	}
	return n
}

// faultsText describes the faults of a campaign.
func faultsText(faults string) string {
	switch faults {
	case "swarm":
		return "the default swarm"
	case "all":
		return "every family of faults on in every seed"
	}
	return "faults " + faults
}

// from describes where hunts began.
func (r *Report) from() string {
	if r.Starts == 1 {
		return "from one start"
	}
	return fmt.Sprintf("from %d starts with different seeds", r.Starts)
}

// limits describes when a hunt ends without a catch.
func (t Terms) limits() string {
	var parts []string
	if t.CPU > 0 {
		parts = append(parts, fmt.Sprintf("%v of processor time", t.CPU))
	}
	if t.Seeds > 0 {
		parts = append(parts, fmt.Sprintf("%d counted seeds", t.Seeds))
	}
	if t.For > 0 {
		parts = append(parts, fmt.Sprintf("%v of real time", t.For))
	}
	return strings.Join(parts, " or ")
}

// totals writes the sums by group and by priority.
func (r *Report) totals(p *page, all []score) {
	p.text("\n## Totals")
	p.header("group", "priority", "bugs", "hunted", "caught from every start", "from none", "hunts", "kill rate", "CPU s")
	line := func(group, priority string, t sum) {
		p.row(group, priority, fmt.Sprint(t.bugs), fmt.Sprint(t.hunted), fmt.Sprint(t.always), fmt.Sprint(t.never),
			fmt.Sprint(t.hunts), t.rate(), seconds(t.cpu))
	}
	for _, g := range groupsOf(all, r.Rows) {
		for _, priority := range priorities {
			if t := total(all, priority, func(s *score) bool { return s.Group == g }); t.bugs > 0 {
				line(g, priority, t)
			}
		}
	}
	for _, of := range []struct {
		name string
		in   func(*score) bool
	}{{"all but controls", isBug}, {"of them, those without a note", isUnnoted}} {
		for _, priority := range priorities {
			if t := total(all, priority, of.in); t.bugs > 0 {
				line(of.name, priority, t)
			}
		}
	}
	p.text("\nA note says why a hunt may miss a bug; section \"What was missed\" has those that mattered here.")
	p.text("\nDemanded is that every bug of priority A is caught from every start, that 95 %% of the hunts for those of priority B end with a catch, and that no control is ever caught. %s", r.verdict(all))
}

var priorities = []string{"A", "B", "C"}

// verdict says how far the campaign meets the demands.
func (r *Report) verdict(all []score) string {
	a, b, notable := total(all, "A", isBug), total(all, "B", isBug), total(all, "B", isUnnoted)
	caught, controls := 0, 0
	for i := range all {
		if all[i].isControl() && len(all[i].hunts) > 0 {
			controls++
			if all[i].isWrong() {
				caught++
			}
		}
	}
	return fmt.Sprintf("Here %d of the %d of priority A that were hunted are; %d of %d hunts for B (%s), %d of %d (%s) for those without a note; and %d of the %d controls that were hunted were caught.",
		a.always, a.hunted, b.kills, b.hunts, b.rate(), notable.kills, notable.hunts, notable.rate(), caught, controls)
}

// isBug reports whether a score is of a bug, not of a control. isUnnoted reports whether, in addition, no note says that
// hunts may miss the bug.
func isBug(s *score) bool     { return !s.isControl() }
func isUnnoted(s *score) bool { return isBug(s) && s.Note == "" }

// total sums up the scores of a priority for which in returns true.
func total(all []score, priority string, in func(*score) bool) (t sum) {
	for i := range all {
		if s := &all[i]; s.Priority == priority && in(s) {
			t.add(s)
		}
	}
	return t
}

// bugs writes the table of each group.
func (r *Report) bugs(p *page, all []score) {
	for _, g := range groupsOf(all, r.Rows) {
		first := true
		for i := range all {
			s := &all[i]
			if s.Group != g {
				continue
			}
			if first {
				p.text("\n## %s", strings.ToUpper(g[:1])+g[1:])
				p.header("id", "priority", "caught", "by", "only conformance", "median seeds", "median CPU s", "at", "bug")
				first = false
			}
			seeds, cpu := s.toll()
			p.row(s.ID, s.Priority, s.outcome(), s.properties(), s.conformance(), seeds, cpu, s.at(), s.Title)
		}
	}
}

// missed writes each bug that a hunt missed, with its note.
func (r *Report) missed(p *page, all []score) {
	p.text("\n## What was missed\n")
	any := false
	for i := range all {
		s := &all[i]
		if s.isControl() || len(s.hunts) == 0 || s.kills == len(s.hunts) {
			continue
		}
		any = true
		note := "No note says why."
		if s.Note != "" {
			note = strings.ToUpper(s.Note[:1]) + s.Note[1:] + "."
		}
		p.text("- **%s** (%s, caught %s): %s. %s", s.ID, s.Priority, s.outcome(), s.Title, note)
	}
	if !any {
		p.text("Nothing.")
	}
}

// absent writes the bugs that are not planted.
func (r *Report) absent(p *page) {
	p.text("\n## Not planted\n")
	p.text("Bugs that were considered, with the reason why there is no diff.")
	p.header("id", "priority", "bug", "why not")
	for i := range r.Rows {
		if row := &r.Rows[i]; !row.IsPlanted() {
			p.row(row.ID, row.Priority, row.Title, row.Reason)
		}
	}
}
