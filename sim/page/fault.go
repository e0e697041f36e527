package page

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/plan"
)

// faultWords are the faults of a run in words.
type faultWords struct {
	harms []moments.Harm
	help  map[string]string // by kind of fault
	next  int               // index of the harm that the next fault moment belongs to, or of one before it
}

func newFaultWords(l *moments.Log, p *plan.Plan) *faultWords {
	w := &faultWords{harms: l.Harms(), help: map[string]string{}}
	for _, f := range plan.Faults(p.With) {
		w.help[f.Name] = f.Help
	}
	return w
}

// say returns a fault, its effects and its help in words.
func (w *faultWords) say(h *moments.Harm) string {
	_, text, _ := strings.Cut(h.Words(w.help[h.Kind]), " s  ") // without the time
	if help := w.help[h.Kind]; help != "" && !strings.Contains(text, help) {
		text += " (" + help + ")"
	}
	return text
}

// of returns the kind and the text of moment i, which is of kind fault or Acts. It must be called once for each such
// moment, in their order.
func (w *faultWords) of(l *moments.Log, i int) (kind, text string) {
	m := &l.All[i]
	switch {
	case m.Kind == moments.Acts:
		f, _ := l.Fault(i)
		return effect, fmt.Sprintf("%v continues", f)
	case m.Who != 0:
		return effect, m.Words()
	}
	for ; w.next < len(w.harms); w.next++ {
		if h := &w.harms[w.next]; h.Kind != "" {
			w.next++
			return fault, w.say(h)
		}
	}
	return fault, m.Text
}

// band is a fault, from its strike to its last effect.
type band struct {
	from, to time.Duration
	text     string
	on       []sim.Addr // machines and ends of links
}

// bands returns the bands of all faults, in their order.
func (w *faultWords) bands() []band {
	var all []band
	healed := moments.None
	for i := range w.harms {
		if w.harms[i].Kind == moments.Healing && healed == moments.None {
			healed = i
		}
	}
	for i := range w.harms {
		h := &w.harms[i]
		b := band{from: h.At, to: h.At, text: w.say(h)}
		if h.Kind == "" {
			continue
		}
		for j := range h.Effects {
			e := &h.Effects[j]
			if healed == moments.None || i >= healed || e.At <= w.harms[healed].At { // effects after the healing belong to the end of the run
				b.to = max(b.to, e.At)
			}
			if h.Kind != moments.Healing {
				b.on = append(b.on, e.Who)
				if peer := e.Link(); peer != 0 {
					b.on = append(b.on, peer)
				}
			}
		}
		slices.Sort(b.on)
		b.on = slices.Compact(b.on)
		all = append(all, b)
	}
	return all
}

// standing returns in words the faults that last for the whole run.
func standing(p *plan.Plan) []string {
	var all []string
	for _, name := range p.Standing() {
		all = append(all, fmt.Sprintf("%s: %s", name, plan.StandingHelp(name)))
	}
	return all
}
