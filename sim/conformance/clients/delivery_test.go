package clients

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Call 1 of session 7 has a reply at second 1; its program learns of it later.
func TestL1AReplyIsDeliveredAsSoonAsPossible(t *testing.T) {
	valid := session.Status{State: session.Open, Lease: session.Valid}
	jeopardy := session.Status{State: session.Open, Lease: session.Jeopardy}
	type story struct {
		delivery
	}
	look := func(s *story, at int, st session.Status) { s.onStatus(time.Duration(at)*time.Second, st) }
	hears := func(s *story, at int, op api.Op, st session.Status) {
		s.onReply(time.Duration(at)*time.Second, op, api.Reply{Session: 7, Seq: 1, Result: api.Result{Code: api.OK}}, st)
	}
	for name, c := range map[string]struct {
		do   func(s *story)
		at   int // second at which the program learns of it
		late bool
	}{
		"at once":                     {func(s *story) { hears(s, 1, api.Put{}, valid) }, 1, false},
		"later":                       {func(s *story) { hears(s, 1, api.Put{}, valid) }, 2, true},
		"never answered":              {func(*story) {}, 2, false},
		"without leases":              {func(s *story) { hears(s, 1, api.Put{}, session.Status{State: session.Open}) }, 2, true},
		"in jeopardy, which goes on":  {func(s *story) { hears(s, 1, api.Put{}, jeopardy); look(s, 2, jeopardy) }, 3, false},
		"in jeopardy, as that ends":   {func(s *story) { hears(s, 1, api.Put{}, jeopardy); look(s, 2, valid) }, 2, false},
		"in jeopardy, after it ended": {func(s *story) { hears(s, 1, api.Put{}, jeopardy); look(s, 2, valid); look(s, 3, valid) }, 3, true},
		"twice": {func(s *story) {
			hears(s, 1, api.Put{}, jeopardy)
			look(s, 2, valid)
			hears(s, 3, api.Put{}, valid)
		}, 3, true},
		"as the session is over": {func(s *story) { hears(s, 1, api.Put{}, session.Status{State: session.Over}) }, 2, false},
		"an answer that is none": {func(s *story) { hears(s, 1, api.Open{}, valid) }, 2, false},
	} {
		s := story{newDelivery()}
		c.do(&s)
		f := s.onCallEnd(time.Duration(c.at)*time.Second, call{7, 1})
		require.Equal(t, c.late, f != breach{}, name)
		require.Equal(t, breach{}, s.onCallEnd(time.Hour, call{7, 2}), name)
	}
}
