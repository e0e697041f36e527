package mutants

// The rows of the house: bugs that are on no list, and controls.

func houseRows() []Row {
	return []Row{
		applied(GroupHouse, "H01", "A", "an Accept leaves before the leader's own promise of its ballot is on disk"),
		weak(GroupHouse, "H02", "C", "an unreadable vote is taken for nothing",
			"needs a disk that rots, which no seed has yet; verdict_table_test.go has every case"),
		weak(GroupHouse, "H03", "C", "an unreadable vote above the best readable one is ignored",
			"needs an unreadable vote above a readable one with another value, and no quorum of readable answers; verdict_table_test.go has every case"),
		weak(GroupHouse, "H04", "C", "an answer to an earlier life is taken for one to this life, whatever slots its page names",
			"needs a candidate that forgot its ballot and what it knew to be chosen, and a page from before. Trace boot_number_names_a_life kills it"),
		applied(GroupHouse, "H05", "A", "a heartbeat that says \"all below are chosen\" makes a node learn its own votes"),
		applied(GroupHouse, "H06", "A", "Chosen teaches a vote at any ballot"),
		applied(GroupHouse, "H07", "A", "a leader counts its own vote before its disk has it"),
		applied(GroupHouse, "H08", "B", "an acceptor that cuts a page says that it reaches the open end"),
		weak(GroupHouse, "H09", "C", "a late vote overwrites one that is called chosen before that is in the log",
			"needs a driver that gives two messages to a node before it takes its output; node_test.go kills it"),
		applied(GroupHouse, "H10", "A", "new commands overtake the values that phase 1 demands"),
		weak(GroupHouse, "O01", "C", "an opened log trusts the marks in its last segment to be on the disk",
			"needs the sync of a mark to fail and drop it, the process to come back without a power cut, and then a power cut before the next sync. TestAMarkWhoseSyncFailedIsWrittenAgain in wal kills it"),
		applied(GroupHouse, "O02", "B", "an opened log takes what it reads for durable and does not write it again"),
		applied(GroupHouse, "O03", "A", "answers are kept by number alone, without the session"),
		applied(GroupHouse, "O04", "A", "the answers a client has seen are dropped before the guard is tested"),
		weak(GroupHouse, "O05", "C", "a restart takes a settled slot to hold the last vote in the log, not the last before the record",
			"needs what H09 needs, and a restart: a settled slot, then an Accept of a lower ballot than the chosen one with another value. node_test.go in paxos kills it"),
		applied(GroupHouse, "O06", "A", "a held message leaves when the record before the one it stands on is durable"),
		applied(GroupHouse, "O07", "B", "a master serves when any epoch command with its name is applied, also one of an earlier tenure"),
		applied(GroupHouse, "O08", "B", "both copies of the promise are written, then both are synced"),
		applied(GroupHouse, "O09", "A", "records reach the log before the promise register is written"),
		applied(GroupHouse, "O10", "A", "a new segment is listed before the last one is synced"),
		applied(GroupHouse, "O11", "A", "a frame vouches for the frames written together with it"),
		weak(GroupHouse, "O12", "B", "a torn tail is forgotten but left in the file",
			"what is left behind the cut has old watermarks; to be taken for an entry it must fit behind the new frames to the byte, and it is then a vote that was asked for and promised. TestATornGroupIsCutWithAllThatFollows in wal kills it"),
		applied(GroupHouse, "O13", "A", "a record of settled slots names one slot too many"),
		applied(GroupHouse, "O14", "B", "a restarted node campaigns once more at the round it has promised"),
		applied(GroupHouse, "O15", "A", "an answer to a fetch leaves out what is not known, so later values take earlier slots"),
		applied(GroupHouse, "O16", "A", "a call that says what the client has seen drops one answer too many"),
		applied(GroupHouse, "O17", "A", "a second request to open a session opens a second one"),
		applied(GroupHouse, "O18", "B", "the answers of a session stay when it ends"),
		weak(GroupHouse, "O19", "B", "a restarted client counts its sendings from 1 and takes any session's answers for its own",
			"needs an answer under way while a client's machine dies, comes back, and waits for a call of the same number. TestAnswersToAnEarlierLifeAreIgnored in client/session kills it"),
		applied(GroupHouse, "O20", "A", "a log that fails is not the end: what it was given counts as durable"),
		applied(GroupHouse, "O31", "A", "a client that closes its session does not tell the cell"),
		applied(GroupHouse, "O32", "A", "the end of a session is confirmed and not executed"),
	}
}

func controlsRows() []Row {
	return []Row{
		applied(GroupControls, "Z01", "C", "control: the same vote again is written again"),
		applied(GroupControls, "Z02", "C", "control: everything written is synced at once"),
		applied(GroupControls, "Z03", "C", "control: heartbeats twice as often"),
		applied(GroupControls, "Z04", "C", "control: boot numbers are not compared; pages name their range, so a stale one still says the truth"),
		applied(GroupControls, "Z05", "C", "control: an Accept that comes again is answered twice"),
		applied(GroupControls, "Z06", "C", "control: a leader tells twice what was chosen"),
		applied(GroupControls, "Z07", "C", "control: a candidate or leader that gives up drops every message it holds, not only Accepts; all of them may be lost on the way as well"),
		applied(GroupControls, "Z08", "C", "control: the promise register is written with every batch of records"),
		applied(GroupControls, "Z09", "C", "control: a client sends every request twice"),
	}
}
