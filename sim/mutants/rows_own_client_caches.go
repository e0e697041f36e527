package mutants

// Bugs that are not in the catalogue: what clients cache, how they handle broken connections and reports about a master,
// and how a lock passes from holder to holder.

func ownClientCacheRows() []Row {
	return []Row{
		applied(GroupOwn, "O335", "B", "that a name is absent depends on no directory above it"),
		applied(GroupOwn, "O336", "A", "what was being read comes into the cache behind a change of this client"),
		applied(GroupOwn, "O337", "B", "what a call that was given up may still change is cached"),
		applied(GroupOwn, "O338", "A", "the cache outlives a fail-over"),
		applied(GroupOwn, "O339", "A", "a handle that the application closes with its lock stays open at the cell"),
		applied(GroupOwn, "O363", "B", "a lock that was kept is acquired again in jeopardy"),
		applied(GroupOwn, "O364", "A", "a lock that was kept can be acquired again when its Release was sent"),
		applied(GroupOwn, "O365", "B", "a lock that was kept is not given up"),
		applied(GroupOwn, "O370", "A", "a call whose connection broke ends as not executed"),
		applied(GroupOwn, "O371", "A", "a client whose connection broke counts on its lease for the grace period"),
		applied(GroupOwn, "O372", "B", "a call whose connection broke is sent again at once, for as long as it breaks"),
		applied(GroupOwn, "O373", "B", "an Acquire that goes into the log behind a Release has left the queue"),
		applied(GroupOwn, "O374", "B", "a Release of one of many readers, or of an earlier hold, has the next writer attempted"),
		applied(GroupOwn, "O375", "B", "a handle that keeps its lock hears of what its program did not ask for"),
		applied(GroupOwn, "O376", "A", "a client that hears of a new epoch takes its fail-over for acknowledged"),
		applied(GroupOwn, "O377", "A", "a new master tells the clients that have looked for one that their sessions are gone"),
		applied(GroupOwn, "O378", "A", "a deletion does not wait for the holders of the lock that it takes away"),
		applied(GroupOwn, "O379", "B", "a grant in front of a deletion is answered before the deletion is applied"),
		applied(GroupOwn, "O380", "B", "the answer that a lock is held counts behind the word that it is dropped"),
		applied(GroupOwn, "O383", "A", "a directory that is tied to a stale sequencer opens what is in the cache"),
	}
}
