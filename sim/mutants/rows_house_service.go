package mutants

// The rows of the house on sessions, handles, locks and nodes, and the controls of
// the same ground.

func houseServiceRows() []Row {
	return []Row{
		applied(GroupHouse, "O60", "B", "an ephemeral directory is not looked at when its last child goes"),
		applied(GroupHouse, "O61", "A", "a client counts its lease from the arrival of the answer"),
		applied(GroupHouse, "O62", "A", "an answer to an older KeepAlive counts from the sending of the newest"),
		applied(GroupHouse, "O63", "A", "a newer KeepAlive takes over the receipt of the one it replaces"),
		applied(GroupHouse, "O64", "B", "a session whose lease is over ends though its KeepAlive waits"),
		applied(GroupHouse, "O65", "A", "a session that has taken notice of an earlier fail-over counts as knowing of this one"),
		applied(GroupHouse, "O66", "A", "the row of the longest lease is lowered while longer leases run"),
		applied(GroupHouse, "O67", "A", "a lease is promised and not noted"),
		applied(GroupHouse, "O68", "A", "leases are promised without authority"),
		applied(GroupHouse, "O69", "A", "evidence counts from when it came, not from when it was asked for"),
		applied(GroupHouse, "O70", "A", "a new master lets leases run for the shortest lease, not for the longest"),
		applied(GroupHouse, "O72", "B", "a new session is granted no lease before its first KeepAlive"),
		applied(GroupHouse, "O74", "C", "when somebody who waits for a lock is cancelled, those behind him are not looked at"),
		applied(GroupHouse, "O75", "A", "a new master takes half of each running lock-delay for over"),
		applied(GroupHouse, "O76", "A", "the token of a handle that is tied to a sequencer does not say so"),
		applied(GroupHouse, "O77", "A", "a CancelAcquire of what was not executed yet leaves no answer: a later copy gets the lock"),
		applied(GroupHouse, "O78", "A", "what nobody presented to the new master is free at once, without lock-delay"),
		applied(GroupHouse, "O79", "A", "an Acquire of before the fail-over is told that it has the lock, also where that was freed"),
		applied(GroupHouse, "O80", "B", "an Open does not wait for the sweep of its path"),
		applied(GroupHouse, "O81", "A", "a handle is tied to a sequencer that is not valid"),
		applied(GroupHouse, "O82", "A", "a refusal from memory is final without authority too"),
		applied(GroupHouse, "O83", "A", "a client takes answers of a former master"),
		applied(GroupHouse, "O84", "A", "a client does not present handles whose Acquire has no answer yet"),
		applied(GroupHouse, "O85", "A", "a client asks for a lock again while a hold of the handle is being freed"),
		applied(GroupHouse, "O86", "A", "a lock is believed in as long as nobody has told that it may be lost"),
		applied(GroupHouse, "O87", "B", "what a session did not present to the new master goes on being held"),
		applied(GroupHouse, "O88", "B", "tokens that come with the word that the epoch is flushed are not looked at"),
		applied(GroupHouse, "O89", "B", "a handle is recreated without asking for its rights again"),
		applied(GroupHouse, "O90", "A", "ephemeral nodes are swept as soon as the new master serves"),
		applied(GroupHouse, "O91", "A", "an ephemeral node is swept when any handle on it is closed"),
		applied(GroupHouse, "O92", "A", "a client presents what holds locks, not what keeps ephemeral nodes"),
		applied(GroupHouse, "O93", "A", "a CloseHandle that has an answer is not done again in a later epoch"),
		applied(GroupHouse, "O94", "B", "what waits for a session that ended goes on waiting"),
		applied(GroupHouse, "O95", "B", "a Release that its caller gives up is not sent again"),
		applied(GroupHouse, "O96", "A", "an Acquire that is given up is forgotten, not cancelled"),
		applied(GroupHouse, "O97", "B", "an Open that is given up leaves its handle open"),
		applied(GroupHouse, "O98", "A", "a lock-delay is over for a lock when the first of several is"),
		weak(GroupHouse, "O102", "B", "a master that has asked the log for evidence wakes for no session, authority or not",
			"authority must come back while the evidence hangs behind a hole, and nothing else come by until a KeepAlive is overdue"),
		applied(GroupHouse, "O103", "B", "an Open that was executed is refused by the next master, where its client may not open the node any more"),
		applied(GroupHouse, "O104", "B", "the handle of a copy of an Open that was executed before is good for all that the copy asks for"),
		weak(GroupHouse, "O105", "B", "a client leaves a master in fail-over for its refusals, with its KeepAlives",
			"replicas must be down when faults have ended, while a master waits for sessions, for longer than a short lease runs"),
		weak(GroupHouse, "O106", "B", "a laggard asks all for a snapshot as new as that of the source it began with",
			"a laggard must ask the newest source first, and that be lost for good with the only snapshot that is as new"),
		applied(GroupHouse, "O107", "A", "calls on rows of a session that is yet to be opened go to the log"),
		weak(GroupHouse, "O108", "B", "words about rows never go by way of a third replica",
			"one of four must hear one other alone, while more is chosen than L2 allows a replica to keep. TestWhoHearsOneThatHearsAllIsToldByWayOfThat in replica/host kills it"),
		applied(GroupHouse, "O33", "A", "a sequencer has the generation that the lock had when its handle was opened"),
		weak(GroupHouse, "O34", "C", "places in the log are given in the order of asking, whoever asks",
			"no property speaks of shares. TestALogThatIsFullTakesInTurns in replica/master and TestAHostileClientAtFullSpeedCrowdsNobodyOut in sim/cell kill it"),
		applied(GroupHouse, "O35", "A", "what was applied counts as in the log for ever: who asked for it sends nothing more"),
		applied(GroupHouse, "O99", "A", "a lock may be held shared with readers while the delay of a failed one runs"),
	}
}

func controlsServiceRows() []Row {
	return []Row{
		applied(GroupControls, "Z12", "C", "control: a client sends each KeepAlive twice"),
		applied(GroupControls, "Z13", "C", "control: leases of sessions are three quarters as long as they may be"),
		applied(GroupControls, "Z14", "C", "control: a client presents a part without tokens before it names an epoch as flushed"),
		applied(GroupControls, "Z15", "C", "control: a Confirm has no epoch guard; who is deposed when it is applied does not look at it"),
		applied(GroupControls, "Z16", "C", "control: all ephemeral nodes are looked at again whenever a sweep is over"),
		applied(GroupControls, "Z17", "C", "control: a client presents all handles that ever held something"),
	}
}
