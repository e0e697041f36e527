package simtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/sim/cell"
)

// spared are the breaks of one property that ended no seed, because Judge names another property.
type spared struct {
	cell.Breach // the first of them
	seed        uint64
	seeds       int // in how many seeds it broke
}

// spare counts the breaks that did not end a seed.
func (s *suite) spare(r *cell.Result) {
	for _, b := range r.Noted {
		i := slices.IndexFunc(s.spared, func(p spared) bool { return p.Name() == b.Name() })
		if i < 0 {
			i = len(s.spared)
			s.spared = append(s.spared, spared{Breach: b, seed: r.Seed})
		}
		s.spared[i].seeds++
	}
}

// notJudged names what broke and ended no seed; "": nothing did.
func (s *suite) notJudged() string {
	var all []string
	for _, p := range s.spared {
		all = append(all, fmt.Sprintf("%s in %d of %d seeds", p.Name(), p.seeds, len(s.all)))
	}
	if all == nil {
		return ""
	}
	return fmt.Sprintf("; broke and not judged, since only %s is: %s", s.o.Judge, strings.Join(all, ", "))
}

// misjudged says that Judge names nothing, although a check of the test's own found something; "": it
// does not seem so. A break of a property of the simulator shows nothing: such a break may be the
// reason for Judge.
func (s *suite) misjudged() string {
	for _, p := range s.spared {
		if s.isOwn(&p.Breach) && !s.declares(p.seed) {
			return fmt.Sprintf("Judge names %q, which nothing reported and no property is called, while %s broke in %d of %d seeds, first in seed %d: %s\n"+
				"correct Judge; or, if the name is right, declare it as a property: in Properties of the Scenario of a World, in With of a Program",
				s.o.Judge, p.Name(), p.seeds, len(s.all), p.seed, p.Text)
		}
	}
	return ""
}

// isOwn reports whether a check of the test found the breach, not one of the simulator.
func (s *suite) isOwn(b *cell.Breach) bool {
	if !s.world {
		return b.IsOfUser()
	}
	return b.ID != "" && !strings.HasPrefix(b.ID, "I-") && !isOfWorld(b.ID)
}

// isOfWorld reports whether a name is that of a property that a World or a Group checks by itself.
func isOfWorld(id string) bool { return slices.Contains([]string{"L1", "S1", "S6"}, id) }

// isDeclared reports whether Judge is the name of a property of the Scenario of a seed.
func (x World) isDeclared(seed uint64) bool {
	if isOfWorld(x.Judge) {
		return true
	}
	for _, p := range x.Scenario(seed).Properties {
		if p.ID() == x.Judge {
			return true
		}
	}
	return false
}
