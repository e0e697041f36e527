package story

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// harm is a fault and what it did.
type harm struct {
	plan.Fault
	at      time.Duration
	effects []moment
}

// harms are the faults of a run in their order, each with what was done to machines, links
// and clocks by it: as it struck, or when it went on. What ends by itself, such as a pause, ends what
// the last fault did to that machine; and calls to a disk fail by the last fault of disks. What
// no fault did is a harm without a name: a client ends as its program wants.
func (l *log) harms() []harm {
	var all []harm
	acting, since := none, time.Duration(none) // the harm whose doing is told
	for i := range l.all {
		m := &l.all[i]
		switch {
		case m.kind == "fault" && m.who == 0:
			all = append(all, harm{Fault: l.strikes[i], at: m.at})
			acting, since = len(all)-1, m.at
		case m.kind == acts:
			acting, since = slices.IndexFunc(all, func(h harm) bool { return h.Fault == l.strikes[i] }), m.at
		case m.kind == "fault" && m.at > 0 || m.kind == "failed":
			h := culprit(all, m)
			if acting != none && m.at == since {
				h = acting
			}
			if h == none {
				all = append(all, harm{at: m.at})
				h = len(all) - 1
			}
			all[h].effects = append(all[h].effects, *m)
		}
	}
	return all
}

// culprit is the fault that something is taken for the doing of which came by itself; none:
// no fault's.
func culprit(all []harm, m *moment) int {
	for i := range slices.Backward(all) {
		h := &all[i]
		ofDisks := m.kind == "failed" || strings.HasPrefix(m.text, "crash-at.") || m.text == "machine-failure"
		if ofDisks && (strings.HasPrefix(h.Kind, "disk") || strings.HasPrefix(h.Kind, "crash")) {
			return i
		}
		if h.Kind == healing || slices.ContainsFunc(h.effects, func(e moment) bool { return e.who == m.who }) {
			return i
		}
	}
	return none
}

// healing is the end of all faults, as the world calls it.
const healing = "net.heal"

// words are the fault in words.
func (h *harm) words(help string) string {
	what := deeds(h.effects)
	if h.Kind == healing {
		return strings.TrimSuffix(fmt.Sprintf("%s s  every fault ends, and what is down starts; then %s", short(h.at), what), "; then ")
	}
	if what == "" {
		what = help
	}
	if h.Kind == "" {
		return fmt.Sprintf("%s s  by itself: %s", short(h.at), what)
	}
	return fmt.Sprintf("%s s  %v: %s", short(h.at), h.Fault, what)
}

// deeds are effects in words: those of one instant and kind together.
func deeds(all []moment) string {
	var parts []string
	for i := 0; i < len(all); {
		kind, arg := effect(&all[i])
		n := i + 1
		links := []string{link(all[i].who, arg)}
		for ; n < len(all) && all[n].at == all[i].at && strings.HasPrefix(kind, "net."); n++ {
			k, a := effect(&all[n])
			if k != kind {
				break
			}
			links = append(links, link(all[n].who, a))
		}
		what := deed(all[i].who, kind, arg)
		if strings.HasPrefix(kind, "net.") {
			what = linkDeed(kind, links)
		}
		if all[i].kind == "failed" {
			what = fmt.Sprintf("%v fails: %s", all[i].who, clip(all[i].text, 60))
		}
		if what != "" {
			parts = append(parts, fmt.Sprintf("%s (%s)", what, short(all[i].at)))
		}
		i = n
	}
	const most = 5
	if len(parts) > most {
		parts = append(parts[:most], fmt.Sprintf("and %d things more", len(parts)-most))
	}
	return strings.Join(parts, "; ")
}

// effect reads the text of a fault in the trace.
func effect(m *moment) (kind string, arg int64) {
	kind, number, _ := strings.Cut(m.text, " ")
	arg, _ = strconv.ParseInt(number, 10, 64)
	return kind, arg
}

// deed says what was done to a machine; "" where another line says it.
func deed(who sim.Addr, kind string, arg int64) string {
	d := time.Duration(arg)
	switch kind {
	case "start":
		return fmt.Sprintf("%v starts again", who)
	case "crash":
		return fmt.Sprintf("%v loses power", who)
	case "kill":
		return fmt.Sprintf("the process of %v is killed", who)
	case "stop", "exit":
		return fmt.Sprintf("the process of %v ends", who)
	case "machine-failure":
		return fmt.Sprintf("%v stops itself", who)
	case "pause":
		return fmt.Sprintf("%v stands still", who)
	case "resume":
		return fmt.Sprintf("%v goes on", who)
	case "slow":
		return fmt.Sprintf("%v takes %v for each input", who, d)
	case "clock.rate":
		return fmt.Sprintf("the clock of %v runs %+.2f %%", who, float64(arg)/1e7)
	case "clock.step":
		return fmt.Sprintf("the wall clock of %v jumps by %v", who, d.Round(time.Millisecond))
	case "clock.freeze", "clock.freeze-wall":
		return fmt.Sprintf("the clock of %v stands still for %v", who, d.Round(time.Millisecond))
	case "clock.thaw":
		return ""
	case "disk.stall":
		return fmt.Sprintf("the disk of %v answers nothing for %v", who, d.Round(time.Millisecond))
	case "disk.slow":
		return fmt.Sprintf("the disk of %v is %d times slower", who, arg)
	}
	if point, ok := strings.CutPrefix(kind, "crash-at."); ok {
		return fmt.Sprintf("in the middle of %s", point)
	}
	return fmt.Sprintf("%v: %s %d", who, kind, arg)
}

func link(from sim.Addr, to int64) string { return fmt.Sprintf("%v to %v", from, sim.Addr(to)) }

// linkDeed says what was done to links.
func linkDeed(kind string, links []string) string {
	const most = 4
	which := strings.Join(links[:min(len(links), most)], ", ")
	if len(links) > most {
		which += fmt.Sprintf(" and %d more", len(links)-most)
	}
	switch kind {
	case "net.cut":
		return "lost is what goes from " + which
	case "net.mend":
		return "again there is a way from " + which
	case "net.clog":
		return "held back is what goes from " + which
	case "net.release":
		return "released is what goes from " + which
	case "net.slow":
		return "slower or faster is what goes from " + which
	case "net.heal":
		return "all links work"
	}
	return kind + " " + which
}

// short prints a time in seconds.
func short(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
