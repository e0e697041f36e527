package agreement

import (
	"testing"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

func (f *facts) asks(to int, q api.Request) { f.h.Calls.OnRequest(paxos.NodeID(to), q) }

// Replica 2 begins epoch 3 and executes call 5 of session 7, or opens a session.
func TestS2ACallWasMeantForTheMasterThatDidIt(t *testing.T) {
	get := func(e api.Epoch, seq api.Seq) api.Request {
		return api.Request{ID: 1, Session: 7, Seq: seq, Epoch: e, Op: api.Get{Key: "k"}}
	}
	open := func(n uint64) api.Request {
		return api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{n, 1}}}
	}
	call := command.Call{Guard: 3, Session: 7, Seq: 5, Op: api.Get{Key: "k"}}
	opens := command.Call{Guard: 3, Op: open(1).Op}
	for name, c := range map[string]struct {
		comes  func(f *facts)
		does   command.Command
		breaks bool
	}{
		"a copy of this epoch":         {func(f *facts) { f.asks(2, get(3, 5)) }, call, false},
		"one of an older epoch, first": {func(f *facts) { f.asks(2, get(2, 5)); f.asks(2, get(3, 5)) }, call, false},
		"one of an older epoch":        {func(f *facts) { f.asks(2, get(2, 5)) }, call, true},
		"another call":                 {func(f *facts) { f.asks(2, get(3, 4)) }, call, true},
		"at another replica":           {func(f *facts) { f.asks(1, get(3, 5)) }, call, true},
		"none":                         {func(*facts) {}, call, true},
		"an act, and none": {func(*facts) {}, command.NodeCommand{Guard: 3, Session: 7, Seq: 5,
			Op: command.Fail{Code: api.Gone}}, true},
		"a session":              {func(f *facts) { f.asks(2, open(1)) }, opens, false},
		"a session for a client": {func(f *facts) { f.asks(2, open(2)) }, opens, true},
		"a session, elsewhere":   {func(f *facts) { f.asks(1, open(1)) }, opens, true},
		"what the master asks":   {func(*facts) {}, command.ConfirmLeadership{Guard: 3}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFacts(t)
			f.began(3, ballot(4, 2))
			c.comes(f)
			f.h.Calls.checkArrived(9, &command.Applied{Command: c.does, Verdict: command.Refused})
			f.good()
			f.h.Calls.checkArrived(9, &command.Applied{Command: c.does, Verdict: command.Executed})
			if c.breaks {
				f.breaks("S2")
			} else {
				f.good()
			}
		})
	}
}

// A copy that came before the epoch began opens no session in it.
func TestS2AnOpenerOfBeforeTheEpoch(t *testing.T) {
	f := newFacts(t)
	f.began(2, ballot(3, 2))
	f.asks(2, api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{1, 1}}})
	f.began(3, ballot(4, 2))
	f.h.Calls.checkArrived(9, &command.Applied{Command: command.Call{Guard: 3, Op: api.OpenSession{Nonce: api.Nonce{1, 1}}}, Verdict: command.Executed})
	f.breaks("S2")
}
