package story

import (
	"regexp"

	"github.com/chubbycell/chubby/sim/moments"
)

var (
	aliveNamed = regexp.MustCompile(`^alive (\S+) boot \d+ (#\d+) `)
	sentCall   = regexp.MustCompile(`, session (\d+) seq (\d+) returned: `)
)

// asked returns the receipt of the heartbeat that the last message before the break answers, if the report is about grants: a
// grant counts from the sending at the leader, and from the receipt at the member. None: there is none.
func (a aside) asked() int {
	if a.Broke == moments.None || !a.about.words["grant"] {
		return moments.None
	}
	for i := a.All[a.Broke].Prev; i != moments.None; i = a.All[i].Prev {
		m := &a.All[i]
		if m.Kind != "receive" {
			continue
		}
		found := aliveNamed.FindStringSubmatch(m.Text)
		if found == nil {
			return moments.None
		}
		heartbeat := regexp.MustCompile(`^heartbeat ` + regexp.QuoteMeta(found[1]) + ` .*` + found[2] + `\b`)
		for j := min(i, a.end) - 1; j >= 0; j-- {
			if q := &a.All[j]; q.Kind == "receive" && q.Who == m.Peer && q.Peer == m.Who && heartbeat.MatchString(q.Text) {
				return j
			}
		}
		return moments.None
	}
	return moments.None
}

// callOfProgram returns what matches the texts on the call that returned to a program in the step of the break; nil: none did.
func (a aside) callOfProgram() []*regexp.Regexp {
	for i := a.end - 1; i >= 0 && a.isOfStep(i); i-- {
		if m := &a.All[i]; m.Kind == moments.Told {
			if found := sentCall.FindStringSubmatch(m.Text); found != nil {
				return []*regexp.Regexp{callForm(found[1], found[2])}
			}
		}
	}
	return nil
}
