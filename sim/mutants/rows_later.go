package mutants

// The rows of the catalogue on snapshots and the master lease, and the rows on membership changes, which are not built
// yet.

func snapshotsRows() []Row {
	return []Row{
		applied(GroupSnapshots, "S01", "A", "a snapshot holds effects of later slots"),
		absent(GroupSnapshots, "S03", "A", "a snapshot omits the members",
			"later, with changes of membership: the handle names the members, who never change; a snapshot of others stops the host"),
		applied(GroupSnapshots, "S04", "A", "a snapshot omits the answers kept for repetition"),
		applied(GroupSnapshots, "S06", "A", "the log loses one slot too many"),
		applied(GroupSnapshots, "S07", "A", "the log is shortened when a snapshot begins, not when it is confirmed"),
		applied(GroupSnapshots, "S09", "A", "installing a snapshot clears votes above it"),
		applied(GroupSnapshots, "S10", "A", "after an installed snapshot the slot it ends with is applied again"),
		absent(GroupSnapshots, "S12", "A", "an installed snapshot leaves superseded members in force",
			"later, with changes of membership: the handle names the members, who never change; a snapshot of others stops the host"),
		weak(GroupSnapshots, "S13", "B", "a transfer goes on with pieces of another snapshot",
			"the lane refuses a piece of another snapshot, and the checksum of each chunk stands on the header, so it costs a transfer. TestOnePieceAfterTheOther in replica/driver kills it"),
		weak(GroupSnapshots, "S14", "B", "a laggard asks the peer it began with for ever",
			"a source that comes back ends the wait. Trace catch_up_by_records kills it"),
		absent(GroupSnapshots, "S15", "B", "nothing is collected before all replicas are ready",
			"not expressible: a replica drops what its own snapshots cover, and nothing it looks at then says how far others are"),
		absent(GroupSnapshots, "S16", "B", "a snapshot holds a change of members that was not chosen",
			"later, with changes of membership: the handle names the members, who never change; a snapshot of others stops the host"),
		applied(GroupSnapshots, "S17", "B", "what was fetched is handed out, and kept neither in the log nor for others"),
	}
}

func membershipRows() []Row {
	return []Row{
		absent(GroupMembership, "R01", "A", "a change of members takes effect before the window is over",
			"later, with changes of membership: paxos.membership answers the one group of the configuration for every slot"),
		absent(GroupMembership, "R03", "A", "a quorum is asked of the newest members, not of those that govern the slot",
			"later, with changes of membership: paxos.membership answers the one group of the configuration for every slot"),
		absent(GroupMembership, "R04", "A", "phase 1 asks the newest members only",
			"later, with changes of membership: paxos.membership answers the one group of the configuration for every slot"),
		absent(GroupMembership, "R06", "A", "a second change begins before the first is decided in this tenure",
			"later, with changes of membership: paxos.membership answers the one group of the configuration for every slot"),
		absent(GroupMembership, "R07", "B", "votes of removed members count",
			"later, with changes of membership: paxos.membership answers the one group of the configuration for every slot; strangers are dropped at the door"),
		absent(GroupMembership, "R08", "C", "a removed member goes on campaigning",
			"later, with changes of membership: paxos.membership answers the one group of the configuration for every slot"),
		absent(GroupMembership, "R09", "A", "a new member votes before it has what the master waits for",
			"later, with changes of membership: paxos.membership answers the one group of the configuration for every slot"),
		absent(GroupMembership, "R11", "B", "the lease is asked of the old members",
			"later, with changes of membership: a lease is asked of the members of the leader's own group"),
		absent(GroupMembership, "R12", "B", "an unknown name in the first group counts as a member",
			"later, with changes of membership: every member of the first group is a replica id that the transport knows; there are no names to misspell"),
	}
}

func leaseRows() []Row {
	return []Row{
		applied(GroupLease, "L01", "A", "a lease counts from the arrival of its answer"),
		applied(GroupLease, "L02", "A", "the master honours as long a term as the replicas grant"),
		applied(GroupLease, "L04", "A", "a lease runs on the wall clock"),
		applied(GroupLease, "L05", "A", "whether a lease holds is kept in a flag"),
		applied(GroupLease, "L07", "B", "a grant at an older ballot renews the lease"),
		applied(GroupLease, "L08", "A", "a replica promises to another while its grant runs"),
		applied(GroupLease, "L09", "A", "a restarted replica has forgotten its grant"),
		applied(GroupLease, "L11", "A", "a new master reads before a value of its own is applied"),
		applied(GroupLease, "L12", "A", "a lease that has ended does not stop reads"),
		applied(GroupLease, "L13", "B", "a lease is kept after mastership was handed over"),
		applied(GroupLease, "L14", "B", "terms are cut to whole seconds"),
		applied(GroupLease, "L15", "B", "no instant means a lease for ever"),
		absent(GroupLease, "L16", "C", "heartbeats renew the lease of a master whose disk is stuck",
			"it is so here, and no bug: a value is chosen without the leader's disk, so a master with a stuck one goes on serving"),
		weak(GroupLease, "L17", "C", "nothing raises the ballot of a flapping master",
			"the higher ballot wins then, and costs a change of masters. Trace boost_keeps_a_stable_master kills it"),
		absent(GroupLease, "L18", "C", "renewals wait behind client work",
			"there is no queue: heartbeats leave when their time has come, whatever waits for a slot"),
		applied(GroupLease, "L19", "B", "a replica honours its own term, not the holder's"),
		applied(GroupLease, "L20", "B", "the lease is looked at before a request is queued"),
	}
}
