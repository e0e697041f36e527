package shares

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// Ann has sessions 1 and 2, bob has 3. Replica 1 is master in epoch 3.
func TestL3APrincipalWithCallsInTheLogSendsNoMore(t *testing.T) {
	get := func(s api.SessionID, n api.Seq, e api.Epoch) command.Command {
		return command.Call{Guard: e, Session: s, Seq: n, Op: api.Get{Key: "k"}}
	}
	stat := command.NodeCommand{Guard: 3, Session: 1, Seq: 9, Op: command.GetStat{}}
	opens := func(who api.Principal) command.Command {
		return command.Call{Guard: 3, Op: api.OpenSession{}, Principal: who}
	}
	type step struct {
		applied  []command.Command
		proposed []command.Command
		effects  []command.Effect
		epoch    api.Epoch
	}
	some := func(all ...command.Command) []command.Command { return all }
	for name, c := range map[string]struct {
		alone  bool
		steps  []step
		breaks bool
	}{
		"some together":                {false, []step{{proposed: some(get(1, 1, 3), get(2, 1, 3), stat)}}, false},
		"each his own":                 {false, []step{{proposed: some(get(1, 1, 3))}, {proposed: some(get(3, 1, 3))}}, false},
		"one more":                     {false, []step{{proposed: some(get(1, 1, 3))}, {proposed: some(get(1, 2, 3))}}, true},
		"one more, of another session": {false, []step{{proposed: some(get(1, 1, 3))}, {proposed: some(get(2, 1, 3))}}, true},
		"one more, on a node":          {false, []step{{proposed: some(get(1, 1, 3))}, {proposed: some(stat)}}, true},
		"one more session":             {false, []step{{proposed: some(get(1, 1, 3))}, {proposed: some(opens("ann"))}}, true},
		"no other has a session":       {true, []step{{proposed: some(get(1, 1, 3))}, {proposed: some(get(1, 2, 3))}}, false},
		"all are applied":              {false, []step{{proposed: some(get(1, 1, 3))}, {applied: some(get(1, 1, 3)), proposed: some(get(1, 2, 3))}}, false},
		"one of two is applied":        {false, []step{{proposed: some(get(1, 1, 3), stat)}, {applied: some(stat), proposed: some(get(1, 2, 3))}}, true},
		"one of before is applied":     {false, []step{{proposed: some(get(1, 1, 3))}, {applied: some(get(1, 1, 2)), proposed: some(get(1, 2, 3))}}, true},
		"in the next epoch":            {false, []step{{proposed: some(get(1, 1, 3))}, {proposed: some(get(1, 2, 4)), epoch: 4}}, false},
		"what the house wants":         {false, []step{{proposed: some(command.Sweep{Guard: 3})}, {proposed: some(command.Sweep{Guard: 3})}}, false},
		"as another session has begun": {false, []step{{proposed: some(get(1, 1, 3))}, {applied: some(opens("bob")), effects: []command.Effect{command.SessionOpened{}}, proposed: some(get(1, 2, 3))}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := worldtest.New(t)
			b := New(f.World, 3, map[api.SessionID]api.Principal{1: "ann", 2: "ann", 3: "bob"})
			for _, s := range c.steps {
				var a []command.Applied
				for _, x := range s.applied {
					a = append(a, command.Applied{Command: x, Effects: s.effects})
				}
				b.OnActed(1, t, max(3, s.epoch), []core.Applied{{Commands: a}}, s.proposed, func() bool { return !c.alone })
			}
			if c.breaks {
				f.Breaks("L3")
			} else {
				f.Good()
			}
		})
	}
}

func TestSeveralPrincipals(t *testing.T) {
	tx := db.New().Begin()
	for i, who := range []api.Principal{"ann", "ann", "bob"} {
		require.False(t, Several(tx))
		rows.OpenSession(tx, api.SessionID(i+1), api.Nonce{uint64(i)}, who)
	}
	require.True(t, Several(tx))
}

// Within one step, waiting principals take their turns one by one. Ann has sessions 1 and 2,
// bob has 3, cay has 4.
func TestL3TurnsAreTakenOneByOne(t *testing.T) {
	const waits = 100 // a call with a number above was begun in the step in which it is sent
	call := func(s api.SessionID, n api.Seq) command.Command {
		return command.Call{Guard: 3, Session: s, Seq: n, Op: api.Get{Key: "k"}}
	}
	late := func(s api.SessionID, n api.Seq) command.Command { return call(s, waits+n) }
	house := command.Sweep{Guard: 3}
	for name, c := range map[string]struct {
		inLog, sends []command.Command
		breaks       bool
	}{
		"one by one":                   {nil, []command.Command{call(1, 1), call(3, 1), call(1, 2), call(3, 2)}, false},
		"two sessions of one":          {nil, []command.Command{call(1, 1), call(2, 1), call(3, 1)}, true},
		"two before the other":         {nil, []command.Command{call(1, 1), call(1, 2), call(3, 1)}, true},
		"the other has no more":        {nil, []command.Command{call(3, 1), call(1, 1), call(1, 2), call(1, 3)}, false},
		"the house sends what may":     {nil, []command.Command{house, house, call(3, 1), call(1, 1)}, false},
		"one that comes in that step":  {nil, []command.Command{call(1, 1), call(1, 2), late(3, 1)}, false},
		"one that has some in the log": {[]command.Command{call(3, 9)}, []command.Command{call(1, 1), call(1, 2), call(3, 1)}, false},
		"three":                        {nil, []command.Command{call(1, 1), call(3, 1), call(1, 2), call(4, 1)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := worldtest.New(t)
			b := New(f.World, 3, map[api.SessionID]api.Principal{1: "ann", 2: "ann", 3: "bob", 4: "cay"})
			b.OnActed(1, t, 3, nil, c.inLog, func() bool { return true })
			var waited []bool
			for _, x := range c.sends {
				x, calls := x.(command.Call)
				waited = append(waited, calls && x.Seq < waits)
			}
			b.OnProposed(1, t, 3, c.sends, waited)
			if c.breaks {
				f.Breaks("L3")
			} else {
				f.Good()
			}
		})
	}
}
