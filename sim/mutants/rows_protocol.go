package mutants

// The rows of the catalogue on the protocol, the log and the commands.

func paxosCoreRows() []Row {
	return []Row{
		applied(GroupPaxosCore, "P01", "A", "a Promise leaves before the promised ballot is on disk"),
		applied(GroupPaxosCore, "P02", "A", "an Accepted leaves before the vote is on disk"),
		applied(GroupPaxosCore, "P04", "A", "a restarted acceptor has forgotten its promise"),
		applied(GroupPaxosCore, "P05", "A", "the accept handler omits the ballot comparison"),
		applied(GroupPaxosCore, "P07", "A", "a vote at a higher ballot does not raise the promise"),
		applied(GroupPaxosCore, "P08", "A", "one variable for the promised and the accepted ballot: a vote is reported at the ballot promised since"),
		applied(GroupPaxosCore, "P10", "A", "recovery picks the most frequent value among the promises"),
		applied(GroupPaxosCore, "P11", "A", "a candidate leads, and fills holes, on the word of fewer than a quorum"),
		applied(GroupPaxosCore, "P13", "A", "replies are counted, not members"),
		applied(GroupPaxosCore, "P14", "A", "an Accepted is not matched against the present ballot"),
		applied(GroupPaxosCore, "P16", "A", "a new leader recovers slots only up to its own last one"),
		applied(GroupPaxosCore, "P17", "A", "new commands start above the leader's own last slot, not above the highest reported"),
		applied(GroupPaxosCore, "P19", "A", "the comparison of ballots ignores the node"),
		absent(GroupPaxosCore, "P20", "B", "ballots are numbered modulo the count of members",
			"later, with changes of membership: ballots are (round, node) pairs, and no member count enters them"),
		applied(GroupPaxosCore, "P21", "A", "a value is handed out when it is accepted here, before a majority has it"),
		applied(GroupPaxosCore, "P22", "B", "votes for equal values at different ballots are counted together"),
		applied(GroupPaxosCore, "P24", "A", "a missing slot is skipped: slot k+1 is handed out before slot k"),
		applied(GroupPaxosCore, "P25", "A", "a hole is taken for empty instead of being decided as a no-op"),
		applied(GroupPaxosCore, "P27", "B", "promises for an earlier attempt of the same candidate are counted for the next"),
		applied(GroupPaxosCore, "P28", "A", "catch-up serves votes that are not known as chosen"),
		applied(GroupPaxosCore, "P29", "A", "a restart takes every vote in its log for chosen"),
		applied(GroupPaxosCore, "P31", "B", "a candidate takes the first page of a promise for all of it"),
		weak(GroupPaxosCore, "P32", "C", "a refusal that names a lower ballot than the present attempt ends it",
			"a refusal names the ballot it refuses and the life that asked; the diff costs one election at a time and no property. Test stale_accept_is_nacked kills it"),
		applied(GroupPaxosCore, "P33", "B", "two notions of the present ballot: a node gives way only above the highest round it has seen"),
		applied(GroupPaxosCore, "P34", "B", "a change of role clears the vote: two candidates of one round get the promise"),
	}
}

func diskRows() []Row {
	return []Row{
		applied(GroupDisk, "W01", "A", "a bad checksum in the middle of the log is taken for its end"),
		applied(GroupDisk, "W02", "A", "the last frame is believed when it is long enough: checksums are not compared"),
		applied(GroupDisk, "W04", "A", "a failed sync is tried again and then believed"),
		applied(GroupDisk, "W05", "A", "records count as durable when write has returned; nothing is synced"),
		applied(GroupDisk, "W07", "B", "the directory is not synced after a segment was created"),
		applied(GroupDisk, "W08", "A", "old segments go before the snapshot is durable"),
		applied(GroupDisk, "W09", "A", "a snapshot gets its name before its data is synced"),
		applied(GroupDisk, "W10", "B", "a snapshot gets its name without a sync of the directory"),
		absent(GroupDisk, "W12", "A", "the applied slot is saved apart from the data",
			"impossible: rows live in memory and are rebuilt from snapshot and log at each start, so no applied slot is saved but in the header of a snapshot, with the rows; command counter, answers and rows of a slot change in one transaction"),
		applied(GroupDisk, "W13", "B", "the checksum of a frame does not cover the tag, in which slot and ballot stand"),
		applied(GroupDisk, "W14", "A", "a snapshot is loaded without its checksum"),
		applied(GroupDisk, "W16", "A", "an unreadable promise counts as none"),
		absent(GroupDisk, "W17", "A", "a replica that lost its disk votes as soon as it has caught up",
			"later, with changes of membership: there is no way back for a replica whose disk lost something: Open fails and the process ends (F0.2 b); it will return under a new id"),
		absent(GroupDisk, "W19", "A", "the literal rule of PML: vote again after one complete later instance",
			"later, with changes of membership: no replica abstains here, so there is no moment at which it could resume too early. Trace F0.1 needs a replica that comes back under its old id"),
		absent(GroupDisk, "W20", "A", "a replica that must not vote withholds votes and still promises",
			"later, with changes of membership: no replica runs without its promise, so nothing is withheld"),
		absent(GroupDisk, "W22", "B", "the mark of a lost disk is written after the first promise",
			"later, with changes of membership: there is no mark: the boot record and the two copies of the promise are the first things written, before any message"),
		applied(GroupDisk, "W23", "B", "the promise stands in one copy, which is overwritten in place"),
		applied(GroupDisk, "W24", "A", "replay keeps the first vote it sees for a slot"),
		applied(GroupDisk, "W25", "A", "replay restores only what is known as chosen and drops the other votes"),
		applied(GroupDisk, "W27", "B", "a write that ends short because the disk is full counts as done"),
		absent(GroupDisk, "W28", "C", "a large snapshot is written in one piece",
			"later, with snapshots: there is no snapshot to write"),
		applied(GroupDisk, "W29", "A", "the newest snapshot is chosen by its name"),
		applied(GroupDisk, "W30", "B", "what is left of a failed snapshot is used"),
		applied(GroupDisk, "W31", "B", "the promise register vouches for records that are written and not yet synced"),
		applied(GroupDisk, "W32", "B", "the end of a sync is taken for all that was handed over meanwhile"),
	}
}

func epochRows() []Row {
	return []Row{
		applied(GroupEpoch, "E02", "A", "a master serves at once in the epoch it knows, and does not put a new one into the log"),
		applied(GroupEpoch, "E03", "A", "one kind of command, the put, has no epoch guard"),
		applied(GroupEpoch, "E05", "A", "a compare-and-set is compared when it is received, not when it is applied"),
		applied(GroupEpoch, "E06", "A", "a trial to get a lock that is refused is not taken back"),
		applied(GroupEpoch, "E07", "B", "the sequencer of a deletion is looked at when the node is gone"),
		applied(GroupEpoch, "E08", "B", "contents that name the right generation are written whatever the sequencer"),
		applied(GroupEpoch, "E10", "A", "applying a call asks the master's memory which sessions there are"),
		applied(GroupEpoch, "E11", "A", "a request that comes again is executed again: no answer is looked up"),
		applied(GroupEpoch, "E12", "B", "only the latest answer of a session is kept, and repeated to any earlier call"),
		applied(GroupEpoch, "E14", "A", "a call that is given up is reported as not executed, though it was sent"),
		applied(GroupEpoch, "E15", "B", "the answers of a batch are dealt out in order, and a command that fails takes none"),
		applied(GroupEpoch, "E16", "A", "a deposed leader queues its proposals again, though phase 1 may recover them too"),
		applied(GroupEpoch, "E18", "B", "the client sends a call again under a new number"),
	}
}

func livenessRows() []Row {
	return []Row{
		applied(GroupLiveness, "D01", "B", "the checksum is of the rows as they are when it is computed, not at its place in the log"),
		applied(GroupLiveness, "D02", "B", "a comparison in which a replica was not heard of counts as a match"),
		applied(GroupLiveness, "D03", "B", "the checksum leaves out a family of rows, the answers kept for repetition"),
		applied(GroupLiveness, "D04", "B", "a mismatch is noted and the replica goes on"),
		applied(GroupLiveness, "X01", "C", "a lost Prepare is not sent again"),
		applied(GroupLiveness, "X02", "C", "a lost Accept is not sent again"),
		weak(GroupLiveness, "X03", "C", "a leader sends its Accepts again for ever and never returns to phase 1",
			"three ways lead back to phase 1: the refusal, the loss of a quorum of heartbeats, the higher Prepare of a replica that refused. The diff removes two"),
		applied(GroupLiveness, "X04", "C", "a slot that was proposed, asked for again once, and is still undecided is left alone: the window fills"),
		weak(GroupLiveness, "X05", "C", "candidates do not back off at random",
			"two candidates of one round are ordered by node id, so a duel in lockstep ends: elections get slower, not stuck"),
		applied(GroupLiveness, "X06", "C", "a KeepAlive is refused while as many calls wait as may"),
		applied(GroupLiveness, "X07", "C", "the range a laggard fetches does not advance with what it learnt"),
	}
}
