package story

import (
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/moments"
)

// candidate is a moment that may be told.
type candidate struct {
	i       int // in Log.All
	who     sim.Addr
	peer    sim.Addr // of a message from a machine that the report names
	kind    string
	verb    string // see the function verb
	names   uint64 // the things of the report that it mentions
	past    bool   // the break may come from it, or it is of no machine
	fresh   bool   // it is at or after firstSuspect
	call    bool   // it mentions a call that the report names: the call, its command or its answer
	suspect bool   // it is a command in a slot or at a time that the report names, or one between the audit that failed and the one before
	between bool   // it is a command between two times that the report names
}

// wrongCall stands, among the things, for the wrong call of a history. Its messages and its command name it by session
// and number.
const wrongCall = 1 << 63

// namedTime stands, among the things, for a command at a time that the report names, which mentions nothing else of it.
const namedTime = 1 << 62

var callSent = regexp.MustCompile(`^call #\d+ session (\d+) seq (\d+)`)

// callsIn returns what matches the texts on the calls that the client of a window sent in it.
func (l log) callsIn(w window) (all []*regexp.Regexp) {
	for i := range l.All {
		m := &l.All[i]
		if !w.has(m) || keepsAlive.MatchString(m.Text) {
			continue
		}
		if found := callSent.FindStringSubmatch(m.Text); found != nil {
			all = append(all, callForm(found[1], found[2]))
		}
	}
	return all
}

// covers reports whether c is the same action of the same machine as d, and mentions all things that d mentions.
func (c candidate) covers(d candidate) bool {
	return c.past == d.past && c.who == d.who && c.peer == d.peer && c.kind == d.kind && c.verb == d.verb && c.names&d.names == d.names
}

// endOf returns the moment of the break; if it was found after the run, the end of all moments.
func endOf(l log) int {
	if l.Broke != moments.None {
		return l.Broke
	}
	return len(l.All)
}

// picks returns the moments to tell, at most room, in the order in which they happened.
//
// It goes back from the break. For each machine and each kind of action it takes the latest moments that mention what
// the report names, and keeps those of most weight. A moment that mentions less than half as many things as the best
// one is left out, unless it is a suspect or a named call.
//
// If the check is a user's, answers to programs come before all that. from is the first suspect: moments from it on
// have more weight, and the latest commands from it on are told even if they mention nothing. None: it is unknown.
func (l log) picks(about *subjects, past []bool, room, from int, ofUser bool) []int {
	end := endOf(l)
	report := ""
	if l.Broke != moments.None {
		report = l.All[l.Broke].Text
	}
	beside := aside{l, about, end}
	wrong := append(l.callsIn(about.window), beside.callOfProgram()...)
	session := l.sessionOfEvents(about)
	var all []candidate
	for i := end - 1; i >= 0; i-- {
		m := &l.All[i]
		switch m.Kind {
		case moments.Acts, moments.Finds, "fault", "failed", "send", "NOTED":
			continue
		}
		if ofUser && m.Kind == moments.Told && strings.Contains(m.Text, withdrawn) && !strings.Contains(report, m.Program.String()) {
			continue // a withdrawn call did nothing
		}
		if (m.Kind == moments.Filed || m.Kind == moments.Unsynced) && !about.machines[m.Who] {
			continue // every machine has files of the same names
		}
		if session != "" && carries.MatchString(m.Text) {
			continue // see carried
		}
		fresh := from != moments.None && i >= from
		c := candidate{
			i: i, who: m.Who, kind: m.Kind, verb: verb(m), names: about.in(m.Text), past: past[i] || m.Who == 0, fresh: fresh,
			call:    matches(about.calls, m.Text),
			suspect: m.Kind == moments.Executes && (about.isInNamedSlot(m.Text) || about.isAtNamedTime(m.At) || fresh && !l.isOfStep(from)),
			between: m.Kind == moments.Executes && about.isBetweenNamedTimes(m.At),
		}
		if c.names == 0 && m.Kind == moments.Executes && about.isAtNamedTime(m.At) {
			if c.names = about.mentioned(m.Text); c.names == 0 { // else it is a call of another session
				c.names = namedTime
			}
		}
		if m.Kind == "receive" && about.machines[m.Peer] && about.sharesWord(m.Text) {
			c.peer = m.Peer
		}
		if c.names&^about.records == 0 && !about.machines[c.who] {
			c.names = 0 // a record number means something else in the log of another machine
		}
		if matches(wrong, m.Text) {
			c.call = true
			c.names |= wrongCall
		}
		if c.names != 0 && !slices.ContainsFunc(all, func(o candidate) bool { return o.covers(c) }) {
			all = slices.DeleteFunc(all, c.covers)
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return l.weight(b, about) - l.weight(a, about) })
	best := 0
	for _, c := range all {
		best = max(best, bits.OnesCount64(c.names))
	}
	var picked []int
	add := func(more []int, most int) {
		for _, i := range more {
			if len(picked) < most && !slices.Contains(picked, i) {
				picked = append(picked, i)
			}
		}
	}
	if ofUser {
		picked = l.notesOn(numbered(report), end, min(mostNotes, room))
		add(l.told(about, end, room-len(picked)), room)
		picked = append(picked, l.executedOn(rowsNamed(report), end, min(mostExecuted, room-len(picked)))...)
		picked = append(picked, l.cutShort(picked, end, min(mostCut, room-len(picked)))...)
	}
	if i := l.newRows(about, end, ofUser); i != moments.None && room > 1 {
		picked = append(picked, i)
	}
	if i := beside.onDisk(); i != moments.None && !ofUser && room > 1 {
		picked = append(picked, i)
	}
	picked = append(picked, l.notSynced(about, end, min(mostNotSynced, room-len(picked)-1))...)
	if !ofUser {
		kept := 0 // a command in a slot that the report names is told in any case
		if slices.ContainsFunc(all, func(c candidate) bool { return c.suspect && about.isInNamedSlot(l.All[c.i].Text) }) {
			kept = 1
		}
		add(l.ofHandle(about, end, room-len(picked)-kept), room)
	}
	add(inTurn(l.cached(report, end), l.carried(session, about, end)), room-1)
	if l.Broke != moments.None {
		add(newLockTable(l, about, l.All[l.Broke].Who).grants(end), room-1)
	}
	add(beside.all(), room-1)
	executed := l.executedSince(from, end, min(mostExecuted, room-len(picked)))
	isNamed := func(c candidate) bool { return c.fresh && c.kind == moments.Executes }
	if len(executed) > 0 && !l.isOfStep(from) && slices.ContainsFunc(all, isNamed) {
		executed = nil // the report itself names one of the commands
	}
	for _, c := range suspectsFirst(all) {
		left := room - len(picked)
		for _, i := range executed {
			if !slices.Contains(picked, i) && i != c.i {
				left--
			}
		}
		if left <= 0 {
			break
		}
		isWorthy := c.suspect || c.between || c.call || 2*bits.OnesCount64(c.names) >= best
		if isWorthy && !slices.Contains(picked, c.i) {
			picked = append(picked, c.i)
		}
	}
	add(executed, room)
	slices.Sort(picked)
	return picked
}

// recently is how long before a break new rows of its machine are told.
const recently = 2 * time.Second

// newRows returns the last moment before the break at which its machine got rows of another replica, or read its disk, if
// that was recently; else None. What it knows since then may be wrong, whatever the report names. If the report speaks of
// rows, a snapshot that became durable is such a moment, too: its rows may have been taken over, or be of a wrong slot.
func (l log) newRows(about *subjects, end int, ofUser bool) int {
	if l.Broke == moments.None || ofUser {
		return moments.None
	}
	broke := &l.All[l.Broke]
	for i := end - 1; i >= 0 && l.All[i].At >= broke.At-recently; i-- {
		if m := &l.All[i]; m.Who == broke.Who && m.Who != 0 && (moments.IsOfNewRows(m) || about.words["row"] && moments.IsOfWhole(m)) {
			return i
		}
	}
	return moments.None
}

// mostNotSynced is how many files are told that the last power cut found with sectors that were not synced.
const mostNotSynced = 2

// notSynced returns what the last power cut of the machine of the break found written and not synced, if the report is
// about a disk. Files that the report names come first, then logs.
func (l log) notSynced(about *subjects, end, room int) (all []int) {
	if l.Broke == moments.None || room <= 0 || !about.isOfDisks() {
		return nil
	}
	isMeant := func(who sim.Addr) bool { return who == l.All[l.Broke].Who }
	if l.All[l.Broke].Who == 0 { // it was found from outside
		isMeant = func(who sim.Addr) bool { return about.machines[who] }
	}
	cut := uint64(0)
	for i := end - 1; i >= 0; i-- {
		m := &l.All[i]
		if m.Kind != moments.Unsynced || !isMeant(m.Who) {
			continue
		}
		if cut != 0 && m.Step != cut {
			break
		}
		cut = m.Step
		all = append(all, i)
	}
	slices.Reverse(all)
	rank := func(i int) int {
		switch m := &l.All[i]; {
		case about.in(m.Text) != 0:
			return 0
		case strings.Contains(m.Text, "/log/"):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(all, func(a, b int) int { return rank(a) - rank(b) })
	return all[:min(len(all), room)]
}

// mostSuspects is how many suspect commands come before all else.
const mostSuspects = 3

// suspectsFirst moves the first mostSuspects suspects to the front.
func suspectsFirst(all []candidate) []candidate {
	var first, others []candidate
	for _, c := range all {
		if c.suspect && len(first) < mostSuspects {
			first = append(first, c)
		} else {
			others = append(others, c)
		}
	}
	return append(first, others...)
}

// isOfStep reports whether a moment is of the step of the break.
func (l log) isOfStep(i int) bool {
	return l.Broke != moments.None && l.All[i].Step == l.All[l.Broke].Step
}

// mostExecuted is how many commands from the first suspect on are told even if they mention nothing.
const mostExecuted = 2

// executedSince returns the latest commands from moment from to moment end, one of each kind and session; none if from
// is None.
func (l log) executedSince(from, end, room int) (all []int) {
	if from == moments.None {
		return nil
	}
	if l.isOfStep(from) {
		end = aside{log: l}.endOfStep(end)
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

// mostLast is how many moments of a machine are told if no moment mentions what the report names.
const mostLast = 4

// lastOf returns the last moments of a machine that can explain a report that names only the machine: its process
// started or ended, its disk was damaged, failed, was recovered, or got a snapshot, its beliefs changed, or a call of
// one of its programs returned. With disk, also the records that became durable on its disk.
func (l log) lastOf(who sim.Addr, room int, disk bool) (all []int) {
	end := endOf(l)
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

// verb names the kind of action of a moment: the first word of its text, and the first word after ": ", which is the op
// of a call. For a command it is the first word and the session.
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

// keepsAlive matches KeepAlive calls and their answers.
var keepsAlive = regexp.MustCompile(`: keep-alive |: ok lease `)

// weight orders candidates: the more things of the report a moment mentions, the more it weighs. Being of a machine or
// call that the report names, sharing a word with the report, being a message between two machines that it names, being a
// belief, an answer or a durable record, being between times that the report names, and being fresh add weight. Being outside
// the past of the break takes weight away; so does being a KeepAlive call, if the report does not mention leases.
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
	if c.fresh || c.between {
		n += 3
	}
	if c.call {
		n += 6
	}
	if c.names&wrongCall != 0 {
		n += 12
	}
	if about.sharesWord(l.All[c.i].Text) {
		n += 2
	}
	if c.peer != 0 {
		n++
	}
	if !about.ofLeases && keepsAlive.MatchString(l.All[c.i].Text) {
		n -= 4
	}
	return n
}
