package moments

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// Words returns the fault and its effects in words. help says what its kind does; it stands in if no effect is known. Of a
// Harm without a name it is the cause; "": none is known.
func (h *Harm) Words(help string) string {
	what := deeds(h.Effects)
	if h.Kind == Healing {
		return strings.TrimSuffix(fmt.Sprintf("%s s  all faults end, and stopped machines start; then %s", Short(h.At), what), "; then ")
	}
	if h.Kind == "" {
		if help == "" {
			help = "not injected"
		}
		return fmt.Sprintf("%s s  %s: %s", Short(h.At), help, what)
	}
	if what == "" {
		what = help
	}
	return fmt.Sprintf("%s s  %v: %s", Short(h.At), h.Fault, what)
}

// Prefixes of trace texts that say in words what a fault did to a disk or a memory.
const (
	diskDamage   = "disk.damage "
	memoryDamage = "memory.damage "
)

// damage says in words what a fault did to a disk or a memory; false: a moment is about something else.
func damage(m *Moment) (words string, ok bool) {
	if what, is := strings.CutPrefix(m.Text, diskDamage); is {
		return fmt.Sprintf("on the disk of %v, %s", m.Who, what), true
	}
	if what, is := strings.CutPrefix(m.Text, memoryDamage); is {
		return fmt.Sprintf("in the memory of %v, %s", m.Who, what), true
	}
	return "", false
}

// deeds returns effects in words. Effects on several links, of one instant and kind, are put together.
func deeds(all []Moment) string {
	var parts []string
	for i := 0; i < len(all); {
		kind, arg := effect(&all[i])
		n := i + 1
		links := []string{link(all[i].Who, arg)}
		for ; n < len(all) && all[n].At == all[i].At && strings.HasPrefix(kind, "net."); n++ {
			k, a := effect(&all[n])
			if k != kind {
				break
			}
			links = append(links, link(all[n].Who, a))
		}
		what := deed(all[i].Who, kind, arg)
		if strings.HasPrefix(kind, "net.") {
			what = linkDeed(kind, links)
		}
		if damaged, ok := damage(&all[i]); ok {
			what = damaged
		}
		if all[i].Kind == "failed" {
			what = fmt.Sprintf("%v fails: %s", all[i].Who, Clip(all[i].Text, 60))
		}
		if what != "" {
			parts = append(parts, fmt.Sprintf("%s (%s)", what, Short(all[i].At)))
		}
		i = n
	}
	const most = 8
	if len(parts) > most {
		parts = append(parts[:most], fmt.Sprintf("and %d more", len(parts)-most))
	}
	return strings.Join(parts, "; ")
}

// Words says in words what was done to a machine or a link, or which call of its disk failed. For other moments it is
// their text.
func (m *Moment) Words() string {
	kind, arg := effect(m)
	damaged, isDamage := damage(m)
	switch {
	case m.Kind == "fault" && isDamage:
		return damaged
	case m.Kind == "failed":
		return fmt.Sprintf("%v fails: %s", m.Who, m.Text)
	case m.Kind != "fault" || m.Who == 0:
		return m.Text
	case kind == "start" && m.At == 0:
		return fmt.Sprintf("%v starts", m.Who)
	case strings.HasPrefix(kind, "net."):
		return linkDeed(kind, []string{link(m.Who, arg)})
	case kind == "clock.thaw":
		return fmt.Sprintf("the clock of %v runs again", m.Who)
	}
	return deed(m.Who, kind, arg)
}

// Link returns the far end of the link to which something was done; 0 if m is not about a link.
func (m *Moment) Link() sim.Addr {
	if kind, arg := effect(m); m.Kind == "fault" && strings.HasPrefix(kind, "net.") {
		return sim.Addr(arg)
	}
	return 0
}

// effect splits the text of a fault in the trace into its kind and its number.
func effect(m *Moment) (kind string, arg int64) {
	kind, number, _ := strings.Cut(m.Text, " ")
	arg, _ = strconv.ParseInt(number, 10, 64)
	return kind, arg
}

// deed says what was done to a machine; "" for the end of a frozen clock, because the line of its beginning gives the
// length.
func deed(who sim.Addr, kind string, arg int64) string {
	d := time.Duration(arg)
	switch kind {
	case "start":
		return fmt.Sprintf("%v restarts", who)
	case "crash":
		return fmt.Sprintf("%v loses power", who)
	case "kill":
		return fmt.Sprintf("the process of %v is killed", who)
	case "stop", "exit":
		return fmt.Sprintf("the process of %v ends", who)
	case "machine-failure":
		return fmt.Sprintf("%v stops itself", who)
	case "pause":
		return fmt.Sprintf("%v is paused", who)
	case "resume":
		return fmt.Sprintf("%v resumes", who)
	case "slow":
		return fmt.Sprintf("%v takes %v for each input", who, d)
	case "clock.rate":
		return fmt.Sprintf("the clock of %v runs %+.2f %%", who, float64(arg)/1e7)
	case "clock.step":
		return fmt.Sprintf("the wall clock of %v jumps by %v", who, d.Round(time.Millisecond))
	case "clock.freeze", "clock.freeze-wall":
		return fmt.Sprintf("the clock of %v is frozen for %v", who, d.Round(time.Millisecond))
	case "clock.thaw":
		return ""
	case "disk.stall":
		return fmt.Sprintf("the disk of %v stalls for %v", who, d.Round(time.Millisecond))
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
		return "messages from " + which + " are lost"
	case "net.mend":
		return "messages from " + which + " get through again"
	case "net.clog":
		return "messages from " + which + " are held back"
	case "net.release":
		return "held messages from " + which + " are released"
	case "net.break":
		return "connections from " + which + " break"
	case "net.slow":
		return "messages from " + which + " change speed"
	case "net.heal":
		return "all links work"
	}
	return kind + " " + which
}

// Short prints a time in seconds, to the millisecond.
func Short(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
