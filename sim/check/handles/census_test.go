package handles

import (
	"testing"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// The constant of this cell allows two sessions.
func TestThereAreAsManySessionsAsMayBe(t *testing.T) {
	opens := command.Call{Op: api.OpenSession{Nonce: api.Nonce{1}}}
	opened := command.Applied{Command: opens, Verdict: command.Executed, Effects: []command.Effect{command.SessionOpened{}}}
	ended := command.Applied{Command: command.Expire{}, Verdict: command.Executed, Effects: []command.Effect{command.SessionEnded{}}}
	refused := command.Applied{Command: opens, Result: api.Result{Code: api.Busy}}
	again := command.Applied{Command: opens, Verdict: command.Repeated}
	bound := command.Applied{Command: command.Constant{Name: rows.ConstantSessions, Value: "2"}, Verdict: command.Executed}
	other := command.Applied{Command: command.Constant{Name: "lease grant", Value: "2"}, Verdict: command.Executed}
	set := command.Applied{Command: command.SetLimits{Sessions: 1}, Verdict: command.Executed}
	kept := command.Applied{Command: command.SetLimits{}, Verdict: command.Executed}
	for name, c := range map[string]struct {
		log    []command.Applied
		breaks string
	}{
		"as many as may be":           {[]command.Applied{bound, opened, opened, refused, again}, ""},
		"one more":                    {[]command.Applied{bound, opened, opened, opened}, "L2"},
		"and one has ended":           {[]command.Applied{bound, opened, opened, ended, opened, refused}, ""},
		"one is refused below":        {[]command.Applied{bound, opened, refused}, "S14"},
		"one is refused after an end": {[]command.Applied{bound, opened, opened, ended, refused}, "S14"},
		"one more before the bound":   {[]command.Applied{other, opened, opened, opened, bound, refused}, ""},
		"as many as were set":         {[]command.Applied{opened, set, kept, bound, refused, ended, opened, refused}, ""},
		"one more than was set":       {[]command.Applied{bound, set, opened, opened}, "L2"},
		"one is refused before it":    {[]command.Applied{other, opened, opened, refused}, "S14"},
	} {
		t.Run(name, func(t *testing.T) {
			f := worldtest.New(t)
			book := Census{World: f.World, Most: 2}
			for i := range c.log {
				book.OnCommand(&c.log[i])
			}
			if c.breaks == "" {
				f.Good()
			} else {
				f.Breaks(c.breaks)
			}
		})
	}
}
