package replicas

import (
	"testing"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// A replica answers each request, or keeps it.
func TestL1ClientsAreAnsweredOrKept(t *testing.T) {
	get := api.Request{ID: 11, Session: 3, Seq: 1, Op: api.Get{Key: "a"}}
	again := get
	again.ID = 12
	stat := api.Request{ID: 21, Session: 3, Seq: 2, Op: api.GetStat{}}
	put := api.Request{ID: 22, Session: 3, Seq: 2, Op: api.Put{Key: "a"}}
	last := api.Request{ID: 23, Session: 3, Seq: 2, Op: api.GetStat{}}
	keep := api.Request{ID: 31, Session: 3, Op: api.KeepAlive{}}
	opens := func(id, nonce uint64) api.Request {
		return api.Request{ID: id, Op: api.OpenSession{Nonce: api.Nonce{nonce, 1}}}
	}
	odd := get
	odd.ID, odd.AckedThrough = 13, 1
	replies := func(id uint64, c api.Code) api.Reply { return api.Reply{ID: id, Result: api.Result{Code: c}} }
	for name, c := range map[string]struct {
		requests         []api.Request
		replies          []api.Reply
		state            master.State
		waiting, nodeOps int
		breaks           bool
	}{
		"nothing":                 {state: master.Following},
		"kept":                    {requests: []api.Request{get, stat}, state: master.Serving, waiting: 2, nodeOps: 1},
		"answered":                {requests: []api.Request{get}, replies: []api.Reply{replies(11, api.OK)}, state: master.Serving},
		"forgotten":               {requests: []api.Request{get, stat}, replies: []api.Reply{replies(21, api.OK)}, state: master.Serving, breaks: true},
		"forgotten by nodeops":    {requests: []api.Request{get, stat}, state: master.Serving, waiting: 2, breaks: true},
		"parked":                  {requests: []api.Request{stat}, replies: []api.Reply{replies(21, api.Parked)}, state: master.Recovering, waiting: 1, nodeOps: 1},
		"parked and forgotten":    {requests: []api.Request{stat}, replies: []api.Reply{replies(21, api.Parked)}, state: master.Serving, breaks: true},
		"a copy":                  {requests: []api.Request{get, again}, replies: []api.Reply{replies(12, api.OK)}, state: master.Serving},
		"a copy for the other":    {requests: []api.Request{get, again}, replies: []api.Reply{replies(11, api.OK)}, state: master.Serving, breaks: true},
		"a refused copy":          {requests: []api.Request{get, odd}, replies: []api.Reply{replies(13, api.Invalid)}, state: master.Serving, waiting: 1},
		"forgotten for a refused": {requests: []api.Request{get, odd}, replies: []api.Reply{replies(13, api.Invalid)}, state: master.Serving, breaks: true},
		"refused, then answered":  {requests: []api.Request{get, odd}, replies: []api.Reply{replies(13, api.Invalid), replies(11, api.OK)}, state: master.Serving},
		"refused, no copy of one": {requests: []api.Request{odd}, replies: []api.Reply{replies(13, api.Invalid)}, state: master.Serving},
		"two copies are refused":  {requests: []api.Request{get, again}, replies: []api.Reply{replies(11, api.NotMaster), replies(12, api.NotMaster)}, state: master.Following},
		"the later one first":     {requests: []api.Request{get, again}, replies: []api.Reply{replies(12, api.OK), replies(11, api.OK)}, state: master.Serving},
		"over, and a later copy is refused": {
			requests: []api.Request{get, again, odd}, replies: []api.Reply{replies(12, api.Stale), replies(13, api.Invalid)}, state: master.Serving,
		},
		"one that came twice": {requests: []api.Request{get, get}, replies: []api.Reply{replies(11, api.Stale)}, state: master.Serving},
		"two things by one number, of which nothing is owed that could be told": {requests: []api.Request{stat, put}, state: master.Serving},
		"and a third time":                 {requests: []api.Request{put, last, put, last}, replies: []api.Reply{replies(22, api.NotFound)}, state: master.Serving},
		"what else is forgotten beside it": {requests: []api.Request{stat, get, put}, state: master.Serving, breaks: true},
		"two that open":                    {requests: []api.Request{opens(1, 7), opens(2, 8)}, replies: []api.Reply{replies(2, api.OK)}, state: master.Serving, waiting: 1},
		"one of two is forgotten":          {requests: []api.Request{opens(1, 7), opens(2, 8)}, state: master.Serving, waiting: 1, breaks: true},
		"a KeepAlive":                      {requests: []api.Request{keep}, state: master.Serving},
		"deposed, and not over":            {requests: []api.Request{get, stat}, state: master.Deposed, waiting: 2},
		"no master any more":               {requests: []api.Request{get}, state: master.Following, waiting: 1, breaks: true},
		"told when it went":                {requests: []api.Request{get}, replies: []api.Reply{replies(11, api.NotMaster)}, state: master.Following},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := worldtest.New(t), clientRequests{}
			for _, q := range c.requests {
				s.onRequest(70, q)
			}
			for _, p := range c.replies {
				s.onReply(70, p)
				s.onReply(71, p) // a client that did not ask
			}
			s.onActed(f.World, 1, c.state, c.waiting, c.nodeOps)
			if c.breaks {
				f.Diverges("L1")
			} else {
				f.Good()
			}
		})
	}
}
