package moments

import (
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/plan"
)

// Harm is a fault and its effects.
type Harm struct {
	plan.Fault               // zero: no fault caused the effects
	At         time.Duration // true time
	Effects    []Moment      // on machines, links, clocks and disks
}

// Harms returns the faults of a run in their order, each with its effects, when it struck and when it acted again. The
// trace does not say which fault an effect at another time belongs to. The end of a pause is taken for an effect of the
// last fault of that machine, and the failure of a disk for an effect of the last fault of disks. An effect that no
// numbered fault can have caused makes a Harm without a name, with all that happens at that instant: for example, a client
// ends because its program does, or a fault strikes that always holds, such as aimed (plan.Plan.Standing).
func (l *Log) Harms() []Harm {
	var all []Harm
	acting, since := None, time.Duration(None) // the harm that acts at instant since
	for i := range l.All {
		m := &l.All[i]
		if l.Broke != None && i > l.Broke && !(m.At == l.All[l.Broke].At && (m.Who == 0 || acting != None && all[acting].At == m.At)) {
			break // the end of the run stops all machines; no fault did this
		}
		switch {
		case m.Kind == "fault" && m.Who == 0:
			all = append(all, Harm{Fault: l.strikes[i], At: m.At})
			acting, since = len(all)-1, m.At
		case m.Kind == Acts:
			acting, since = slices.IndexFunc(all, func(h Harm) bool { return h.Fault == l.strikes[i] }), m.At
		case m.Kind == "fault" && m.At > 0 || m.Kind == "failed":
			h := culprit(all, m)
			if acting != None && m.At == since {
				h = acting
			}
			if h == None {
				all = append(all, Harm{At: m.At})
				h = len(all) - 1
			}
			all[h].Effects = append(all[h].Effects, *m)
		}
	}
	return all
}

// Fault returns the fault that strikes or acts again in moment i; false if none does.
func (l *Log) Fault(i int) (plan.Fault, bool) {
	f, ok := l.strikes[i]
	return f, ok
}

// culprit returns the fault that is taken for the cause of an effect that came while no fault acted; None: there is none.
func culprit(all []Harm, m *Moment) int {
	for i := range slices.Backward(all) {
		h := &all[i]
		ofDisks := m.Kind == "failed" || strings.HasPrefix(m.Text, diskDamage) || strings.HasPrefix(m.Text, "crash-at.") || m.Text == "machine-failure"
		if ofDisks && (strings.HasPrefix(h.Kind, "disk") || strings.HasPrefix(h.Kind, "crash")) {
			return i
		}
		isSame := slices.ContainsFunc(h.Effects, func(e Moment) bool { return e.Who == m.Who })
		switch {
		case h.Kind == Healing || h.Kind != "" && isSame:
			return i
		case h.Kind == "" && (h.At == m.At || isSame && isEnd(m)):
			return i
		case h.Kind == "" && isSame:
			return None // it struck again
		}
	}
	return None
}

// isEnd reports whether an effect ends another one: a machine goes on, or a link works again.
func isEnd(m *Moment) bool {
	switch kind, _ := effect(m); kind {
	case "start", "resume", "clock.thaw", "net.mend", "net.release":
		return true
	}
	return false
}

// IsOfProduct reports whether a Harm without a name is what a machine or a program did by itself: it ended or stopped.
func (h *Harm) IsOfProduct() bool {
	if h.Kind != "" || len(h.Effects) == 0 {
		return false
	}
	kind, _ := effect(&h.Effects[0])
	return h.Effects[0].Kind == "failed" || kind == "machine-failure" || kind == "stop" || kind == "exit"
}

// Healing is the kind of the fault that ends all faults, as the trace names it.
const Healing = "net.heal"
