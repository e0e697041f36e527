package replicas

import (
	"testing"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
)

// Whoever asks a replica is answered, or remembered.
func TestL1WhoeverAsksIsAnsweredOrRemembered(t *testing.T) {
	get := api.Request{ID: 11, Session: 3, Seq: 1, Op: api.Get{Key: "a"}}
	again := get
	again.ID = 12
	stat := api.Request{ID: 21, Session: 3, Seq: 2, Op: api.GetStat{}}
	keep := api.Request{ID: 31, Session: 3, Op: api.KeepAlive{}}
	opens := func(id, nonce uint64) api.Request {
		return api.Request{ID: id, Op: api.OpenSession{Nonce: api.Nonce{nonce, 1}}}
	}
	odd := get
	odd.ID, odd.Seen = 13, 1
	told := func(id uint64, c api.Code) api.Reply { return api.Reply{ID: id, Result: api.Result{Code: c}} }
	for name, c := range map[string]struct {
		came          []api.Request
		told          []api.Reply
		state         master.State
		waiting, desk int
		breaks        bool
	}{
		"nothing":                 {state: master.Following},
		"remembered":              {came: []api.Request{get, stat}, state: master.Serving, waiting: 2, desk: 1},
		"answered":                {came: []api.Request{get}, told: []api.Reply{told(11, api.OK)}, state: master.Serving},
		"forgotten":               {came: []api.Request{get, stat}, told: []api.Reply{told(21, api.OK)}, state: master.Serving, breaks: true},
		"forgotten by the desk":   {came: []api.Request{get, stat}, state: master.Serving, waiting: 2, breaks: true},
		"parked":                  {came: []api.Request{stat}, told: []api.Reply{told(21, api.Parked)}, state: master.Recovering, waiting: 1, desk: 1},
		"parked and forgotten":    {came: []api.Request{stat}, told: []api.Reply{told(21, api.Parked)}, state: master.Serving, breaks: true},
		"a copy":                  {came: []api.Request{get, again}, told: []api.Reply{told(12, api.OK)}, state: master.Serving},
		"a copy for the other":    {came: []api.Request{get, again}, told: []api.Reply{told(11, api.OK)}, state: master.Serving, breaks: true},
		"a refused copy":          {came: []api.Request{get, odd}, told: []api.Reply{told(13, api.Invalid)}, state: master.Serving, waiting: 1},
		"forgotten for a refused": {came: []api.Request{get, odd}, told: []api.Reply{told(13, api.Invalid)}, state: master.Serving, breaks: true},
		"refused, then answered":  {came: []api.Request{get, odd}, told: []api.Reply{told(13, api.Invalid), told(11, api.OK)}, state: master.Serving},
		"refused, no copy of one": {came: []api.Request{odd}, told: []api.Reply{told(13, api.Invalid)}, state: master.Serving},
		"two that open":           {came: []api.Request{opens(1, 7), opens(2, 8)}, told: []api.Reply{told(2, api.OK)}, state: master.Serving, waiting: 1},
		"one of two is forgotten": {came: []api.Request{opens(1, 7), opens(2, 8)}, state: master.Serving, waiting: 1, breaks: true},
		"a KeepAlive":             {came: []api.Request{keep}, state: master.Serving},
		"deposed, and not over":   {came: []api.Request{get, stat}, state: master.Deposed, waiting: 2},
		"no master any more":      {came: []api.Request{get}, state: master.Following, waiting: 1, breaks: true},
		"told when it went":       {came: []api.Request{get}, told: []api.Reply{told(11, api.NotMaster)}, state: master.Following},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := newFacts(t), debts{}
			for _, q := range c.came {
				s.came(70, q)
			}
			for _, p := range c.told {
				s.told(70, p)
				s.told(71, p) // who did not ask
			}
			s.acted(f.w, 1, c.state, c.waiting, c.desk)
			if c.breaks {
				f.breaks("L1")
			} else {
				f.good()
			}
		})
	}
}
