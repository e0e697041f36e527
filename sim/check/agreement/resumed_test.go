package agreement

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
)

// A replica starts after all slots that its disk says are chosen (S2).
func TestS2AReplicaStartsAfterAllThatItsDiskKnowsAsChosen(t *testing.T) {
	vote := func(s paxos.Slot) paxos.Record { return paxos.Voted{Slot: s, Ballot: paxos.Ballot{Round: 1, Node: 1}} }
	settled := func(from, to paxos.Slot) paxos.Record { return paxos.Settled{Slots: paxos.Range{From: from, To: to}} }
	for name, c := range map[string]struct {
		records []paxos.Record
		knows   paxos.Slot
	}{
		"a snapshot":               {nil, 5},
		"votes":                    {[]paxos.Record{vote(5)}, 5},
		"settled":                  {[]paxos.Record{vote(5), vote(6), settled(5, 7)}, 7},
		"before there was a vote":  {[]paxos.Record{settled(5, 7), vote(5)}, 5},
		"learned":                  {[]paxos.Record{paxos.Learned{Slot: 5}, vote(6), settled(6, 7)}, 7},
		"with a gap":               {[]paxos.Record{paxos.Learned{Slot: 6}}, 5},
		"below":                    {[]paxos.Record{paxos.Learned{Slot: 4}}, 5},
		"an unreadable vote":       {[]paxos.Record{vote(5), paxos.Unreadable{Slot: 5}, settled(5, 6)}, 5},
		"which was readable":       {[]paxos.Record{vote(5), settled(5, 6), paxos.Unreadable{Slot: 5}}, 6},
		"a learned value that rot": {[]paxos.Record{paxos.Unlearned{Slot: 5}}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			rec := &paxos.Recovered{Snapshot: paxos.Handle{Slot: 4}, Records: c.records}
			require.Equal(t, c.knows, known(rec))
			for first, breaks := range map[paxos.Slot]bool{c.knows: false, c.knows + 1: false, c.knows - 1: true} {
				f := newFacts(t)
				f.h.Logs.OnResumed(1, rec, paxos.Status{FirstOpen: first})
				if breaks {
					f.breaks("S2")
				} else {
					f.good()
				}
			}
		})
	}
}
