package mutants

// Bugs that are not in the catalogue: events, and other content of answers to KeepAlives.

func ownEventRows() []Row {
	return []Row{
		applied(GroupOwn, "O310", "A", "a handle that is presented to a new master hears of nothing"),
		applied(GroupOwn, "O311", "A", "a client does not take a fail-over for events that it may have missed"),
		applied(GroupOwn, "O312", "B", "a client acknowledges to a new master the events of the former one"),
		applied(GroupOwn, "O313", "A", "a client takes an event each time that it comes"),
		applied(GroupOwn, "O314", "A", "an acknowledgement covers one more event that was sent"),
		applied(GroupOwn, "O315", "A", "events that are too many for the master are left out without a word"),
		applied(GroupOwn, "O316", "B", "an event that repeats one that waits is left out, and that one keeps its cause"),
		weak(GroupOwn, "O317", "B", "a handle hears of all kinds of events if it asks for one",
			"the client passes to each handle only the events that it asked for; the others cost messages, and fill a queue sooner"),
		applied(GroupOwn, "O318", "B", "a child that was changed is told to be a new one"),
		applied(GroupOwn, "O319", "B", "an Open that is answered again hears nothing of what happened since it was executed"),
		applied(GroupOwn, "O320", "B", "an event in front of the answer to its Open is lost"),
		applied(GroupOwn, "O321", "A", "a client does not present handles that hear of events"),
		applied(GroupOwn, "O322", "B", "a lock is wanted of each handle of the session that has the node open"),
		applied(GroupOwn, "O323", "B", "events that wait are sent with the newest in front"),
		applied(GroupOwn, "O324", "B", "a slow program loses the oldest event"),
		applied(GroupOwn, "O326", "B", "an event in front of the answer to an Open is lost where another handle of the session watches the node"),
		applied(GroupOwn, "O381", "A", "of several holders of a lock that is wanted, one hears of it"),
		applied(GroupOwn, "O382", "B", "the holder of a lock hears ten seconds late that it is wanted"),
		weak(GroupOwn, "O325", "C", "where the log takes one command at a time, proofs of leadership leave no turn to calls",
			"only cells without leases, with a window of one and more KeepAlives than slots: one in some 16,000 seeds (9800023760). replica/master TestConfirmsLeaveCallsTheirTurn kills it"),
	}
}
