package moments

import (
	"fmt"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// Line is a moment in words, for programs that show runs that break nothing.
type Line struct {
	At    time.Duration // true time
	Local string        // by the clock of its machine, in seconds; "": it has none
	Who   sim.Addr      // 0: no machine
	Kind  string        // of the moment
	Text  string
}

// Kinds of moments that come from the trace.
const (
	Sent  = "send"
	Heard = "receive"
	Done  = "fault" // something was done to a machine, a link or a clock
	Says  = "says"  // a program of the run says something, by sim.World.Tracef of this kind
)

// Lines returns the moments of a finished run in words. What was done to several links at one instant is one line. What
// was done at time 0, such as the start of machines, is left out, and so are disk calls.
func (l *Log) Lines() []Line {
	var all []Line
	for i := 0; i < len(l.All); i++ {
		m := &l.All[i]
		if m.Kind == Acts || m.Kind == Filed || m.Kind == Done && m.At == 0 {
			continue
		}
		words := Line{At: m.At, Local: reading(m.Local), Who: m.Who, Kind: m.Kind, Text: l.words(m)}
		if m.Link() != 0 {
			words.Who, words.Local = 0, ""
			words.Text, i = l.links(i)
		}
		if words.Text != "" {
			all = append(all, words)
		}
	}
	return all
}

// words returns one moment in words.
func (l *Log) words(m *Moment) string {
	text := Clip(m.Text, 110)
	switch kind, _ := effect(m); {
	case m.Kind == Sent:
		return fmt.Sprintf("%v sends to %v: %s", m.Who, m.Peer, text)
	case m.Kind == Heard:
		return fmt.Sprintf("%v receives from %v: %s", m.Who, m.Peer, text)
	case m.Kind == Durable:
		return fmt.Sprintf("on the disk of %v: %s", m.Who, text)
	case m.Kind == Executes:
		return "the log executes " + text
	case m.Kind == Done && m.Who == 0:
		what, _, _ := strings.Cut(help(kind), ";")
		return fmt.Sprintf("fault %s: %s", kind, what)
	case m.Kind == Done || m.Kind == "failed":
		return m.Words()
	case m.Kind == "FAILURE":
		return "it breaks: " + text
	}
	return fmt.Sprintf("%v %s", m.Who, text)
}

// help says what a built-in kind of fault does; "" for other kinds.
func help(kind string) string {
	for _, f := range plan.FaultKinds {
		if f.Name == kind {
			return f.Help
		}
	}
	return ""
}

// links returns in words what was done to several links at the instant of moment i, from i on, and the last such moment.
func (l *Log) links(i int) (text string, last int) {
	at := l.All[i].At
	kind, _ := effect(&l.All[i])
	var which []string
	for last = i; i < len(l.All) && l.All[i].Kind == Done && l.All[i].At == at; i++ {
		k, arg := effect(&l.All[i])
		if k != kind {
			break
		}
		which, last = append(which, link(l.All[i].Who, arg)), i
	}
	return linkDeed(kind, which), last
}

// reading shortens a reading of a clock, in seconds, to the millisecond; "" if there is none.
func reading(local string) string {
	whole, part, ok := strings.Cut(local, ".")
	if !ok {
		return ""
	}
	return whole + "." + part[:min(3, len(part))]
}
