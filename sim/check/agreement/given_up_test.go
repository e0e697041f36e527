package agreement

import (
	"testing"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
)

// Call 1 is given up, and call 3, which says so, is answered without the log. Then call 1, or
// another one, takes effect.
func TestS4AGivenUpCallTakesNoEffect(t *testing.T) {
	for name, c := range map[string]struct {
		op     api.Op
		seen   api.Seq // AckedThrough of call 3
		code   api.Code
		call   api.Seq // the call that takes effect
		breaks string
	}{
		"behind an answer":             {api.Get{Key: "k"}, 2, api.NotFound, 1, "S4"},
		"behind a refusal":             {api.GetStat{}, 2, api.Gone, 1, "S4"},
		"before there is an answer":    {api.Get{Key: "k"}, 2, api.Busy, 1, ""},
		"it is waited for":             {api.Get{Key: "k"}, 0, api.NotFound, 1, ""},
		"another one":                  {api.Get{Key: "k"}, 1, api.NotFound, 2, ""},
		"behind what is memory anyway": {api.Poison{}, 2, api.OK, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFacts(t)
			f.h.Calls.OnRequest(1, api.Request{Session: 7, Seq: 3, AckedThrough: c.seen, Op: c.op})
			r := api.Result{Code: c.code}
			f.h.Calls.OnReply(1, api.Reply{ID: 1, Session: 7, Seq: 3, Result: r}, nil, []core.Read{{Session: 7, Seq: 3, Result: r}})
			f.good()
			f.comes(api.Put{Key: "k"})
			f.vote(1, 1, ballot(1, 1), "a")
			f.vote(2, 1, ballot(1, 1), "a")
			f.apply(1, 1, "a", 1, executed(7, c.call))
			f.ends(c.breaks)
		})
	}
}

// The answer may be to the copy with the lowest AckedThrough.
func TestAnAnswerMakesFinalOnlyWhatAllCopiesAcknowledge(t *testing.T) {
	f := newFacts(t)
	for _, seen := range []api.Seq{0, 2} {
		f.h.Calls.OnRequest(1, api.Request{Session: 7, Seq: 3, AckedThrough: seen, Op: api.Get{Key: "k"}})
	}
	found := api.Result{Code: api.OK}
	f.h.Calls.OnReply(1, api.Reply{ID: 1, Session: 7, Seq: 3, Result: found}, nil, []core.Read{{Session: 7, Seq: 3, Result: found}})
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 1, ballot(1, 1), "a")
	f.apply(1, 1, "a", 1, executed(7, 1))
	f.good()
}
