package story

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/plan"
)

// The most lines of a story, and limits of its parts.
const (
	MostLines   = 20
	mostHarms   = 5
	mostBeliefs = 6 // machines whose state is told
	mostClients = 2 // clients among them
	mostSteps   = 9
	leastSteps  = 4 // lines that are kept free for steps
	mostReport  = 6 // lines of the report of the break
)

// mostOfReport is the most bytes of a line of the report. It is more than other lines have, because the report should
// not be cut.
const mostOfReport = 900

// Tell repeats the run of o, with its trace and events going to the story alone, and returns at most MostLines lines
// that tell how the run came to break a property; nil if it breaks none. faults is how many faults the run had before
// it was shrunk to o's script; 0: unknown.
func Tell(run func(plan.Options) cell.Result, o plan.Options, faults int) []string {
	l := moments.NewLog()
	l.Watch(&o)
	r := run(o)
	if r.Breach == nil {
		return nil
	}
	p := plan.New(o)
	return Of(l, &p, r.Breach, faults).Lines
}

// Story is how a run came to break a property.
type Story struct {
	Lines []string // at most MostLines
	Told  []int    // indices in Log.All of the moments that are told, ascending
	Past  []bool   // for each moment of Log.All: whether the break may have come from it
}

// Of returns the story of a finished run of plan p that broke b. l has all moments of the run. faults is as for Tell.
func Of(l *moments.Log, p *plan.Plan, b *cell.Breach, faults int) Story {
	text := moments.Squeeze(b.Text)
	t := teller{log: log{l}, plan: p, breach: b, about: subjectsOf(text), report: strings.Split(programs(text), "\n")}
	t.title()
	t.injected(faults)
	t.believed()
	t.steps()
	t.verdict()
	return Story{t.lines, t.picked, t.past}
}

// log is the moments of a run; its methods select some of them.
type log struct{ *moments.Log }

// teller writes one story.
type teller struct {
	log
	plan   *plan.Plan
	breach *cell.Breach
	about  *subjects
	report []string // lines of the report of the break
	past   []bool   // see Story
	picked []int    // moments that are told
	lines  []string
}

func (t *teller) say(format string, args ...any) { t.tell(400, format, args...) }

// tell adds a line, clipped to most bytes.
func (t *teller) tell(most int, format string, args ...any) {
	line := moments.Squeeze(fmt.Sprintf(format, args...))
	t.lines = append(t.lines, moments.Clip(strings.ReplaceAll(line, "\n", " "), most))
}

// title says what broke, when, and where.
func (t *teller) title() {
	idle := 0
	if t.plan.Script != nil {
		idle = len(t.plan.Script.Idle)
	}
	where := ""
	if t.breach.On != 0 {
		where = fmt.Sprintf(" on %v", t.breach.On)
	}
	what := "breaks " + t.breach.Name()
	if t.breach.ID == "" {
		what = "crashes"
	}
	roles := plan.RolesInWords(t.plan)
	if roles != "" {
		roles = " (" + roles + ")"
	}
	t.say("Seed %d %s at %s s of true time, event %d%s: %s, %s, workload %s%s.",
		t.plan.Seed, what, moments.Short(t.breach.At), t.breach.Step, where, counted(t.plan.Replicas, "replica"), counted(t.plan.Clients-idle, "active client"), t.plan.Workload, roles)
}

// counted returns a number with its noun.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// injected lists the faults. of is how many there were before the run was shrunk; 0: unknown.
func (t *teller) injected(of int) {
	harms := t.Harms()
	standing := t.plan.Standing()
	var tricks []*plan.Trick
	if t.plan.Script != nil {
		tricks = t.plan.Script.Tricks
	}
	n := len(tricks) + len(standing)
	for i := range harms {
		if k := harms[i].Kind; k != moments.Healing && k != "" {
			n++
		}
	}
	before := ""
	if of > 0 {
		before = fmt.Sprintf(" (of %d)", of)
	}
	if t.plan.Script != nil && t.plan.Script.LinkDraws != 0 {
		before += ", with other delays of messages than before it was shrunk"
	}
	switch {
	case t.plan.Script == nil:
		t.say("Faults injected: %d", n-len(standing))
	case n == 0:
		t.say("Faults needed: none%s", before)
	default:
		t.say("Faults needed: %d%s", n, before)
	}
	for _, name := range standing[:min(len(standing), 2)] {
		if t.plan.Script != nil {
			t.say("  always  %s: %s", name, plan.StandingHelp(name))
		}
	}
	if n == 0 && t.plan.Script != nil {
		harms = slices.DeleteFunc(harms, func(h moments.Harm) bool { return h.Kind == moments.Healing && len(h.Effects) == 0 })
	}
	if more := len(harms) - mostHarms; more > 0 {
		harms = harms[more:]
		t.say("  earlier ones, not listed: %d", more)
	}
	for i := range harms {
		t.say("  %s", harms[i].Words(t.help(&harms[i])))
	}
	t.hostile(tricks)
}

// hostile tells the last messages of the hostile client.
func (t *teller) hostile(tricks []*plan.Trick) {
	if len(tricks) == 0 {
		return
	}
	who := sim.FirstClient + sim.Addr(t.plan.Clients)
	var sent []string
	for i := range t.All {
		if m := &t.All[i]; m.Who == who && m.Kind == "send" {
			sent = append(sent, fmt.Sprintf("%s s to %v: %s", moments.Short(m.At), m.Peer, moments.Clip(m.Text, 110)))
		}
	}
	sent = sent[max(0, len(sent)-2):]
	t.say("  hostile client %v, which follows no protocol, takes %d turns; last messages: %s", who, len(tricks), strings.Join(sent, "; "))
}

// help says what a kind of fault does, and, of a fault without a number, which one it is.
func (t *teller) help(h *moments.Harm) string {
	if h.Kind == "" && t.plan.Caches.Aims > 0 && !h.IsOfProduct() {
		return "aimed"
	}
	for _, f := range plan.Faults(t.plan.With) {
		if f.Name == h.Kind {
			return f.Help
		}
	}
	return ""
}

// believed tells what each machine believed at the break.
func (t *teller) believed() {
	const titles = 2 // lines: the title here, and the one of steps
	all := t.beliefs(t.about, t.breach.On, min(mostBeliefs, MostLines-len(t.lines)-titles-leastSteps-t.ending()), mostClients)
	if len(all) == 0 {
		return
	}
	t.say("State at the break, by each machine's own clock:")
	for _, line := range all {
		t.say("  %s", line)
	}
}

// ending returns how many lines the verdict takes.
func (t *teller) ending() int { return 1 + min(len(t.report), mostReport) }

// steps tells the moments that mention what the report names. If there are few, it adds the last moments of the machine of
// the break; for the check of a user, or if an audit found the damage, only if there are none but records of disks.
func (t *teller) steps() {
	t.past = t.Past(t.Ends(func(a sim.Addr) bool { return t.about.machines[a] }))
	room := min(mostSteps, MostLines-1-t.ending()-len(t.lines))
	counts := t.counts()
	counts = counts[:min(len(counts), max(0, room-leastSteps+1))]
	room -= len(counts)
	t.picked = t.picks(t.about, t.past, room, t.firstSuspect(), t.breach.IsOfUser())
	isOther := func(i int) bool { return t.All[i].Kind != moments.Durable }
	ofDisks := !slices.ContainsFunc(t.picked, isOther)
	if _, isAudit := t.audit(); len(t.picked) < leastSteps && (ofDisks || !isAudit && !t.breach.IsOfUser()) {
		disk := len(t.picked) > 0 && ofDisks
		for _, i := range t.lastOf(t.breach.On, min(room-len(t.picked), mostLast), disk) {
			if !slices.Contains(t.picked, i) {
				t.picked = append(t.picked, i)
			}
		}
		slices.Sort(t.picked)
	}
	if len(t.picked) < min(room, leastSteps) {
		t.picked = t.addSessions(t.picked, room)
	}
	if len(t.picked)+len(counts) == 0 {
		return
	}
	t.say("What led to it:")
	for _, i := range t.picked {
		unknown := ""
		if !t.past[i] && t.breach.On != 0 && t.All[i].Who != 0 {
			unknown = fmt.Sprintf(" (had not reached %v)", t.breach.On)
		}
		t.say("  %s%s", t.step(i), unknown)
	}
	for _, c := range counts {
		t.say("  %s", c)
	}
}

// firstSuspect returns the first moment that can have done the damage. If an audit found it, that is the first moment
// after the last audit that passed. Else it is the first moment of the step of the break. None: unknown.
func (t *teller) firstSuspect() int {
	if a, is := t.audit(); is {
		return a.Passed[a.What]
	}
	m := t.broke()
	if m == nil || m.Who == 0 || m.Step == 0 {
		return moments.None
	}
	from := t.Broke
	for from > 0 && t.All[from-1].Step == m.Step {
		from--
	}
	return from
}

// audit returns the audit of the machine of the break that found the damage; false: no audit found it.
func (t *teller) audit() (*moments.Audit, bool) {
	a := t.Audits[t.breach.On]
	return a, a != nil && a.Running && t.Broke != moments.None
}

// step returns one moment in words.
func (t *teller) step(i int) string {
	m := &t.All[i]
	at := moments.Short(m.At)
	if m.Local != "" {
		at = fmt.Sprintf("%s s (%v: %s)", at, m.Who, millis(m.Local))
	} else {
		at += " s"
	}
	switch m.Kind {
	case "receive":
		sent := ""
		if m.Cause != moments.None && m.At-t.All[m.Cause].At > 0 {
			sent = fmt.Sprintf(" (sent at %s s)", moments.Short(t.All[m.Cause].At))
		}
		return fmt.Sprintf("%s  %v receives from %v%s: %s%s%s", at, m.Who, m.Peer, sent, received(t, i), repeated(t.log, i), overAcked(t.log, i)+t.answered(i))
	case moments.Durable, moments.Filed, moments.Unsynced:
		return fmt.Sprintf("%s  on the disk of %v: %s%s", at, m.Who, t.clip(m.Text), t.afterFailure(i))
	case "fault", "failed":
		return fmt.Sprintf("%s  %s", at, m.Words())
	case moments.Refuses:
		since := ""
		if (aside{t.log, t.about, endOf(t.log)}).refusal() == i {
			since = "; none like it was executed since"
		}
		return fmt.Sprintf("%s  the log of %v refuses %s%s", at, m.Who, t.clip(m.Text), since)
	case moments.Executes:
		return fmt.Sprintf("%s  the log executes %s%s", at, m.Text, callOfCommand(t.log, i))
	}
	return fmt.Sprintf("%s  %v %s", at, m.Who, t.clip(m.Text))
}

// clip shortens a long text to its beginning and the place of the last thing in it that the report names.
func (t *teller) clip(text string) string {
	const most, begin, around = 150, 50, 45
	if len(text) <= most {
		return text
	}
	at := -1
	for _, re := range t.about.things {
		if all := re.FindAllStringIndex(text, -1); all != nil {
			at = max(at, all[len(all)-1][0])
		}
	}
	if at < most-around {
		return moments.Clip(text, most)
	}
	from := max(begin, at-around)
	return text[:begin] + " ... " + moments.Clip(text[from:], most-begin)
}

// verdict tells at which step the break was seen, what the property means, and what the report says.
func (t *teller) verdict() {
	switch m := t.broke(); {
	case m == nil:
		t.say("It is found after the run, from the clients' answers and the log.")
	case m.Who != 0:
		at := fmt.Sprintf("at event %d, at %s s (%v: %s)", t.breach.Step, moments.Short(m.At), m.Who, millis(m.Local))
		if a, is := t.audit(); is {
			t.say("It is found %s, by a full check of the %s of %v, which runs after some inputs only; %s", at, a.What, m.Who, t.passed(a))
			break
		}
		t.say("It breaks %s%s%s%s%s", at, t.heard(m), t.quiet(m), t.sends(m), t.underWay(m))
	}
	help := t.breach.Meaning(t.plan.With)
	if t.breach.ID == "" && t.breach.Check != "" {
		help += " in " + function(t.breach.Check)
	}
	room := mostOfReport - len(t.breach.Name()) - min(len(t.report[0]), mostOfReport/2)
	t.tell(mostOfReport+len("() :..."), "%s (%s): %s", t.breach.Name(), moments.Clip(help, min(320, room)), t.report[0])
	for _, line := range t.report[1:min(len(t.report), mostReport)] {
		t.tell(mostOfReport, "  %s", line)
	}
}

// function returns the name of a function with its package, without the directory of that.
func function(name string) string {
	path, _, _ := strings.Cut(name, "[") // a type parameter may have a path of its own
	return name[strings.LastIndexByte(path, '/')+1:]
}

// broke returns the moment of the break; nil: it was judged after the run.
func (t *teller) broke() *moments.Moment {
	if t.Broke == moments.None {
		return nil
	}
	return &t.All[t.Broke]
}

// passed says when an audit of the same kind last passed.
func (t *teller) passed(a *moments.Audit) string {
	n, once := a.Passed[a.What]
	if !once || n == 0 {
		return "it is the first one since this process started"
	}
	before := &t.All[n-1]
	return fmt.Sprintf("the last one, at %s s, passed: it went wrong after that", moments.Short(before.At))
}

// underWay tells the last command that was proposed and not executed, if the product itself found something wrong on a
// replica: it may be the one that the replica is about to execute, or executes.
func (t *teller) underWay(m *moments.Moment) string {
	ofProduct := t.breach.ID == "" || strings.HasPrefix(t.breach.ID, "I-")
	if all := t.Open(); ofProduct && !m.Who.IsClient() && len(all) > 0 {
		return "; proposed and not executed so far: " + moments.Clip(all[len(all)-1], 200)
	}
	return ""
}

// heard tells the last message that the machine of the break received in its present life, or what its transport told it
// in the step of the break.
func (t *teller) heard(m *moments.Moment) string {
	for i := m.Prev; i != moments.None; i = t.All[i].Prev {
		o := &t.All[i]
		switch {
		case o.Kind == "fault" && strings.HasPrefix(o.Text, "start "):
			return "" // the messages of an earlier life are forgotten
		case o.Kind == moments.Unreachable && o.At == m.At:
			return fmt.Sprintf(", when its transport tells it that %v is unreachable", o.Peer)
		case o.Kind != moments.Heard:
		case slices.Contains(t.picked, i) && o.At == m.At:
			return ", on receiving that message"
		case slices.Contains(t.picked, i):
			return fmt.Sprintf("; the last message that it has received is the one of %s s", moments.Short(o.At))
		case o.At == m.At:
			return fmt.Sprintf(", on receiving from %v: %s", o.Peer, moments.Clip(o.Text, 150))
		default:
			return fmt.Sprintf("; last message received, at %s s from %v: %s", moments.Short(o.At), o.Peer, moments.Clip(o.Text, 150))
		}
	}
	return ""
}
