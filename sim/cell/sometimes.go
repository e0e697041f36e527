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
	{"quorum-lost", "a leader gave up because no quorum answered", func(c *Cell) uint64 { return c.watch.Counts.QuorumLost }},
	{"noop-filled-hole", "a new leader filled a hole with a no-op", func(c *Cell) uint64 { return c.watch.Counts.NoopFilled }},
	{"window-full", "a command had to wait because the window was full", func(c *Cell) uint64 { return c.watch.Counts.WindowFull }},
	{"accept-resent", "an Accept was sent again", func(c *Cell) uint64 { return c.watch.Counts.Retransmitted }},
	{"catch-up", "a laggard fetched chosen values", func(c *Cell) uint64 { return c.watch.Counts.Fetches }},
	{"too-far", "a replica took no notice of a slot that was too far above those it knew", func(c *Cell) uint64 { return c.watch.Counts.TooFar }},
	{"source-switched", "a laggard turned to another source", func(c *Cell) uint64 { return c.watch.Counts.SourceSwitched }},
	{"stale-answer", "an answer to an earlier ballot, life or page was dropped", func(c *Cell) uint64 { return c.watch.Counts.Stale }},
	{"disk-failed", "a replica stopped because its disk failed", func(c *Cell) uint64 { return uint64(c.failures) }},
	{"torn-tail", "a log was cut after a power cut", func(c *Cell) uint64 { return uint64(c.watch.Logs.TornTails) }},
	{"epoch-guard-refused", "a command met another epoch than the one it was received in", func(c *Cell) uint64 { return c.watch.Calls.Aborted }},
	{"answer-repeated", "a retry was given the stored answer", func(c *Cell) uint64 { return c.watch.Calls.Repeated }},
	{"stale-call", "a copy came after its caller had gone on", func(c *Cell) uint64 { return c.watch.Calls.Stale }},
	{"given-up-came", "a write came after its client had given it up, and was answered another call", func(c *Cell) uint64 { return c.faults.Outlived }},
	{"news-lost", "an answer to a KeepAlive was lost that carried events", func(c *Cell) uint64 { return c.faults.NewsLost }},
	{"news-repeated", "a KeepAlive came again after an answer that carried events", func(c *Cell) uint64 { return c.faults.NewsRepeated }},
	{"answer-overtaken", "an answer that might be cached, or to an Open, came behind a later one to the same client", func(c *Cell) uint64 { return c.faults.Overtaken }},
	{"session-gone", "a call came after its session had ended", func(c *Cell) uint64 { return c.watch.Calls.Orphans }},
	{"late-epoch", "an epoch command took effect whose master no longer led", func(c *Cell) uint64 { return c.watch.Epochs.LateEpochs }},
	{"conflict", "a compare-and-set met another value", func(c *Cell) uint64 { return c.watch.Calls.Conflicts }},
	{"batch", "one slot held several commands", func(c *Cell) uint64 { return c.watch.Calls.Batches }},
	{"burst", "a message of a client was taken in behind another one, before anything was carried out", func(c *Cell) uint64 { return c.rare.bursts }},
	{"inbox-full", "a message of a client found no room at a busy replica, and was answered so", func(c *Cell) uint64 { return c.rare.crushed }},
	{"vote-replaced", "a slot was voted on at more than one ballot", func(c *Cell) uint64 { return c.watch.Revotes() }},
	{"unreadable-vote", "a disk gave back a vote without its value, and said so", func(c *Cell) uint64 { return uint64(c.watch.Rot.Unreadable) }},
	{"unreadable-in-quorum", "an unreadable vote stood in a quorum that decided phase 1", func(c *Cell) uint64 { return c.watch.Counts.DecidedUnread }},
	{"unreadable-cast-again", "a vote that a disk gave back without its value was cast again at the same ballot", func(c *Cell) uint64 { return uint64(c.watch.Rot.Recast) }},
	{"damaged-fetched", "a value that a disk had lost came back from others", func(c *Cell) uint64 { return uint64(c.watch.Rot.Restored) }},
	{"damaged-copy-repaired", "one copy of a register on a damaged disk was written anew", func(c *Cell) uint64 { return uint64(c.watch.Rot.Repaired) }},
	{"damage-stopped", "a replica refused its damaged disk, for good", func(c *Cell) uint64 { return uint64(c.watch.Rot.Stopped) }},
	{"star-served", "a cell served whose replicas heard one another by way of one alone", func(c *Cell) uint64 { return uint64(c.stars) }},
	{"failover-in-failover", "a replica began to lead before the one that had begun last came to serve", func(c *Cell) uint64 { return c.rare.nested }},
	{"moment", "a leader was struck as it proposed or applied a command of some kind", func(c *Cell) uint64 { return c.faults.Moments }},
	{"delays-inherited", "an epoch began while two delays of one lock ran", func(c *Cell) uint64 { return c.locks.Owed.Several }},
	{"ballot-again", "a replica led at a ballot that an earlier life of it had led at and forgotten", func(c *Cell) uint64 { return c.rare.again }},
	{"duel-of-three", "three replicas asked for promises at one time", func(c *Cell) uint64 { return c.rare.duels }},
	{"hand-over", "a master that served was told to step down, and another replica served after it", func(c *Cell) uint64 { return c.rare.handovers }},
	{"boot-refused-page", "a page of the present ballot was refused because an earlier life had asked for it", func(c *Cell) uint64 { return c.watch.Counts.StaleBoots }},
	{"source-died", "a replica that others fetched from lost power or stopped", func(c *Cell) uint64 { return c.rare.sources }},
	{"promise-half-written", "a start found the second promise file behind the first", func(c *Cell) uint64 { return c.rare.halves }},
	{"torn-with-good-behind", "a torn tail had a whole frame behind the broken place", func(c *Cell) uint64 { return c.rare.wholeBehind }},
	{"sync-failed-under-load", "a sync failed while a message waited for what it covered", func(c *Cell) uint64 { return c.rare.syncs }},
	{"roll-in-recovery", "a log began a segment while its replica still caught up after a start", func(c *Cell) uint64 { return c.rare.rolls }},
	{"lease-refused", "a replica kept its word to a leader and refused another", func(c *Cell) uint64 { return c.watch.Counts.LeaseRejections }},
	{"lease-waited", "a replica that would have campaigned waited for its own word to end", func(c *Cell) uint64 { return c.watch.Counts.Waited }},
	{"lease-renewed", "a leader's read authority was extended", func(c *Cell) uint64 { return c.leases.Renewals }},
	{"stale-lease-answer", "a grant came too late to count, or for another ballot", func(c *Cell) uint64 { return c.watch.Counts.StaleGrants }},
	{"ballot-boost", "a leader ran phase 1 again at a higher ballot", func(c *Cell) uint64 { return c.watch.Counts.Boosts }},
	{"boost-kept", "a ballot boost kept its tenure", func(c *Cell) uint64 { return c.watch.Counts.Boosted }},
	{"read-alone", "a master answered a read from its rows, without the log", func(c *Cell) uint64 { return c.leases.Reads.Local }},
	{"read-without-lease", "a read had to go through the log, for want of a lease", func(c *Cell) uint64 { return c.leases.Reads.Logged }},
	{"lease-refused-drift", "a read had to go through the log only because clocks may err", func(c *Cell) uint64 { return c.leases.Reads.Drifted }},
	{"lease-given-up", "a leader stopped on demand, its lease first", func(c *Cell) uint64 { return c.watch.Counts.HandedOver }},
	{"session-expired", "a master ended a session whose lease was over", func(c *Cell) uint64 { return uint64(c.beliefs.Ended) }},
	{"session-followed", "a client whose session had ended, and who had lost nothing, went on under another one", func(c *Cell) uint64 { return uint64(c.promises.Renewed) }},
	{"lease-longer", "a lease was longer than the shortest, since sessions were many", func(c *Cell) uint64 { return c.sessions.Lengths.Longer }},
	{"longest-raised", "the longest lease was raised, since there were more sessions", func(c *Cell) uint64 { return c.sessions.Lengths.Raised }},
	{"longest-lowered", "the longest lease was lowered, since there were fewer", func(c *Cell) uint64 { return c.sessions.Lengths.Lowered }},
	{"ephemeral-swept", "an ephemeral node that no session had open was deleted", func(c *Cell) uint64 { return uint64(c.beliefs.Swept) }},
	{"lock-failed", "a lock was freed because its holder failed", func(c *Cell) uint64 { return c.locks.Failed }},
	{"token-refused", "a resource outside of the cell refused a token below one that it had seen", func(c *Cell) uint64 { return uint64(c.load.Fence.Resource.Refused) }},
	{"long-queue", "twenty or more waited for one lock at one time", func(c *Cell) uint64 { return uint64(max(0, c.queues.Most-19)) }},
	{"waiter-tried", "the turn of an Acquire that waited for a lock came", func(c *Cell) uint64 { return c.queues.Woken }},
	{"waiter-shut", "a handle was closed or poisoned while an Acquire of it waited", func(c *Cell) uint64 { return c.queues.Shut }},
	{"handle-shared", "a program locked by a handle that another one of its client had opened", func(c *Cell) uint64 { return c.load.Shared }},
	{"event-told", "a handle heard of a change", func(c *Cell) uint64 { return c.told.Told }},
	{"event-read-again", "a handle heard that it was to read again", func(c *Cell) uint64 { return c.told.ReadAgain }},
	{"event-replaced", "a master told a handle to read again, in place of events that it had not kept or not seen", func(c *Cell) uint64 { return c.told.Replaced }},
	{"event-relisted", "a program listed a directory because an event of it came", func(c *Cell) uint64 { return c.load.Relisted }},
	{"lock-wanted", "the holder of a lock heard that another handle asked for it", func(c *Cell) uint64 { return c.told.Wanted }},
	{"lock-owed", "a holder that was to hear of it had a lock for which another handle waited", func(c *Cell) uint64 { return c.wanted.Held }},
	{"lock-owed-several", "one had it while others held it, too", func(c *Cell) uint64 { return c.wanted.Shared }},
	{"cache-hit", "contents or metadata of a node were read from a cache", func(c *Cell) uint64 { return c.caches.reads.Hits }},
	{"cache-names", "the names in a directory were read from a cache", func(c *Cell) uint64 { return c.caches.reads.Names }},
	{"cache-absence", "that a node is not there was read from a cache", func(c *Cell) uint64 { return c.caches.reads.Absences }},
	{"cache-open", "a node was opened by a handle that its client had kept", func(c *Cell) uint64 { return c.caches.reads.Opens }},
	{"cache-allowed", "a master let a client cache an answer", func(c *Cell) uint64 { return c.caches.drops.Cacheable }},
	{"cache-drop", "a master told a client to drop something from its cache", func(c *Cell) uint64 { return c.caches.drops.Told }},
	{"cache-drop-all", "a master told a client to drop all that is in its cache", func(c *Cell) uint64 { return c.caches.drops.All }},
	{"cache-acked", "a client said that it has dropped something", func(c *Cell) uint64 { return c.caches.drops.Acked }},
	{"cache-waited", "a change waited while a client had something to drop, or could not be told to", func(c *Cell) uint64 { return c.caches.held.Waited }},
	{"cache-lifted", "such a change went on", func(c *Cell) uint64 { return c.caches.held.Lifted }},
	{"cache-lease-bound", "a lease was told to a client that had yet to say that it has dropped something", func(c *Cell) uint64 { return c.caches.drops.Capped }},
	{"cache-failover", "a master began to serve while a client had yet to drop what one before had told it to", func(c *Cell) uint64 { return c.caches.drops.Failovers }},
	{"cache-flushed", "an epoch began while a client might have kept an answer of an earlier one", func(c *Cell) uint64 { return c.caches.drops.Flushed }},
	{"lock-kept", "a program acquired without the cell what it had released: its handle had kept the lock", func(c *Cell) uint64 { return uint64(c.load.Kept) }},
	{"read-crossed", "what a program read of was changed meanwhile", func(c *Cell) uint64 { return c.caches.reads.Crossed }},
	{"session-deserted", "a client vanished while its session was alive", func(c *Cell) uint64 { return uint64(c.load.Deserted) }},
	{"tied-stale", "a program made a call by a handle that was tied to a stale sequencer", func(c *Cell) uint64 { return c.load.Stale }},
	{"contents-too-large", "a program wrote a file of one byte more than there may be", func(c *Cell) uint64 { return c.load.TooLarge }},
	{"right-used", "a client opened a node, and had the rights", func(c *Cell) uint64 { return c.rights.Verdicts[true] }},
	{"right-refused", "a client was refused for want of a right", func(c *Cell) uint64 { return c.rights.Verdicts[false] }},
	{"node-nested", "a node was made in a directory that stands in another", func(c *Cell) uint64 { return c.nodes.Nested }},
	{"directory-paged", "a directory was read in more than one page", func(c *Cell) uint64 { return c.nodes.Pages }},
	{"quota-refused", "a node, or contents, were refused for want of room", func(c *Cell) uint64 { return c.quotas.Refused }},
	{"limits-set", "an operator changed limits of the cell", func(c *Cell) uint64 { return c.settings.Set }},
	{"limits-unknown", "an operator was not told whether limits were changed", func(c *Cell) uint64 { return c.settings.Unknown }},
	{"sessions-full", "a session was refused, since as many were alive as may be", func(c *Cell) uint64 { return c.census.Full }},
	{"crowded", "a handle, or a place to wait, was refused for want of room", func(c *Cell) uint64 { return c.handles.Answers.Crowded }},
	{"client-busy", "a client took no more calls, since too many of its own waited", func(c *Cell) uint64 { return c.load.Busy }},
	{"open-homeless", "an Open of before found no room for its handle at the next master", func(c *Cell) uint64 { return c.handles.Answers.Homeless }},
	{"log-refused", "the log took no more of what its own leader had to propose", func(c *Cell) uint64 { return c.watch.Counts.Refused }},
	{"handle-retaken", "a handle of an earlier epoch changed or locked something", func(c *Cell) uint64 { return c.handles.Intents.Retaken }},
	{"forged-token", "a token came that was never given out", func(c *Cell) uint64 { return c.handles.Requests.Forged }},
	{"foreign-request", "a request came with another client's session or token", func(c *Cell) uint64 { return c.handles.Requests.Foreign }},
	{"shut-handle-used", "a request came by a handle that was closed or poisoned", func(c *Cell) uint64 { return c.handles.Requests.Shut }},
	{"unjustified-refused", "what no request spoke for was refused", func(c *Cell) uint64 { return c.handles.Answers.Refused() }},
	{"request-replayed", "a hostile client sent again what was sent before, by it or others", func(c *Cell) uint64 { return c.adversary.Tricks["a replay, sent"] }},
	{"bytes-garbled", "a hostile client sent what is no request, or another one", func(c *Cell) uint64 { return c.adversary.Tricks["malformed bytes, sent"] }},
	{"sequencer-refused", "a hostile client showed a sequencer that was none, or not valid any more", func(c *Cell) uint64 { return c.adversary.Tricks["a bad sequencer"] }},
	{"fence-valid", "a deed was done by a handle whose sequencer was valid", func(c *Cell) uint64 { return c.sequencers.Kept }},
	{"fence-broken", "a deed was refused because the sequencer of its handle was not valid any more", func(c *Cell) uint64 { return c.sequencers.Broken }},
	{"misfit-stopped", "a replica stopped because it was configured otherwise than its cell", func(c *Cell) uint64 { return c.rare.misfits }},
	{"misfit-told-late", "one that had joined late was told of that by a snapshot", func(c *Cell) uint64 { return c.rare.misfitsTold }},
	{"rows-compared", "a replica compared its rows with those of another", func(c *Cell) uint64 { return c.watch.Audits.Compared }},
	{"rows-disagreed", "two replicas had other rows after one slot", func(c *Cell) uint64 { return c.watch.Audits.Disagreed }},
	{"minority-stopped", "a replica stopped because its rows were those of a minority, or not its own", func(c *Cell) uint64 { return uint64(c.watch.Rows.Minority) }},
	{"memory-stopped", "a replica stopped because its rows had another checksum than it had kept", func(c *Cell) uint64 { return uint64(c.watch.Rows.Rotted) }},
	{"values-duel", "a slot got votes for two values", func(c *Cell) uint64 { return c.watch.Duels() }},
	{"snapshot-written", "a replica wrote a snapshot", func(c *Cell) uint64 { return c.watch.Snapshots.SnapshotsWritten }},
	{"snapshot-failed", "a snapshot could not be written, and the log was kept", func(c *Cell) uint64 { return c.watch.Snapshots.SnapshotsFailed }},
	{"snapshot-installed", "a laggard took over the snapshot of another replica", func(c *Cell) uint64 { return c.watch.Counts.Installed }},
	{"snapshot-over-vote", "a snapshot was installed over a slot with a vote", func(c *Cell) uint64 { return c.watch.Counts.InstalledOverVote }},
	{"snapshot-below-vote", "a snapshot was installed, and votes stood above it", func(c *Cell) uint64 { return c.watch.Counts.InstalledBelowVote }},
	{"snapshot-older", "a restart used an older snapshot, because the newest was bad", func(c *Cell) uint64 { return uint64(c.watch.Snapshots.Older) }},
	{"snapshot-spoilt", "a replica found a snapshot of its own bad, as it read it for a peer", func(c *Cell) uint64 { return uint64(c.watch.Snapshots.Spoilt) }},
	{"snapshot-asked-again", "rows for a snapshot waited longer for the word of a majority", func(c *Cell) uint64 { return c.watch.Snapshots.SumsAskedAgain }},
	{"snapshot-relayed", "a word about rows went by way of a third replica", func(c *Cell) uint64 { return c.watch.Snapshots.SumsRelayed }},
	{"snapshot-outdated", "a peer did not know the sum of a slot any more, and a snapshot of a later one was begun", func(c *Cell) uint64 { return c.watch.Snapshots.SumsOutdated }},
	{"snapshot-odd", "a replica stopped because its rows for a snapshot were those of a minority", func(c *Cell) uint64 { return c.watch.Snapshots.SumsInMinority }},
	{"backup-made", "a master wrote a backup to its place", func(c *Cell) uint64 { return uint64(c.backups.Made) }},
	{"backup-found", "a backup whose master did not live to have it recorded was found", func(c *Cell) uint64 { return uint64(c.backups.Found) }},
	{"backup-failed", "a backup could not be written", func(c *Cell) uint64 { return uint64(c.backups.Failed) }},
	{"cell-reborn", "a new cell was made of the newest backup, and served", func(c *Cell) uint64 {
		if c.reborn {
			return 1
		}
		return 0
	}},
	{"transfer-cut", "a snapshot was begun while a peer was fetching, whose time was up", func(c *Cell) uint64 { return uint64(c.watch.Snapshots.Cut) }},
	{"transfer-overtaken", "records had come further than a snapshot when that was there", func(c *Cell) uint64 { return uint64(c.watch.Snapshots.Overtaken) }},
	{"transfer-restarted", "a source had moved on, and a transfer began anew", func(c *Cell) uint64 { return c.watch.Snapshots.TransfersRestarted }},
	{"transfer-source-silent", "the source of a transfer was silent, and another one was asked", func(c *Cell) uint64 { return c.watch.Snapshots.SourcesSwitched }},
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
