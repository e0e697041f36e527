package story

import (
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/moments"
)

// candidate is a moment that may be told.
type candidate struct {
	i     int
	who   sim.Addr
	kind  string
	verb  string // what is done
	names uint64 // which things of the report it names
	past  bool   // what broke may come from it
	fresh bool   // it went wrong since, or with it
	call  bool   // it is a call that the report names, or its command or answer
	meant bool   // it is a command of a slot that the report names, or between the walk that found it and the one before
}

// outdoes says that c says of the same doings of the same machine all that d does.
func (c candidate) outdoes(d candidate) bool {
	return c.past == d.past && c.who == d.who && c.kind == d.kind && c.verb == d.verb && c.names&d.names == d.names
}

// picks goes back from the break and takes, of each machine and each sort of deed, the latest
// that names what the report names: of the past of the break first, and then of what the
// machine that broke could not know of. There is room for so many: those that name most are
// kept, if they name half as much as the best, or are commands that are meant or calls that it names. They come in the order in which they happened. Where the check is a user's,
// what programs were told comes before all that. Where it went wrong behind moment from, what came since goes first, and
// the log's latest commands since then are told whatever they name; None: that is not known.
func (l log) picks(about *subjects, past []bool, room, from int, ofUser bool) []int {
	end := len(l.All)
	if l.Broke != moments.None {
		end = l.Broke
	}
	report := ""
	if l.Broke != moments.None {
		report = l.All[l.Broke].Text
	}
	var all []candidate
	for i := end - 1; i >= 0; i-- {
		m := &l.All[i]
		switch m.Kind {
		case moments.Acts, "fault", "failed", "send", "NOTED":
			continue
		}
		if ofUser && m.Kind == moments.Told && strings.Contains(m.Text, withdrawn) && !strings.Contains(report, m.Program.String()) {
			continue // it did nothing
		}
		fresh := from != moments.None && i >= from
		c := candidate{
			i: i, who: m.Who, kind: m.Kind, verb: verb(m), names: about.in(m.Text), past: past[i] || m.Who == 0, fresh: fresh,
			call:  matches(about.calls, m.Text),
			meant: m.Kind == moments.Executes && (about.means(m.Text) || fresh && !l.isOfStep(from)),
		}
		if c.names&^about.records == 0 && !about.machines[c.who] {
			c.names = 0 // each log has its own numbers
		}
		if c.names != 0 && !slices.ContainsFunc(all, func(o candidate) bool { return o.outdoes(c) }) {
			all = slices.DeleteFunc(all, c.outdoes)
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return l.weight(b, about) - l.weight(a, about) })
	best := 0
	for _, c := range all {
		best = max(best, bits.OnesCount64(c.names))
	}
	var picked []int
	if ofUser {
		picked = l.told(about, end, room)
		picked = append(picked, l.cutShort(picked, end, min(mostCut, room-len(picked)))...)
	}
	executed := l.executedSince(from, end, min(mostExecuted, room-len(picked)))
	isNamed := func(c candidate) bool { return c.fresh && c.kind == moments.Executes }
	if len(executed) > 0 && !l.isOfStep(from) && slices.ContainsFunc(all, isNamed) {
		executed = nil // it is known which
	}
	for _, c := range meantFirst(all) {
		left := room - len(picked)
		for _, i := range executed {
			if !slices.Contains(picked, i) && i != c.i {
				left--
			}
		}
		if left <= 0 {
			break
		}
		isOfSome := c.meant || c.call || 2*bits.OnesCount64(c.names) >= best
		if isOfSome && !slices.Contains(picked, c.i) {
			picked = append(picked, c.i)
		}
	}
	for _, i := range executed {
		if !slices.Contains(picked, i) {
			picked = append(picked, i)
		}
	}
	slices.Sort(picked)
	return picked
}

// mostMeant is how many commands that are meant come before all else.
const mostMeant = 3

// meantFirst has the first few commands that are meant in front.
func meantFirst(all []candidate) []candidate {
	var first, others []candidate
	for _, c := range all {
		if c.meant && len(first) < mostMeant {
			first = append(first, c)
		} else {
			others = append(others, c)
		}
	}
	return append(first, others...)
}

// isOfStep says that a moment is of the step of the break.
func (l log) isOfStep(i int) bool {
	return l.Broke != moments.None && l.All[i].Step == l.All[l.Broke].Step
}

// mostExecuted is how many commands are told for their time alone.
const mostExecuted = 2

// executedSince are the latest commands between two moments, one of each kind and session; none, if from is None.
func (l log) executedSince(from, end, room int) (all []int) {
	if from == moments.None {
		return nil
	}
	if l.isOfStep(from) { // what else the step executed, though it came to that behind the break
		for end < len(l.All) && l.All[end].Step == l.All[l.Broke].Step {
			end++
		}
	}
	seen := map[string]bool{}
	for i := end - 1; i >= from && len(all) < room; i-- {
		m := &l.All[i]
		if m.Kind != moments.Executes || seen[verb(m)] {
			continue
		}
		seen[verb(m)] = true
		all = append(all, i)
	}
	return all
}

// mostLast is how many moments of a machine are told where nothing speaks of what the report names.
const mostLast = 4

// lastOf are the last moments of a machine in which its process began or ended, its disk was damaged, failed, gave back
// what it had, or got a snapshot, it changed an opinion, or a program of it was told of a call: some reports name nothing
// else. With disk, records that its disk got are among them.
func (l log) lastOf(who sim.Addr, room int, disk bool) (all []int) {
	end := len(l.All)
	if l.Broke != moments.None {
		end = l.Broke
	}
	for i := end - 1; i >= 0 && who != 0 && len(all) < room; i-- {
		switch m := &l.All[i]; {
		case m.Who != who || m.Link() != 0:
		case m.Kind == "fault" && m.At > 0, m.Kind == "failed", m.Kind == moments.Believes, m.Kind == moments.Told, moments.IsOfWhole(m), disk && m.Kind == moments.Durable:
			all = append(all, i)
		}
	}
	slices.Reverse(all)
	return all
}

// Most answers to programs that are told where the break came with one.
const (
	mostAlike = 2 // to calls of the same name, each with what its program was told next
	mostOwn   = 2 // before it, to its program, and to each that is named
)

// told are answers to programs that may explain a break which came with one: those to calls that their programs named
// alike ("mail 7" is sent twice), the latest first, each with what its program was told next; what other programs and machines were told last that
// the report names, and the last session that ended since; and what the program of the break was told before. A checker of a user's program mostly speaks of what programs
// said, and names nothing else that this package knows.
func (l log) told(about *subjects, end, room int) (all []int) {
	last := moments.None
	for i := end - 1; i >= 0 && l.Broke != moments.None && l.All[i].At == l.All[l.Broke].At; i-- {
		if m := &l.All[i]; m.Kind == moments.Told && m.Who == l.All[l.Broke].Who {
			last = i
			break
		}
	}
	if last == moments.None {
		return nil
	}
	next := map[event.ProgramID]int{} // what each program was told behind i
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
		case others[m.Program] < mostOwn && (m.Who != l.All[last].Who && about.machines[m.Who] || strings.Contains(l.All[l.Broke].Text, m.Program.String())):
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

// mostCut is how many moments are told of programs that were stopped in the middle.
const mostCut = 4

// cutShort are the latest calls of programs that ended without an answer, one of each program, each with what the program had
// noted before: half of what a program does may be done, and its checks know nothing of it.
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

// expiry is the last end of a session between two moments, if there is one: what a program held goes with its session.
func (l log) expiry(from, to int) []int {
	for i := to - 1; i > from; i-- {
		if m := &l.All[i]; m.Kind == moments.Executes && strings.HasPrefix(m.Text, "Expire ") {
			return []int{i}
		}
	}
	return nil
}

// verb is what is done: the first word of a text, and of what comes behind a colon, which is the op of a call; of a
// command, with the session for which it is.
func verb(m *moments.Moment) string {
	word, rest, _ := strings.Cut(m.Text, " ")
	if m.Kind == moments.Executes {
		return word + forSession.FindString(rest)
	}
	if m.Kind == moments.Told {
		_, rest, _ = strings.Cut(rest, "): ") // the program
	}
	_, op, _ := strings.Cut(rest, ": ")
	op, _, _ = strings.Cut(op, " ")
	return word + " " + op
}

var forSession = regexp.MustCompile(`\bsession \d+`)

// keepsAlive are calls of sessions that come and go whatever else is done in them, and their answers.
var keepsAlive = regexp.MustCompile(`: keep-alive |: ok lease `)

// withdrawn is what the end of a call says that had no effect.
var withdrawn = client.ErrWithdrawn.Error()

// weight is what speaks for a moment: what it names; that it is of a machine that the report
// names, or of a call that it names; that it is an opinion, or lasts on a disk; and that the break may come from it. What keeps sessions alive counts less
// where the report says nothing of leases.
func (l log) weight(c candidate, about *subjects) int {
	n := 4 * bits.OnesCount64(c.names)
	if about.machines[c.who] {
		n += 2
	}
	if c.kind == moments.Believes || c.kind == moments.Told || c.kind == moments.Durable {
		n++
	}
	if !c.past {
		n -= 3
	}
	if c.fresh {
		n += 3
	}
	if c.call {
		n += 6
	}
	if !about.ofLeases && keepsAlive.MatchString(l.All[c.i].Text) {
		n -= 4
	}
	return n
}
