package agreement

import "github.com/chubbycell/chubby/paxos"

// tally sums counters of many lives.
type tally struct{ paxos.Counters }

func (t *tally) Add(c paxos.Counters) {
	t.Campaigns += c.Campaigns
	t.Tenures += c.Tenures
	t.QuorumLost += c.QuorumLost
	t.NoopFilled += c.NoopFilled
	t.UnreadableVotes += c.UnreadableVotes
	t.DecidedUnread += c.DecidedUnread
	t.WindowFull += c.WindowFull
	t.Refused += c.Refused
	t.Retransmitted += c.Retransmitted
	t.Fetches += c.Fetches
	t.SourceSwitched += c.SourceSwitched
	t.Stale += c.Stale
	t.StaleBoots += c.StaleBoots
	t.Strangers += c.Strangers
	t.TooFar += c.TooFar
	t.LeaseRejections += c.LeaseRejections
	t.Waited += c.Waited
	t.StaleGrants += c.StaleGrants
	t.Boosts += c.Boosts
	t.Boosted += c.Boosted
	t.HandedOver += c.HandedOver
	t.Installed += c.Installed
	t.InstalledOverVote += c.InstalledOverVote
	t.InstalledBelowVote += c.InstalledBelowVote
}
