package moments

import (
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/plan"
)

// Harm is a fault and what it did.
type Harm struct {
	plan.Fault
	At      time.Duration
	Effects []Moment
}

// Harms are the faults of a run in their order, each with what was done to machines, links
// and clocks by it: as it struck, or when it went on. What ends by itself, such as a pause, ends what
// the last fault did to that machine; and calls to a disk fail by the last fault of disks. What
// no fault did is a harm without a name: a client ends as its program wants.
func (l *Log) Harms() []Harm {
	var all []Harm
	acting, since := None, time.Duration(None) // the harm whose doing is told
	for i := range l.All {
		m := &l.All[i]
		if l.Broke != None && i > l.Broke && !(m.At == l.All[l.Broke].At && (m.Who == 0 || acting != None && all[acting].At == m.At)) {
			break // the run ends, and with it all machines: no fault that struck at that instant did this
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

// Fault is the fault that strikes, or goes on, in a moment; false if none does.
func (l *Log) Fault(i int) (plan.Fault, bool) {
	f, ok := l.strikes[i]
	return f, ok
}

// culprit is the fault that something is taken for the doing of which came by itself; none:
// no fault's.
func culprit(all []Harm, m *Moment) int {
	for i := range slices.Backward(all) {
		h := &all[i]
		ofDisks := m.Kind == "failed" || strings.HasPrefix(m.Text, diskDamage) || strings.HasPrefix(m.Text, "crash-at.") || m.Text == "machine-failure"
		if ofDisks && (strings.HasPrefix(h.Kind, "disk") || strings.HasPrefix(h.Kind, "crash")) {
			return i
		}
		if h.Kind == Healing || slices.ContainsFunc(h.Effects, func(e Moment) bool { return e.Who == m.Who }) {
			return i
		}
	}
	return None
}

// Healing is the end of all faults, as the world calls it.
const Healing = "net.heal"
