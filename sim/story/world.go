package story

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/moments"
)

// Limits of a story of a world without a cell.
const (
	mostOfWorld = 12 // steps
	mostShaped  = 2  // steps that differ in numbers only
)

// OfWorld returns the story of a run of a world without a cell that broke b: the steps that led to the break. l has the
// trace of the run. The steps are the latest moments from which the break may have come: messages, faults on machines,
// failures of disks, and notes (World.Tracef of kind moments.Says). A report about a history names calls and when they were
// under way: the steps then end with the messages to these clients in that time (client 3 is machine c3, and so is a client
// whose name in the history contains c3). If the break has
// no machine, it may have come from the last moment of its event, or from the last moments of the machines that its text
// names, such as n1 or c2. Without any, there are no steps, and the one line says so, as it does if these machines did nothing.
func OfWorld(l *moments.Log, b *cell.Breach) Story {
	t := teller{log: log{l}, breach: b, about: subjectsOf(b.Text)}
	ends, from := t.endsOfWorld()
	if len(ends) == 0 {
		return Story{Lines: []string{"what led to it is not known: it broke on no machine, and the report names none (such as n1 or c2)"}}
	}
	t.past = l.Past(ends)
	like := t.pickSteps(from)
	if len(t.picked) == 0 {
		t.say("what led to it is not known: on the machine on which it broke, or which its report names, nothing happened")
	} else {
		t.say("What led to it:")
	}
	for _, i := range t.picked {
		more := ""
		if n := like[i]; n > 0 {
			more = fmt.Sprintf(" (and %d like it before)", n)
		}
		t.say("  %s%s", t.stepOfWorld(i), more)
	}
	return Story{t.lines, t.picked, t.past}
}

// callOfWorld is how a report about a history names a call, with its times in seconds of true time.
var callOfWorld = regexp.MustCompile(`#\d+ (?:client (\d+)|[^:\n]*?\bc(\d+)\b[^:\n]*): .*\[called \d+(?: at ([\d.]+)s)?, returned \d+ at ([\d.]+)s\]`)

// endsOfWorld returns the moments at which the past of the break begins, and the time from which on steps are told.
func (t *teller) endsOfWorld() (ends []int, from time.Duration) {
	if ends, from = t.endsOfCalls(); len(ends) > 0 {
		return ends, from
	}
	if len(t.about.machines) > 0 || t.Broke != moments.None && t.All[t.Broke].Who != 0 {
		return t.Ends(func(a sim.Addr) bool { return t.about.machines[a] }), 0
	}
	for i := range slices.Backward(t.All) { // what the event did to a machine may stand behind the break
		if m := &t.All[i]; t.Broke != moments.None && m.Step == t.breach.Step && m.At == t.breach.At && m.Who != 0 {
			return []int{i}, 0
		}
	}
	return nil, 0
}

// endsOfCalls returns, for each call that a report about a history names, the last moment of its client before the call
// returned, and when the first of these calls was made.
func (t *teller) endsOfCalls() (ends []int, from time.Duration) {
	from = math.MaxInt64
	for _, found := range callOfWorld.FindAllStringSubmatch(t.breach.Text, -1) {
		n, err := strconv.ParseUint(found[1]+found[2], 10, 20)
		if err != nil || n == 0 {
			continue
		}
		who, to := sim.FirstClient+sim.Addr(n)-1, moments.Seconds(found[4])+time.Microsecond // a report has microseconds
		for i := range slices.Backward(t.All) {
			if m := &t.All[i]; m.Who == who && m.At <= to {
				ends = append(ends, i)
				from = min(from, moments.Seconds(found[3]))
				break
			}
		}
	}
	return ends, from
}

// pickSteps picks the steps, none of before from. It returns how many earlier ones that differ in numbers only were left out, by the first one
// that was picked.
func (t *teller) pickSteps(from time.Duration) (like map[int]int) {
	type shape struct {
		who, peer  sim.Addr
		kind, text string
	}
	picked, told := map[shape][]int{}, map[int]bool{}
	like = map[int]int{}
	for i := range slices.Backward(t.All) {
		m := &t.All[i]
		switch {
		case !t.past[i] || m.Who == 0 || m.At < from || i == t.Broke, m.Kind == "fault" && m.At == 0, m.Kind == moments.Filed && !moments.IsFailedCall(m):
			continue
		case m.Kind == moments.Sent && (told[i] || !t.isOfBreak(m.Who)):
			continue // a receipt tells it, or nothing of it is known to have arrived
		}
		s := shape{m.Who, m.Peer, m.Kind, numbers.ReplaceAllString(m.Text, "#")}
		if same := picked[s]; len(same) == mostShaped {
			like[same[len(same)-1]]++
			continue
		}
		if len(t.picked) == mostOfWorld {
			continue
		}
		if picked[s] = append(picked[s], i); m.Cause != moments.None {
			told[m.Cause] = true
		}
		t.picked = append(t.picked, i)
	}
	slices.Sort(t.picked)
	return like
}

// isOfBreak reports whether it broke on a machine, or on none and the report names that machine.
func (t *teller) isOfBreak(a sim.Addr) bool {
	return a == t.breach.On || t.breach.On == 0 && t.about.machines[a]
}

// numbers are decimal and hexadecimal numbers in a text.
var numbers = regexp.MustCompile(`[0-9a-f]*[0-9][0-9a-f]*`)

// stepOfWorld returns one moment in words.
func (t *teller) stepOfWorld(i int) string {
	m := &t.All[i]
	if m.Kind != moments.Sent {
		return t.step(i)
	}
	fate := ""
	switch {
	case m.Lost:
		fate = " (lost)"
	case !m.Arrived:
		fate = " (has not arrived)"
	}
	return fmt.Sprintf("%s s (%v: %s)  %v sends to %v: %s%s", moments.Short(m.At), m.Who, millis(m.Local), m.Who, m.Peer, t.clip(m.Text), fate)
}
