package story

import (
	"regexp"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/moments"
)

// withdrawn is in the text of an answer to a call that was withdrawn, and so had no effect.
var withdrawn = client.ErrWithdrawn.Error()

// Limits for a break that came with an answer to a program.
const (
	mostAlike = 2 // earlier answers to calls of the same name, each with the next answer to its program
	mostOwn   = 2 // earlier answers to the same program, and to each other program that the report names
)

// told returns answers to programs that may explain a break that came with an answer. A user's checker mostly reports
// what programs said, and names nothing else that this package recognizes. The answers are:
//   - answers to calls of the same name ("mail 7" is sent twice), the latest first, each with the next answer to its
//     program;
//   - the last answers to other programs and clients that the report names, and the last session that ended since;
//   - the last answers to the program of the break before it.
func (l log) told(about *subjects, end, room int) (all []int) {
	last := moments.None
	for i := end - 1; i >= 0 && l.Broke != moments.None && l.All[i].At == l.All[l.Broke].At; i-- {
		if m := &l.All[i]; m.Kind == moments.Told && m.Who == l.All[l.Broke].Who {
			last = i
			break
		}
	}
	if last == moments.None {
		return l.toldNamed(end, room)
	}
	next := map[event.ProgramID]int{} // the first answer to each program after moment i
	var own []int
	alike, others := 0, map[event.ProgramID]int{}
	for i := last - 1; i >= 0; i-- {
		m := &l.All[i]
		switch after, known := next[m.Program]; {
		case m.Kind != moments.Told:
			continue
		case m.Call == l.All[last].Call && alike < mostAlike:
			alike++
			if all = append(all, i); known && after != last && !slices.Contains(all, after) {
				all = append(all, after)
			}
		case m.Program == l.All[last].Program && len(own) < mostOwn:
			own = append(own, i)
		case others[m.Program] < mostOwn && (m.Who != l.All[last].Who && about.machines[m.Who] || l.isNamed(m.Program)):
			others[m.Program]++
			all = append(all, i)
		}
		next[m.Program] = i
	}
	if len(all) > 0 {
		all = append(all, l.expiry(slices.Min(all), last)...)
	}
	for _, i := range own {
		if !slices.Contains(all, i) {
			all = append(all, i)
		}
	}
	return all[:min(len(all), room)]
}

// toldNamed returns the last answers to, and notes of, each program that the report of a break names. The break came in
// the middle of a program's work.
func (l log) toldNamed(end, room int) (all []int) {
	if l.Broke == moments.None {
		return nil
	}
	seen := map[event.ProgramID]int{}
	for i := end - 1; i >= 0 && len(all) < room; i-- {
		m := &l.All[i]
		if m.Kind == moments.Told && seen[m.Program] < mostOwn && !strings.Contains(m.Text, withdrawn) && l.isNamed(m.Program) {
			seen[m.Program]++
			all = append(all, i)
		}
	}
	return all
}

// isNamed reports whether the report of the break names a program.
func (l log) isNamed(p event.ProgramID) bool {
	_, rest, found := strings.Cut(l.All[l.Broke].Text, p.String())
	return found && !(rest != "" && rest[0] >= '0' && rest[0] <= '9') // c1 is not c12
}

// mostNotes is how many notes and answers are told of the numbered things that the report of a user's check names.
const mostNotes = 4

var (
	numberedThing = regexp.MustCompile(`\b([a-z]{2,})[ _#-](\d+)\b`)
	// partOf matches a thing that says which part of another thing is meant: all jobs have a step 2.
	partOf = regexp.MustCompile(`\b[a-z]{2,}[ _#-]\d+ (?:of|in) (?:the )?([a-z]{2,}[ _#-]\d)`)
	// notAThing are words before numbers that say something else: which program or call it was, when, or how much.
	notAThing = regexp.MustCompile(`^(?:program|session|client|replica|node|call|seq|slot|epoch|seed|event|generation|of|by|to|in|at|is|was|after|before|than|and|or|from|has|had|for|with)$`)
)

// numbered returns what matches the numbered things of a report, such as "job 24" or "job-24". Of "step 2 of job 16" it is
// the job alone.
func numbered(report string) (all []*regexp.Regexp) {
	for _, found := range numberedThing.FindAllStringSubmatch(partOf.ReplaceAllString(report, "$1"), -1) {
		if !notAThing.MatchString(found[1]) {
			all = append(all, regexp.MustCompile(`\b`+found[1]+`[ _#-]`+found[2]+`\b`))
		}
	}
	return all
}

var rowNamed = regexp.MustCompile(`\brow ([\w./-]{2,60})`)

// rowsNamed returns what matches the rows that the report of a user's check names, such as "row ledger/1".
func rowsNamed(report string) (all []*regexp.Regexp) {
	for _, found := range rowNamed.FindAllStringSubmatch(report, -1) {
		all = append(all, regexp.MustCompile(`\b`+regexp.QuoteMeta(found[1])+`\b`))
	}
	return all
}

// executedOn returns the last commands that mention one of some things: what the log made of the calls on it.
func (l log) executedOn(things []*regexp.Regexp, end, room int) (all []int) {
	for i := end - 1; i >= 0 && len(all) < room; i-- {
		if m := &l.All[i]; m.Kind == moments.Executes && matches(things, m.Text) {
			all = append(all, i)
		}
	}
	return all
}

// notesOn returns notes and answers of programs that mention one of some things. They tell which program did what to the
// thing, and when, even if the programs that the report names have gone on with other things since. The thing that is
// mentioned least often comes first: of "worker 3 finished job 16" that is mostly the job. Of one thing, the last and the
// first note of each program come before others, the latest program first.
func (l log) notesOn(things []*regexp.Regexp, end, room int) (all []int) {
	var on [][]int // of each thing, the latest first
	for _, thing := range things {
		var of []int
		for i := end - 1; i >= 0; i-- {
			if m := &l.All[i]; m.Kind == moments.Told && !strings.Contains(m.Text, withdrawn) && thing.MatchString(m.Text) {
				of = append(of, i)
			}
		}
		if len(of) > 0 {
			on = append(on, of)
		}
	}
	slices.SortStableFunc(on, func(a, b []int) int { return len(a) - len(b) })
	for _, of := range on {
		for _, i := range byProgram(l, of) {
			if len(all) < room && !slices.Contains(all, i) {
				all = append(all, i)
			}
		}
	}
	return all
}

// byProgram orders moments of programs, the latest of which is the first: for each program its last and its first one, and
// then the others.
func byProgram(l log, latest []int) (all []int) {
	ends := map[event.ProgramID][2]int{}
	var programs []event.ProgramID
	for _, i := range latest {
		p := l.All[i].Program
		e, known := ends[p]
		if !known {
			e[0] = i
			programs = append(programs, p)
		}
		e[1] = i
		ends[p] = e
	}
	for _, p := range programs {
		all = append(all, ends[p][0], ends[p][1])
	}
	return append(all, latest...)
}

// mostCut is how many moments are told of programs that may have been stopped in the middle of their work.
const mostCut = 4

// cutShort returns the latest call without an answer of each program, with the note that the program made just before
// it. Such a program may have done half of its work, and a user's check does not name it.
func (l log) cutShort(known []int, end, room int) (all []int) {
	seen := map[event.ProgramID]bool{}
	add := func(i int) {
		if len(all) < room && !slices.Contains(known, i) {
			all = append(all, i)
		}
	}
	for i := end - 1; i >= 0 && len(all) < room; i-- {
		m := &l.All[i]
		if !m.Cut || seen[m.Program] || l.Broke != moments.None && m.At == l.All[l.Broke].At {
			continue
		}
		seen[m.Program] = true
		add(i)
		for j := i - 1; j >= 0; j-- {
			if n := &l.All[j]; n.Kind == moments.Told && n.Program == m.Program {
				if n.Note {
					add(j)
				}
				break
			}
		}
	}
	return all
}

// expiry returns the last Expire command between two moments, if there is one: a session that ends loses its locks.
func (l log) expiry(from, to int) []int {
	for i := to - 1; i > from; i-- {
		if m := &l.All[i]; m.Kind == moments.Executes && strings.HasPrefix(m.Text, "Expire ") {
			return []int{i}
		}
	}
	return nil
}
