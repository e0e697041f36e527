package handles

import (
	"testing"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// A replica says that limits are set only after the log has set them, once for each time.
func TestLimitsAreSaidToBeSetWhenTheyAre(t *testing.T) {
	five, six := command.SetLimits{Sessions: 5}, command.SetLimits{Sessions: 6}
	applied := func(c command.SetLimits, v command.Verdict) func(*Settings) {
		c.Guard = 3
		return func(s *Settings) { s.OnCommand(&command.Applied{Command: c, Verdict: v}) }
	}
	asked := func(c command.SetLimits) func(*Settings) { return func(s *Settings) { s.OnAsked(1, c) } }
	answers := func(codes ...api.Code) func(*Settings) { return func(s *Settings) { s.OnAnswers(1, codes) } }
	starts := func(s *Settings) { s.OnStarted(1) }
	for name, c := range map[string]struct {
		steps  []func(*Settings)
		breaks string
	}{
		"set, then said":            {[]func(*Settings){asked(five), applied(five, command.Executed), answers(api.OK)}, ""},
		"said before":               {[]func(*Settings){asked(five), answers(api.OK)}, "S3"},
		"refused and said to be":    {[]func(*Settings){asked(five), applied(five, command.Refused), answers(api.OK)}, "S3"},
		"refused":                   {[]func(*Settings){asked(five), applied(five, command.Refused), answers(api.Aborted)}, ""},
		"unknown":                   {[]func(*Settings){asked(five), answers(api.NotMaster)}, ""},
		"of two the first":          {[]func(*Settings){asked(five), asked(six), applied(five, command.Executed), answers(api.OK, api.NotMaster)}, ""},
		"of two the second":         {[]func(*Settings){asked(five), asked(six), applied(six, command.Executed), answers(api.OK)}, "S3"},
		"not asked for":             {[]func(*Settings){applied(five, command.Executed), answers(api.OK)}, "S5"},
		"said twice":                {[]func(*Settings){asked(five), applied(five, command.Executed), answers(api.OK, api.OK)}, "S5"},
		"said by the next life too": {[]func(*Settings){asked(five), applied(five, command.Executed), starts, answers(api.OK)}, "S5"},
	} {
		t.Run(name, func(t *testing.T) {
			f := worldtest.New(t)
			s := NewSettings(f.World)
			for _, step := range c.steps {
				step(s)
			}
			if c.breaks == "" {
				f.Good()
			} else {
				f.Breaks(c.breaks)
			}
		})
	}
}
