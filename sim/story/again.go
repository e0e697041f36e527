package story

import (
	"regexp"
	"slices"

	"github.com/chubbycell/chubby/sim/moments"
)

// mostAgain is how many other executions of a call are told.
const mostAgain = 2

var ofCall = regexp.MustCompile(` as call (\d+) of session (\d+), `)

// again returns the last other commands that were executed for the call of a command in a slot that the report names.
func (a aside) again() (all []int) {
	end := a.endOfStep(a.end)
	for i := end - 1; i >= 0; i-- {
		m := &a.All[i]
		if m.Kind != moments.Executes || !a.about.isInNamedSlot(m.Text) {
			continue
		}
		call := ofCall.FindString(m.Text)
		if call == "" {
			continue
		}
		for j := end - 1; j >= 0 && len(all) < mostAgain; j-- {
			if o := &a.All[j]; j != i && o.Kind == moments.Executes && ofCall.FindString(o.Text) == call && !slices.Contains(all, j) {
				all = append(all, j)
			}
		}
	}
	return all
}
