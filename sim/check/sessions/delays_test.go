package sessions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/sim/check/locks"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/worldtest"
)

var lockNode = api.Ref{Path: worldtest.Path("/f"), Instance: 9}

// A lock-delay of 3 s begins at second 1, by command 9, at the master of epoch 3.
func TestS8ALockDelayIsNoLongerThanItIs(t *testing.T) {
	begins := command.Applied{Effects: []command.Effect{command.LockChanged{Effect: lock.DelayBegan{Lock: lockNode, Freed: 9, Delay: api.DelayOf(3 * time.Second)}}}}
	ended := command.Applied{Effects: []command.Effect{command.LockChanged{Effect: lock.DelayEnded{Lock: lockNode, Freed: 9}}}}
	says := func(r *reign, at float64, freed api.Number) {
		own := []command.Command{command.DelayOver{Guard: 3, Node: lockNode, Freed: freed}}
		r.w.OnActed(1, r.c, second(at), &model.Outcome{}, nil, own)
	}
	executes := func(r *reign, n int) {
		for range n {
			r.acts(4.1, command.Applied{Command: put(3, 1), Verdict: command.Executed})
		}
	}
	wakes := func(r *reign, at, wake float64) {
		r.w.OnActed(1, r.c, second(at), &model.Outcome{Output: driver.Output{Wake: second(wake)}}, nil, nil)
	}
	for name, c := range map[string]struct {
		does   func(r *reign)
		breaks bool
	}{
		"it runs":                       {func(r *reign) { r.acts(3.9) }, false},
		"it is over":                    {func(r *reign) { r.acts(4); r.acts(4.9) }, false},
		"and it is not said":            {func(r *reign) { r.acts(4); r.acts(5) }, true},
		"the master was away":           {func(r *reign) { r.acts(60); r.acts(60.9) }, false},
		"and is back, and says not":     {func(r *reign) { r.acts(60); r.acts(61) }, true},
		"it stands still meanwhile":     {func(r *reign) { wakes(r, 4, 4); wakes(r, 9, 9); r.acts(9.9) }, false},
		"and wakes, and says not":       {func(r *reign) { wakes(r, 4, 4); wakes(r, 9, 10); r.acts(10) }, true},
		"it is called and says not":     {func(r *reign) { wakes(r, 4, 4.5); wakes(r, 4.6, 4.6); wakes(r, 4.7, 5.2); r.acts(5.2) }, true},
		"it was said":                   {func(r *reign) { says(r, 4, 9); r.acts(4); r.acts(9) }, false},
		"the log executes others first": {func(r *reign) { says(r, 4, 9); executes(r, locks.Round); r.acts(9) }, false},
		"the log has not taken it":      {func(r *reign) { says(r, 4, 9); executes(r, locks.Round+1); r.acts(9) }, true},
		"and the master says it again":  {func(r *reign) { says(r, 4, 9); executes(r, locks.Round); says(r, 5, 9); executes(r, 2); r.acts(9) }, false},
		"others of it wait before":      {func(r *reign) { says(r, 2, 8); says(r, 4, 9); executes(r, locks.Round+1); r.acts(9) }, false},
		"it was said of another":        {func(r *reign) { says(r, 4, 8); r.acts(4); r.acts(9) }, true},
		"the log says that it ended":    {func(r *reign) { r.acts(4, ended); r.acts(9) }, false},
		"another master is there now":   {func(r *reign) { r.acts(4); r.c.epoch = 4; r.acts(5); r.acts(9) }, false},
		"which runs it again": {func(r *reign) {
			r.c.epoch = 4
			r.facts.delays = map[model.DelayID]time.Duration{{Lock: lockNode, Freed: 9}: 3 * time.Second}
			r.acts(5)
			r.acts(8)
			r.acts(8.9)
		}, false},
		"which runs it for too long": {func(r *reign) {
			r.c.epoch = 4
			r.facts.delays = map[model.DelayID]time.Duration{{Lock: lockNode, Freed: 9}: 3 * time.Second}
			r.acts(5)
			r.acts(8)
			r.acts(9)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReign(t, 6)
			r.c.sessions = nil
			r.acts(1, begins)
			c.does(r)
			require.Equal(t, c.breaks, r.f.Failure() != nil)
			if c.breaks {
				r.f.Breaks("S8")
			}
		})
	}
}
