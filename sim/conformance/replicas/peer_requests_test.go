package replicas

import (
	"testing"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// A replica answers the requests of others, and relays transfers.
func TestL1RequestsOfOtherReplicasAreAnswered(t *testing.T) {
	transfer := func(m driver.Transfer) string { return string(driver.AppendTransfer(nil, m)) }
	relay := func(from, to paxos.NodeID, m driver.Transfer) driver.Relay {
		return driver.Relay{From: from, To: to, M: m}
	}
	reply := string(paxos.AppendMessage(nil, paxos.FetchReply{From: 3, FirstOpen: 3, Floor: 1}))
	nack := string(paxos.AppendMessage(nil, paxos.Nack{Ballot: ballot(3, 1), Boot: 1, Promised: ballot(7, 2)}))
	asks := func(slot paxos.Slot) driver.Transfer { return driver.AskSum{Slot: slot} }
	tells := func(slot paxos.Slot) driver.Transfer { return driver.TellSum{Slot: slot} }
	type sent struct {
		to   paxos.NodeID
		wire string
	}
	for name, c := range map[string]struct {
		fetches, held int
		asked         []driver.Transfer // by replica 2
		busy          bool
		sent          []sent
		breaks        bool
	}{
		"nothing":                    {sent: []sent{{2, nack}}},
		"values":                     {fetches: 1, sent: []sent{{2, reply}}},
		"values, twice":              {fetches: 2, sent: []sent{{2, reply}, {2, reply}}},
		"no values":                  {fetches: 1, sent: []sent{{2, nack}}, breaks: true},
		"values for another":         {fetches: 1, sent: []sent{{3, reply}}, breaks: true},
		"values behind the disk":     {fetches: 1, held: 1},
		"a piece":                    {asked: []driver.Transfer{driver.Ask{Slot: 9}}, sent: []sent{{2, transfer(driver.Gone{Slot: 9})}}},
		"a piece in time":            {asked: []driver.Transfer{driver.Ask{Slot: 9}}, busy: true},
		"no piece":                   {asked: []driver.Transfer{driver.Ask{Slot: 9}}, breaks: true},
		"a sum":                      {asked: []driver.Transfer{asks(7)}, sent: []sent{{2, transfer(tells(7))}}},
		"a sum that is not known":    {asked: []driver.Transfer{asks(7)}, sent: []sent{{2, transfer(driver.NoSum{Slot: 7})}}},
		"no sum":                     {asked: []driver.Transfer{asks(7)}, breaks: true},
		"a sum of a slot to come":    {asked: []driver.Transfer{asks(8)}},
		"the latest of two":          {asked: []driver.Transfer{asks(6), asks(7)}, sent: []sent{{2, transfer(tells(7))}}},
		"the first of two":           {asked: []driver.Transfer{asks(6), asks(7)}, sent: []sent{{2, transfer(tells(6))}}, breaks: true},
		"by way of a third":          {asked: []driver.Transfer{relay(3, 1, asks(7))}, sent: []sent{{2, transfer(relay(1, 3, tells(7)))}}},
		"straight, asked by a third": {asked: []driver.Transfer{relay(3, 1, asks(7))}, sent: []sent{{3, transfer(tells(7))}}, breaks: true},
		"relayed":                    {asked: []driver.Transfer{relay(2, 3, asks(7))}, sent: []sent{{3, transfer(relay(2, 3, asks(7)))}}},
		"not relayed":                {asked: []driver.Transfer{relay(2, 3, asks(7))}, breaks: true},
		"relayed to another replica": {asked: []driver.Transfer{relay(2, 3, asks(7))}, sent: []sent{{4, transfer(relay(2, 3, asks(7)))}}, breaks: true},
		"a third's answer":           {asked: []driver.Transfer{relay(3, 1, tells(7))}},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := worldtest.New(t), newPeerRequests()
			for range c.fetches {
				s.onMessage(2, paxos.Fetch{Slots: paxos.Range{From: 3, To: 4}})
			}
			for _, m := range c.asked {
				s.onTransfer(1, 2, m)
			}
			s.setBulkBusy(c.busy)
			for _, w := range c.sent {
				s.onSend(1, w.to, w.wire)
			}
			s.onActed(f.World, 1, c.held, 7)
			if c.breaks {
				f.Diverges("L1")
			} else {
				f.Good()
			}
		})
	}
}
