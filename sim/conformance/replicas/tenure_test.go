package replicas

import (
	"testing"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// A leader with grants of a majority steps down for silence, to hand over, or to install a
// snapshot, and not because another replica campaigns.
func TestL1AHolderDoesNotStepDownForACandidate(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(1, 0).Add(time.Duration(ms) * time.Millisecond) }
	for name, c := range map[string]struct {
		ms     int
		why    paxos.Counters
		role   paxos.Role
		breaks bool
	}{
		"it holds":                {ms: 99, role: paxos.Follower, breaks: true},
		"and is a candidate then": {ms: 99, role: paxos.Candidate, breaks: true},
		"it leads on":             {ms: 99, role: paxos.Leader},
		"the grants have ended":   {ms: 100, role: paxos.Follower},
		"silence":                 {ms: 99, role: paxos.Follower, why: paxos.Counters{QuorumLost: 5}},
		"on demand":               {ms: 99, role: paxos.Follower, why: paxos.Counters{HandedOver: 5}},
		"a snapshot":              {ms: 99, role: paxos.Follower, why: paxos.Counters{Installed: 5}},
		"it lost a campaign once": {ms: 99, role: paxos.Follower, why: paxos.Counters{Campaigns: 5}, breaks: true},
	} {
		t.Run(name, func(t *testing.T) {
			f, r := worldtest.New(t), tenure{}
			authority := func() time.Time { return at(100) }
			r.onActed(f.World, at(1), &paxos.Status{ID: 1, Role: paxos.Candidate}, authority)
			r.onActed(f.World, at(2), &paxos.Status{ID: 1, Role: paxos.Leader}, authority)
			f.Good()
			r.onActed(f.World, at(c.ms), &paxos.Status{ID: 1, Role: c.role, Count: c.why}, authority)
			if c.breaks {
				f.Diverges("L1")
			} else {
				f.Good()
			}
		})
	}
}
