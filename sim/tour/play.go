package tour

import (
	"fmt"
	"regexp"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/plan"
)

const says = moments.Says

// Telling is a scene that was played.
type Telling struct {
	Lines  []string    // in the order in which things happened
	Untold []string    // sorts of moments that the scene wants to tell of, and that did not happen
	Result cell.Result // of the run
}

// Play runs the scene and tells it. The same code gives the same lines.
func (s *Scene) Play(run func(plan.Options) cell.Result) Telling {
	o, log := s.Options(), moments.NewLog()
	log.Watch(&o)
	r := run(o)
	all := log.Lines()
	t := Telling{Result: r}
	forms, told := make([]*regexp.Regexp, len(s.tells)), make([]int, len(s.tells))
	for i := range s.tells {
		forms[i] = regexp.MustCompile(s.tells[i].text)
	}
	for i := range all {
		m := &all[i]
		if m.At > s.length { // the rest is what every run does at its end
			break
		}
		for n := range s.tells {
			w := &s.tells[n]
			if w.kind != m.Kind || w.who != 0 && w.who != m.Who || m.At < w.from || told[n] >= max(w.most, 1) || !forms[n].MatchString(m.Text) {
				continue
			}
			told[n]++
			t.Lines = append(t.Lines, line(m))
			break
		}
	}
	for n, k := range told {
		if k == 0 {
			t.Untold = append(t.Untold, fmt.Sprintf("%s %v %q", s.tells[n].kind, s.tells[n].who, s.tells[n].text))
		}
	}
	return t
}

// line is a moment with its times.
func line(m *moments.Line) string {
	local := ""
	if m.Local != "" {
		local = fmt.Sprintf(" (%v: %s)", m.Who, m.Local)
	}
	return fmt.Sprintf("%7.3f s%-18s %s", m.At.Seconds(), local, m.Text)
}
