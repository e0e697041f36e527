package replicas

import (
	"testing"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// A replica campaigns above every ballot that it has heard of.
func TestL1ACampaignIsAboveAllThatWasHeard(t *testing.T) {
	wire := func(m paxos.Message) string { return string(paxos.AppendMessage(nil, m)) }
	asks := func(round uint64, id paxos.NodeID) string {
		return wire(paxos.Prepare{Ballot: ballot(round, id), Boot: 1, From: 1})
	}
	refused := wire(paxos.Nack{Ballot: ballot(3, 1), Boot: 1, Promised: ballot(7, 2)})
	for name, c := range map[string]struct {
		heard  []string
		sent   string
		held   bool
		breaks bool
	}{
		"above":                    {[]string{refused}, asks(8, 1), false, false},
		"what was promised":        {[]string{refused}, asks(7, 1), false, true},
		"a bit above the last":     {[]string{refused}, asks(4, 1), false, true},
		"the same once more":       {[]string{refused}, asks(3, 1), false, false},
		"a rival's":                {[]string{asks(5, 3)}, asks(5, 1), false, true},
		"a leader's":               {[]string{wire(paxos.Heartbeat{Ballot: ballot(5, 3), Boot: 1, Seq: 1, FirstOpen: 1})}, asks(5, 1), false, true},
		"made up before it heard":  {[]string{refused}, asks(4, 1), true, false},
		"nothing of that kind":     {[]string{wire(paxos.Fetch{Slots: paxos.Range{From: 8, To: 9}})}, asks(4, 1), false, false},
		"what cannot be read":      {[]string{"\x00"}, asks(4, 1), false, false},
		"a message without effect": {nil, wire(paxos.Accepted{Ballot: ballot(1, 2), Boot: 1, Slot: 3}), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := worldtest.New(t), campaigns{}
			send := func(wire string) {
				m, _ := paxos.DecodeMessage(wire)
				s.onSend(f.World, 1, m)
			}
			send(asks(3, 1))
			s.onActed(0)
			if c.held {
				s.onActed(2)
			}
			for _, m := range c.heard {
				heard, _ := paxos.DecodeMessage(m)
				s.onMessage(heard)
			}
			f.Good()
			send(c.sent)
			if c.breaks {
				f.Diverges("L1")
			} else {
				f.Good()
			}
		})
	}
}
