package story

import (
	"regexp"
	"slices"
	"time"

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

// mostBeside is how many other commands in the slot of the wrong call are told.
const mostBeside = 2

var slotOf = regexp.MustCompile(`, in slot \d+ `)

// wrongInSlot returns how the log executed the wrong call of a history, and the first other commands of its slot: the
// answers to these are given out together, and may have been mixed up.
func (a aside) wrongInSlot() (all []int) {
	call := a.wrongCall()
	own := a.end - 1
	for ; own >= 0; own-- {
		if m := &a.All[own]; call != nil && m.Kind == moments.Executes && call.MatchString(m.Text) {
			break
		}
	}
	if own < 0 {
		return nil
	}
	all = append(all, own)
	slot := slotOf.FindString(a.All[own].Text)
	for i := range a.All[:a.end] {
		if m := &a.All[i]; i != own && m.Kind == moments.Executes && slot != "" && slotOf.FindString(m.Text) == slot && len(all) <= mostBeside {
			all = append(all, i)
		}
	}
	return all
}

// wrongCall returns what matches the texts on the wrong call of a history, if it went to the cell; else nil.
func (a aside) wrongCall() *regexp.Regexp {
	w := a.about.window
	for i := a.end - 1; i >= 0 && w.client != 0; i-- {
		m := &a.All[i]
		if m.Kind != moments.Told || m.Who != w.client || m.At > w.to || m.At < w.to-2*time.Microsecond {
			continue
		}
		if found := sentCall.FindStringSubmatch(m.Text); found != nil {
			return callForm(found[1], found[2])
		}
	}
	return nil
}
