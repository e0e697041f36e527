package replicas

import (
	"testing"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/worldtest"
)

const (
	electionMin = 100 * time.Millisecond
	electionMax = 200 * time.Millisecond
)

// A replica that stopped leading lets others campaign first, unless a campaign is demanded.
func TestL1AFormerLeaderLetsOthersCampaignFirst(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(1, 0).Add(time.Duration(ms) * time.Millisecond) }
	campaigns := func(n uint64) paxos.Counters { return paxos.Counters{Campaigns: n} }
	for name, c := range map[string]struct {
		first  paxos.Role
		count  paxos.Counters
		ms     int
		wakes  bool
		breaks bool
	}{
		"at once":                    {first: paxos.Leader, count: campaigns(6), ms: 10, wakes: true, breaks: true},
		"a bit too early":            {first: paxos.Leader, count: campaigns(6), ms: 59, wakes: true, breaks: true},
		"when others had their turn": {first: paxos.Leader, count: campaigns(6), ms: 60, wakes: true},
		"on demand":                  {first: paxos.Leader, count: campaigns(6), ms: 10},
		"it tries, and has to wait":  {first: paxos.Leader, count: paxos.Counters{Campaigns: 5, Waited: 1}, ms: 10, wakes: true, breaks: true},
		"it does not":                {first: paxos.Leader, count: campaigns(5), ms: 10, wakes: true},
		"it did not lead":            {first: paxos.Candidate, count: campaigns(6), ms: 10, wakes: true},
	} {
		t.Run(name, func(t *testing.T) {
			f, e := worldtest.New(t), elections{}
			e.onActed(f.World, at(1), at(9), electionMax, &paxos.Status{ID: 1, Role: c.first, Count: campaigns(5)})
			e.onActed(f.World, at(10), at(10), electionMax, &paxos.Status{ID: 1, Role: paxos.Follower, Count: campaigns(5)})
			e.onWake(f.World, 1, at(10), electionMin)
			f.Good()
			e.onActed(f.World, at(c.ms), at(c.ms), electionMax, &paxos.Status{ID: 1, Role: paxos.Candidate, Count: c.count})
			if c.wakes {
				e.onWake(f.World, 1, at(c.ms), electionMin)
			}
			if c.breaks {
				f.Diverges("L1")
			} else {
				f.Good()
			}
		})
	}
}

// A campaign that was demanded ends the time that is reserved for the others.
func TestL1ADemandedCampaignMayBeFollowedByOthers(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(1, 0).Add(time.Duration(ms) * time.Millisecond) }
	f, e := worldtest.New(t), elections{}
	for i, s := range []paxos.Status{
		{ID: 1, Role: paxos.Leader, Count: paxos.Counters{Campaigns: 5}},
		{ID: 1, Role: paxos.Follower, Count: paxos.Counters{Campaigns: 5}},
		{ID: 1, Role: paxos.Follower, Count: paxos.Counters{Campaigns: 5, Waited: 1}}, // demanded
		{ID: 1, Role: paxos.Follower, Count: paxos.Counters{Campaigns: 5, Waited: 1}},
	} {
		e.onActed(f.World, at(i), at(i), electionMax, &s)
	}
	e.onActed(f.World, at(9), at(9), electionMax, &paxos.Status{ID: 1, Role: paxos.Candidate, Count: paxos.Counters{Campaigns: 6, Waited: 1}})
	e.onWake(f.World, 1, at(9), electionMin)
	f.Good()
}

// If another leader came in between, and reported that it stops, the former leader may
// campaign at once.
func TestL1AFormerLeaderMayFollowTheNextOneAtOnce(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(1, 0).Add(time.Duration(ms) * time.Millisecond) }
	for name, c := range map[string]struct {
		between paxos.NodeID
		breaks  bool
	}{
		"another led": {3, false},
		"none led":    {0, true},
		"it led":      {1, true},
	} {
		t.Run(name, func(t *testing.T) {
			f, e := worldtest.New(t), elections{}
			e.onActed(f.World, at(0), at(0), electionMax, &paxos.Status{ID: 1, Role: paxos.Leader, Leader: 1})
			e.onActed(f.World, at(1), at(1), electionMax, &paxos.Status{ID: 1, Role: paxos.Follower})
			e.onActed(f.World, at(2), at(2), electionMax, &paxos.Status{ID: 1, Role: paxos.Follower, Leader: c.between})
			e.onActed(f.World, at(3), at(3), electionMax, &paxos.Status{ID: 1, Role: paxos.Follower})
			e.onActed(f.World, at(4), at(4), electionMax, &paxos.Status{ID: 1, Role: paxos.Candidate, Count: paxos.Counters{Campaigns: 1}})
			e.onWake(f.World, 1, at(4), electionMin)
			if c.breaks {
				f.Diverges("L1")
			} else {
				f.Good()
			}
		})
	}
}

// Only the first defeat since a leader was known has a bound: the next ones may delay more.
func TestL1ADefeatBeforeTheLastLeaderDelaysNothing(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(1, 0).Add(time.Duration(ms) * time.Millisecond) }
	for name, c := range map[string]struct {
		between paxos.Status
		refused bool
		role    paxos.Role
		wake    int
		breaks  bool
	}{
		"too long":           {paxos.Status{Role: paxos.Follower, Leader: 3}, true, paxos.Candidate, 811, true},
		"long enough":        {paxos.Status{Role: paxos.Follower, Leader: 3}, true, paxos.Candidate, 810, false},
		"a second defeat":    {paxos.Status{Role: paxos.Follower}, true, paxos.Candidate, 811, false},
		"of a leader":        {paxos.Status{Role: paxos.Follower, Leader: 3}, true, paxos.Leader, 811, true},
		"another one's Nack": {paxos.Status{Role: paxos.Follower, Leader: 3}, true, paxos.Follower, 811, false},
		"no Nack":            {paxos.Status{Role: paxos.Follower, Leader: 3}, false, paxos.Candidate, 811, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, e := worldtest.New(t), elections{}
			lose := func(ms, wake int) {
				e.onMessage(paxos.Heartbeat{})
				if c.refused {
					e.onMessage(paxos.Nack{})
				}
				e.onActed(f.World, at(ms), at(wake), electionMax, &paxos.Status{ID: 1, Role: paxos.Follower})
			}
			e.onActed(f.World, at(0), at(5), electionMax, &paxos.Status{ID: 1, Role: paxos.Candidate})
			lose(1, 5)
			e.onActed(f.World, at(2), at(5), electionMax, &c.between)
			first := paxos.Status{ID: 1, Role: c.role}
			if c.role == paxos.Leader {
				first.Leader = 1
			}
			e.onActed(f.World, at(3), at(5), electionMax, &first)
			f.Good()
			lose(10, c.wake)
			if c.breaks {
				f.Diverges("L1")
			} else {
				f.Good()
			}
		})
	}
}
