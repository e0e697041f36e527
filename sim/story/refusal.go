package story

import (
	"regexp"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/moments"
)

// mostOfKind is how many bytes of a command tell its kind: which constant it sets, for instance. Texts are cut somewhere behind.
const mostOfKind = 80

var (
	digits = regexp.MustCompile(`\d+`)
	// ofNoCall matches a command that was made for no call: its name, the slot in which it was executed, and what it says.
	ofNoCall = regexp.MustCompile(`(?s)^(\w+)(?: in slot \d+[^:]*)?: (.*)$`)
)

// refusal returns the last command that the log of a replica did not take, if its master made it for no call, and no command of
// its kind was executed since: a master has to propose such a command again. The replica is that of the break, one that the
// report names, or, if the report names none, any. None: there is none.
func (a aside) refusal() int {
	if a.Broke == moments.None {
		return moments.None
	}
	on, since := a.All[a.Broke].Who, map[string]bool{}
	for i := a.end - 1; i >= 0; i-- {
		m := &a.All[i]
		if m.Kind != moments.Executes && m.Kind != moments.Refuses {
			continue
		}
		found := ofNoCall.FindStringSubmatch(m.Text)
		if found == nil {
			continue
		}
		kind := digits.ReplaceAllString(found[1]+" "+found[2][:min(len(found[2]), mostOfKind)], "")
		if m.Kind == moments.Executes {
			since[kind] = true
		} else if !since[kind] && (m.Who == on || a.about.machines[m.Who] || !a.about.namesReplica()) {
			return i
		}
	}
	return moments.None
}

// namesReplica reports whether the report names a replica.
func (s *subjects) namesReplica() bool {
	for m, is := range s.machines { // order-free: whether there is one
		if is && m < sim.FirstClient {
			return true
		}
	}
	return false
}
