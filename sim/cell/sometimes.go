package cell

import (
	"github.com/chubbycell/chubby/sim/event"
)

// situation is a rare state that some runs should reach: a check over states that no seed visits
// proves nothing.
type situation struct {
	name string
	help string
	n    func(c *Cell) uint64
}

var situations = []situation{
	{"campaign-lost", "a candidate did not come to lead", func(c *Cell) uint64 {
		return c.watch.Counts.Campaigns - min(c.watch.Counts.Campaigns, c.watch.Counts.Tenures)
	}},
	{"quorum-lost", "a leader stepped down because no quorum answered", func(c *Cell) uint64 { return c.watch.Counts.QuorumLost }},
	{"noop-filled-hole", "a new leader filled a hole with a no-op", func(c *Cell) uint64 { return c.watch.Counts.NoopFilled }},
	{"window-full", "a command had to wait because the window was full", func(c *Cell) uint64 { return c.watch.Counts.WindowFull }},
	{"accept-resent", "an Accept was sent again", func(c *Cell) uint64 { return c.watch.Counts.Retransmitted }},
	{"catch-up", "a laggard fetched chosen values", func(c *Cell) uint64 { return c.watch.Counts.Fetches }},
	{"too-far", "a replica ignored a slot too far above those that it knew", func(c *Cell) uint64 { return c.watch.Counts.TooFar }},
	{"source-switched", "a laggard switched to another source", func(c *Cell) uint64 { return c.watch.Counts.SourceSwitched }},
	{"stale-answer", "an answer to an earlier ballot, life or page was dropped", func(c *Cell) uint64 { return c.watch.Counts.Stale }},
	{"disk-failed", "a replica stopped because a disk call failed", func(c *Cell) uint64 { return uint64(c.failures) }},
	{"torn-tail", "a torn tail was cut off a log after a power cut", func(c *Cell) uint64 { return uint64(c.watch.Logs.TornTails) }},
	{"epoch-guard-refused", "a command was applied in another epoch than its guard names, and refused", func(c *Cell) uint64 { return c.watch.Calls.Aborted }},
	{"answer-repeated", "a duplicate of a call got the stored answer", func(c *Cell) uint64 { return c.watch.Calls.Repeated }},
	{"stale-call", "a duplicate arrived after its client had stopped waiting for the call", func(c *Cell) uint64 { return c.watch.Calls.Stale }},
	{"given-up-came", "a write arrived after its client had given it up and had the answer to another call", func(c *Cell) uint64 { return c.faults.Outlived }},
	{"news-lost", "an answer to a KeepAlive was lost that carried events", func(c *Cell) uint64 { return c.faults.NewsLost }},
	{"news-repeated", "a KeepAlive arrived again after an answer that carried events", func(c *Cell) uint64 { return c.faults.NewsRepeated }},
	{"answer-overtaken", "an answer that might be cached, or one to an Open, arrived after a later one to the same client", func(c *Cell) uint64 { return c.faults.Overtaken }},
	{"session-gone", "a call arrived after its session had ended", func(c *Cell) uint64 { return c.watch.Calls.Orphans }},
	{"late-epoch", "an Epoch command was applied after its master had lost the lead", func(c *Cell) uint64 { return c.watch.Epochs.LateEpochs }},
	{"conflict", "a compare-and-set found another value", func(c *Cell) uint64 { return c.watch.Calls.Conflicts }},
	{"batch", "one slot held several commands", func(c *Cell) uint64 { return c.watch.Calls.Batches }},
	{"burst", "a replica took in two or more messages of clients before it acted on them", func(c *Cell) uint64 { return c.rare.bursts }},
	{"inbox-full", "the inbox of a replica was full, and it answered a client busy", func(c *Cell) uint64 { return c.rare.crushed }},
	{"vote-replaced", "a slot was voted on at more than one ballot", func(c *Cell) uint64 { return c.watch.Revotes() }},
	{"unreadable-vote", "a disk returned a vote whose value was unreadable, and the replica reported it", func(c *Cell) uint64 { return uint64(c.watch.Rot.Unreadable) }},
	{"unreadable-in-quorum", "a quorum that decided phase 1 had an unreadable vote", func(c *Cell) uint64 { return c.watch.Counts.DecidedUnread }},
	{"unreadable-cast-again", "a replica cast an unreadable vote again at the same ballot", func(c *Cell) uint64 { return uint64(c.watch.Rot.Recast) }},
	{"damaged-fetched", "a replica fetched from its peers a value that its disk had lost", func(c *Cell) uint64 { return uint64(c.watch.Rot.Restored) }},
	{"damaged-copy-repaired", "one copy of a register on a damaged disk was written anew", func(c *Cell) uint64 { return uint64(c.watch.Rot.Repaired) }},
	{"damage-stopped", "a replica did not start, because of the damage of its disk", func(c *Cell) uint64 { return uint64(c.watch.Rot.Stopped) }},
	{"star-served", "a cell served while its replicas reached each other through one replica only", func(c *Cell) uint64 { return uint64(c.stars) }},
	{"failover-in-failover", "a replica began to lead before the last new leader served", func(c *Cell) uint64 { return c.rare.nested }},
	{"moment", "a fault struck a leader just as it proposed or applied a command of a drawn kind", func(c *Cell) uint64 { return c.faults.Moments }},
	{"delays-inherited", "an epoch began while two delays of one lock ran", func(c *Cell) uint64 { return c.locks.Owed.Several }},
	{"ballot-again", "a replica led at a ballot at which an earlier life of it had led, and which it had forgotten", func(c *Cell) uint64 { return c.rare.again }},
	{"duel-of-three", "three replicas were candidates at the same time", func(c *Cell) uint64 { return c.rare.duels }},
	{"hand-over", "a serving master was told to step down, and another replica served after it", func(c *Cell) uint64 { return c.rare.handovers }},
	{"boot-refused-page", "a page of the present ballot was dropped because it answered an earlier life", func(c *Cell) uint64 { return c.watch.Counts.StaleBoots }},
	{"source-died", "a replica stopped or lost power while others fetched a snapshot from it", func(c *Cell) uint64 { return c.rare.sources }},
	{"promise-half-written", "a replica found at its start that the second promise file was older than the first", func(c *Cell) uint64 { return c.rare.halves }},
	{"torn-with-good-behind", "a torn tail had a whole frame behind the torn one", func(c *Cell) uint64 { return c.rare.wholeBehind }},
	{"sync-failed-under-load", "a sync failed while a message waited for its records", func(c *Cell) uint64 { return c.rare.syncs }},
	{"roll-in-recovery", "a log began a new segment while its replica still caught up after a start", func(c *Cell) uint64 { return c.rare.rolls }},
	{"lease-refused", "a replica refused a candidate because its grant to the leader ran", func(c *Cell) uint64 { return c.watch.Counts.LeaseRejections }},
	{"lease-waited", "a replica put off a campaign until its own grant ended", func(c *Cell) uint64 { return c.watch.Counts.Waited }},
	{"lease-renewed", "a leader's read authority was extended", func(c *Cell) uint64 { return c.leases.Renewals }},
	{"stale-lease-answer", "a grant came too late to count, or for another ballot", func(c *Cell) uint64 { return c.watch.Counts.StaleGrants }},
	{"ballot-boost", "a leader ran phase 1 again at a higher ballot", func(c *Cell) uint64 { return c.watch.Counts.Boosts }},
	{"boost-kept", "a ballot boost kept its tenure", func(c *Cell) uint64 { return c.watch.Counts.Boosted }},
	{"read-alone", "a master answered a read from its rows, without the log", func(c *Cell) uint64 { return c.leases.Reads.Local }},
	{"read-without-lease", "a read had to go through the log because the master had no lease", func(c *Cell) uint64 { return c.leases.Reads.Logged }},
	{"lease-refused-drift", "a read had to go through the log only because of the margin for clock errors", func(c *Cell) uint64 { return c.leases.Reads.Drifted }},
	{"lease-given-up", "a leader gave up its lease and then stepped down, as it was told", func(c *Cell) uint64 { return c.watch.Counts.HandedOver }},
	{"session-expired", "a master ended a session whose lease was over", func(c *Cell) uint64 { return uint64(c.beliefs.Ended) }},
	{"session-followed", "a client whose session had ended, with nothing lost, opened another one", func(c *Cell) uint64 { return uint64(c.promises.Renewed) }},
	{"lease-longer", "a session lease was longer than the shortest, because there were many sessions", func(c *Cell) uint64 { return c.sessions.Lengths.Longer }},
	{"longest-raised", "the longest session lease was raised, because there were more sessions", func(c *Cell) uint64 { return c.sessions.Lengths.Raised }},
	{"longest-lowered", "the longest session lease was lowered, because there were fewer sessions", func(c *Cell) uint64 { return c.sessions.Lengths.Lowered }},
	{"ephemeral-swept", "an ephemeral node that no session had open was deleted", func(c *Cell) uint64 { return uint64(c.beliefs.Swept) }},
	{"lock-failed", "a lock was freed because its holder failed", func(c *Cell) uint64 { return c.locks.Failed }},
	{"token-refused", "a resource outside of the cell refused a token below one that it had seen", func(c *Cell) uint64 { return uint64(c.load.Fence.Resource.Refused) }},
	{"long-queue", "twenty or more Acquires waited for one lock", func(c *Cell) uint64 { return uint64(max(0, c.queues.Most-19)) }},
	{"waiter-tried", "an Acquire that waited for a lock was proposed", func(c *Cell) uint64 { return c.queues.Woken }},
	{"waiter-shut", "a handle was closed or poisoned while an Acquire of it waited", func(c *Cell) uint64 { return c.queues.Shut }},
	{"handle-shared", "a program acquired a lock by a handle that another program of its client had opened", func(c *Cell) uint64 { return c.load.Shared }},
	{"event-told", "a handle received an event", func(c *Cell) uint64 { return c.told.Told }},
	{"event-read-again", "a handle received \"read again\"", func(c *Cell) uint64 { return c.told.ReadAgain }},
	{"event-replaced", "a master sent \"read again\" in place of events that it had not kept or not seen", func(c *Cell) uint64 { return c.told.Replaced }},
	{"event-relisted", "a program listed a directory again because of an event", func(c *Cell) uint64 { return c.load.Relisted }},
	{"lock-wanted", "the holder of a lock received the event that another handle wants it", func(c *Cell) uint64 { return c.told.Wanted }},
	{"lock-owed", "a holder that asked for that event held a lock for which another handle waited", func(c *Cell) uint64 { return c.wanted.Held }},
	{"lock-owed-several", "the same, for a lock with several holders", func(c *Cell) uint64 { return c.wanted.Shared }},
	{"cache-hit", "a client read contents or metadata of a node from its cache", func(c *Cell) uint64 { return c.caches.reads.Hits }},
	{"cache-names", "a client read the names in a directory from its cache", func(c *Cell) uint64 { return c.caches.reads.Names }},
	{"cache-absence", "a client learned from its cache that a node does not exist", func(c *Cell) uint64 { return c.caches.reads.Absences }},
	{"cache-open", "a client opened a node by a handle that it had kept open", func(c *Cell) uint64 { return c.caches.reads.Opens }},
	{"cache-allowed", "a master let a client cache an answer", func(c *Cell) uint64 { return c.caches.drops.Cacheable }},
	{"cache-drop", "a master told a client to drop something from its cache", func(c *Cell) uint64 { return c.caches.drops.Told }},
	{"cache-drop-all", "a master told a client to drop all that is in its cache", func(c *Cell) uint64 { return c.caches.drops.All }},
	{"cache-acked", "a client acknowledged that it had dropped something", func(c *Cell) uint64 { return c.caches.drops.Acked }},
	{"cache-waited", "a change waited for a client that had to drop something, or could not be told yet", func(c *Cell) uint64 { return c.caches.held.Waited }},
	{"cache-lifted", "such a change went on", func(c *Cell) uint64 { return c.caches.held.Lifted }},
	{"cache-lease-bound", "a master extended the lease of a client that had not acknowledged a drop", func(c *Cell) uint64 { return c.caches.drops.Capped }},
	{"cache-failover", "an epoch began while a client had not acknowledged a drop of the last master", func(c *Cell) uint64 { return c.caches.drops.Failovers }},
	{"cache-flushed", "an epoch began while a client might have cached an answer of an earlier one", func(c *Cell) uint64 { return c.caches.drops.Flushed }},
	{"lock-kept", "a program acquired a lock without a message, because its handle had kept it", func(c *Cell) uint64 { return uint64(c.load.Kept) }},
	{"read-crossed", "what a program read changed during the read", func(c *Cell) uint64 { return c.caches.reads.Crossed }},
	{"session-deserted", "a client vanished while its session was alive", func(c *Cell) uint64 { return uint64(c.load.Deserted) }},
	{"tied-stale", "a program made a call by a handle that was tied to a stale sequencer", func(c *Cell) uint64 { return c.load.Stale }},
	{"contents-too-large", "a program wrote a file of one byte more than allowed", func(c *Cell) uint64 { return c.load.TooLarge }},
	{"right-used", "a client opened a node with rights that it has", func(c *Cell) uint64 { return c.rights.Verdicts[true] }},
	{"right-refused", "a client was refused because it lacked a right", func(c *Cell) uint64 { return c.rights.Verdicts[false] }},
	{"node-nested", "a node was made in a directory that stands in another", func(c *Cell) uint64 { return c.nodes.Nested }},
	{"directory-paged", "a directory was read in more than one page", func(c *Cell) uint64 { return c.nodes.Pages }},
	{"quota-refused", "a node, or contents, were refused because of a quota", func(c *Cell) uint64 { return c.quotas.Refused }},
	{"limits-set", "an operator changed limits of the cell", func(c *Cell) uint64 { return c.settings.Set }},
	{"limits-unknown", "an operator did not learn whether the limits were changed", func(c *Cell) uint64 { return c.settings.Unknown }},
	{"sessions-full", "a session was refused, because the limit of live sessions was reached", func(c *Cell) uint64 { return c.census.Full }},
	{"crowded", "a handle or a waiting Acquire was refused because of a limit", func(c *Cell) uint64 { return c.handles.Answers.Crowded }},
	{"client-busy", "a client refused a call, because too many of its calls waited", func(c *Cell) uint64 { return c.load.Busy }},
	{"open-homeless", "a repeated Open that an earlier master had executed found no room for its handle", func(c *Cell) uint64 { return c.handles.Answers.Homeless }},
	{"log-refused", "a leader refused a command, because too many waited for the log", func(c *Cell) uint64 { return c.watch.Counts.Refused }},
	{"handle-retaken", "a handle of an earlier epoch was used for a change or a lock", func(c *Cell) uint64 { return c.handles.Intents.Retaken }},
	{"forged-token", "a request came with a token that no master had given out", func(c *Cell) uint64 { return c.handles.Requests.Forged }},
	{"foreign-request", "a request came with another client's session or token", func(c *Cell) uint64 { return c.handles.Requests.Foreign }},
	{"shut-handle-used", "a request came by a handle that was closed or poisoned", func(c *Cell) uint64 { return c.handles.Requests.Shut }},
	{"unjustified-refused", "a master refused a request that its sender may not make", func(c *Cell) uint64 { return c.handles.Answers.Refused() }},
	{"request-replayed", "a hostile client sent again a message that it or another client had sent", func(c *Cell) uint64 { return c.adversary.Tricks["a replay, sent"] }},
	{"bytes-garbled", "a hostile client sent malformed bytes, or a garbled request", func(c *Cell) uint64 { return c.adversary.Tricks["malformed bytes, sent"] }},
	{"sequencer-refused", "a sequencer of a hostile client was refused as malformed or not valid", func(c *Cell) uint64 { return c.adversary.Tricks["a bad sequencer"] }},
	{"fence-valid", "a call was executed by a handle that was tied to a valid sequencer", func(c *Cell) uint64 { return c.sequencers.Kept }},
	{"fence-broken", "a call was refused because the sequencer of its handle was no longer valid", func(c *Cell) uint64 { return c.sequencers.Broken }},
	{"misfit-stopped", "a replica stopped because its configuration differed from that of its cell", func(c *Cell) uint64 { return c.rare.misfits }},
	{"misfit-told-late", "such a replica learned of it only from a snapshot", func(c *Cell) uint64 { return c.rare.misfitsTold }},
	{"rows-compared", "a replica compared its rows with those of another", func(c *Cell) uint64 { return c.watch.Audits.Compared }},
	{"rows-disagreed", "the rows of two replicas differed after one slot", func(c *Cell) uint64 { return c.watch.Audits.Disagreed }},
	{"minority-stopped", "a replica stopped because its rows were those of a minority, or had changed", func(c *Cell) uint64 { return uint64(c.watch.Rows.Minority) }},
	{"memory-stopped", "a replica stopped because its rows did not have the checksum that it had maintained", func(c *Cell) uint64 { return uint64(c.watch.Rows.Rotted) }},
	{"values-duel", "a slot got votes for two values", func(c *Cell) uint64 { return c.watch.Duels() }},
	{"snapshot-written", "a replica wrote a snapshot", func(c *Cell) uint64 { return c.watch.Snapshots.SnapshotsWritten }},
	{"snapshot-failed", "a snapshot could not be written, and the log was kept", func(c *Cell) uint64 { return c.watch.Snapshots.SnapshotsFailed }},
	{"snapshot-installed", "a laggard installed the snapshot of another replica", func(c *Cell) uint64 { return c.watch.Counts.Installed }},
	{"snapshot-over-vote", "a snapshot was installed over a slot with a vote", func(c *Cell) uint64 { return c.watch.Counts.InstalledOverVote }},
	{"snapshot-below-vote", "a snapshot was installed below slots with votes", func(c *Cell) uint64 { return c.watch.Counts.InstalledBelowVote }},
	{"snapshot-older", "a restart used an older snapshot, because the newest was bad", func(c *Cell) uint64 { return uint64(c.watch.Snapshots.Older) }},
	{"snapshot-spoilt", "a replica found its own snapshot bad when it read it for a peer", func(c *Cell) uint64 { return uint64(c.watch.Snapshots.Spoilt) }},
	{"snapshot-asked-again", "a replica asked again for the checksums of a majority before it wrote a snapshot", func(c *Cell) uint64 { return c.watch.Snapshots.SumsAskedAgain }},
	{"snapshot-relayed", "a checksum, or a question for one, was relayed by a third replica", func(c *Cell) uint64 { return c.watch.Snapshots.SumsRelayed }},
	{"snapshot-outdated", "a peer no longer had the checksum of a slot, and a snapshot of a later slot was begun", func(c *Cell) uint64 { return c.watch.Snapshots.SumsOutdated }},
	{"snapshot-odd", "a replica stopped before it wrote a snapshot, because its rows were those of a minority", func(c *Cell) uint64 { return c.watch.Snapshots.SumsInMinority }},
	{"backup-made", "a master wrote a backup", func(c *Cell) uint64 { return uint64(c.backups.Made) }},
	{"backup-found", "a master found and recorded a backup of a predecessor that had not recorded it", func(c *Cell) uint64 { return uint64(c.backups.Found) }},
	{"backup-failed", "a backup could not be written", func(c *Cell) uint64 { return uint64(c.backups.Failed) }},
	{"cell-reborn", "a cell was restored from the newest backup, and served", func(c *Cell) uint64 {
		if c.reborn {
			return 1
		}
		return 0
	}},
	{"transfer-cut", "a snapshot was begun although a peer was still fetching the last one", func(c *Cell) uint64 { return uint64(c.watch.Snapshots.Cut) }},
	{"transfer-overtaken", "a fetched snapshot was of no use, because the log had caught up meanwhile", func(c *Cell) uint64 { return uint64(c.watch.Snapshots.Overtaken) }},
	{"transfer-restarted", "a transfer began again, because its source had a newer snapshot", func(c *Cell) uint64 { return c.watch.Snapshots.TransfersRestarted }},
	{"transfer-source-silent", "a laggard switched to another source, because its source was silent", func(c *Cell) uint64 { return c.watch.Snapshots.SourcesSwitched }},
	{"sum-during-snapshot", "a checksum was compared while the replica was writing a snapshot", func(c *Cell) uint64 { return uint64(c.watch.Snapshots.Sums) }},
}

// Situation describes a rare situation, for lists.
type Situation struct {
	Name, Help string
	Demanded   bool // many seeds together must reach it
}

// Situations returns all rare situations.
func Situations() []Situation {
	var all []Situation
	for _, s := range situations {
		all = append(all, Situation{s.name, s.help, Demanded(s.name)})
	}
	return all
}

// sometimes returns how often each situation was reached; situations that were not reached are
// listed with 0.
func (c *seedRun) sometimes() []Number {
	c.rare.over = true
	for _, m := range c.machines.Replicas {
		c.retire(running(m))
	}
	var all []Number
	for _, s := range situations {
		all = append(all, Number{s.name, s.n(c.Cell)})
	}
	return all
}

// retire adds up the counters of a life that ends. It does nothing if r is nil, or already retired.
func (c *Cell) retire(r *replica) {
	if r == nil || r.retired {
		return
	}
	if n := r.Host.Core(); n != nil {
		r.retired = true
		c.onLifeEnd(r)
		c.watch.Counts.Add(n.Status().Count)
		c.rare.bursts += r.Shared()
		a := n.Audit()
		c.watch.Audits.Summed += a.Summed
		c.watch.Audits.Compared += a.Compared
		c.watch.Audits.Disagreed += a.Disagreed
		c.watch.Audits.Overlapped += a.Overlapped
		c.leases.Add(n.Reads())
		c.watch.Snapshots.Add(r.Host.Counters())
		if c.events.Wanted() {
			c.publish(event.Ended{Replica: r.Id, Boot: n.Status().Boot, Err: r.Stopped})
		}
	}
}
