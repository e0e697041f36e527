package mutants

// The rows of the catalogue on promises to clients: locks and handles, sessions, fail-over, caches, the name space, and
// events.

func locksRows() []Row {
	return []Row{
		applied(GroupLocks, "C01", "A", "the generation of a lock does not rise when it is taken shared"),
		applied(GroupLocks, "C02", "B", "the generation of a lock rises when another reader joins"),
		applied(GroupLocks, "C03", "A", "generations of locks are counted, and begin anew with their node"),
		applied(GroupLocks, "C05", "A", "a sequencer of a free lock is valid, as long as it has not been taken again"),
		applied(GroupLocks, "C06", "A", "a session that expires frees its locks at once, without lock-delay"),
		applied(GroupLocks, "C07", "B", "a lock-delay runs after a Release as well"),
		applied(GroupLocks, "C09", "B", "a lock-delay may be as long as its client wants"),
		applied(GroupLocks, "C10", "A", "an Acquire of a free lock is answered when it is proposed"),
		applied(GroupLocks, "C11", "A", "a shared lock needs the right to read only"),
		applied(GroupLocks, "C13", "A", "a Release frees the lock, also one that its session does not hold"),
		applied(GroupLocks, "C14", "B", "a Release frees what its handle holds, whatever acquisition it names"),
		applied(GroupLocks, "C15", "B", "an Acquire of a handle that holds the lock already counts it twice"),
		applied(GroupLocks, "C17", "C", "a client that waits to write is not told when the last of several readers leaves"),
		applied(GroupLocks, "C18", "A", "Close and Poison leave the Acquire of their handle waiting"),
		applied(GroupLocks, "C19", "B", "Close does not free the lock that the handle holds"),
		applied(GroupLocks, "C20", "A", "the sequencer that a handle is tied to is not looked at"),
		applied(GroupLocks, "C22", "B", "a trial to get the lock succeeds while a lock-delay runs"),
		applied(GroupLocks, "C23", "A", "the check digits of tokens are not checked"),
		applied(GroupLocks, "C24", "A", "a handle of a deleted node is honoured by another node of its name"),
		applied(GroupLocks, "C25", "B", "instance numbers begin at 1 wherever a node is made"),
		applied(GroupLocks, "C26", "B", "a handle that is recreated has the right to write"),
	}
}

func sessionsRows() []Row {
	return []Row{
		applied(GroupSessions, "K02", "A", "a lease may end earlier than was promised"),
		applied(GroupSessions, "K03", "A", "a longer lease is promised while the row that allows it is under way"),
		applied(GroupSessions, "K05", "A", "a client counts its lease as if no clock erred"),
		applied(GroupSessions, "K06", "A", "what is cached is used after the lease may be over"),
		applied(GroupSessions, "K08", "A", "calls go out and answers are told in jeopardy"),
		applied(GroupSessions, "K09", "B", "a client gives its session up when its lease may be over, without grace"),
		applied(GroupSessions, "K10", "B", "each KeepAlive that is sent in jeopardy begins the grace anew"),
		applied(GroupSessions, "K11", "A", "calls that come after the session expired go on under a new one"),
		applied(GroupSessions, "K13", "A", "the end of a session has no epoch guard: what a deposed master proposed counts"),
		applied(GroupSessions, "K14", "A", "a KeepAlive that comes while the end of its session is proposed extends the lease"),
		applied(GroupSessions, "K16", "B", "a KeepAlive waits until the lease itself ends: nothing is left for the way back"),
		applied(GroupSessions, "K17", "A", "a new session gets the lowest id that no living one has"),
		applied(GroupSessions, "K18", "A", "a session that expires leaves its locks held"),
		applied(GroupSessions, "K19", "B", "leases that are over are ended by the present time, before it is known who is master"),
		applied(GroupSessions, "K20", "B", "a session with calls under way counts as idle"),
		applied(GroupSessions, "K21", "B", "what is done to nodes is done for a session that has ended as well"),
	}
}

func failoverRows() []Row {
	return []Row{
		applied(GroupFailover, "F02", "A", "a new master lets leases run from when it last heard of the former one"),
		applied(GroupFailover, "F03", "A", "calls are taken before each session knows of the fail-over"),
		applied(GroupFailover, "F05", "A", "a request of an older epoch is taken"),
		applied(GroupFailover, "F06", "B", "a client that names an older epoch is not told the present one"),
		applied(GroupFailover, "F07", "A", "a handle of an older epoch that was closed is taken up again"),
		applied(GroupFailover, "F09", "B", "ephemeral nodes of before the fail-over are not swept"),
		applied(GroupFailover, "F10", "A", "a new master remembers the sessions of when it began to lead, not of when its epoch began"),
		applied(GroupFailover, "F11", "A", "a session that has written nothing is not waited for"),
		absent(GroupFailover, "F13", "B", "a write that waited for invalidations is done by the next master without them",
			"a change that waits is in no log, and a master begins when each client has emptied its cache"),
		applied(GroupFailover, "F14", "C", "a client goes on asking a replica that was once master"),
		applied(GroupFailover, "F15", "B", "calls are taken in every step of a fail-over"),
	}
}

func cacheRows() []Row {
	return []Row{
		applied(GroupCache, "H01", "A", "a write is done before all invalidations are acknowledged or leases over"),
		applied(GroupCache, "H02", "A", "a node may be cached while it is being invalidated"),
		applied(GroupCache, "H04", "A", "what was being read comes into the cache behind its invalidation"),
		applied(GroupCache, "H05", "A", "that a name is absent stays cached when it is created"),
		applied(GroupCache, "H07", "A", "the master forgets who caches what before the lease is over"),
		applied(GroupCache, "H08", "B", "the table of who caches what drops entries without invalidating"),
		applied(GroupCache, "H09", "A", "a writer goes on reading its own old copy"),
		applied(GroupCache, "H10", "B", "invalidations name the path, not the instance"),
		applied(GroupCache, "H12", "A", "a handle on an ephemeral node stays cached when the application closes it"),
		applied(GroupCache, "H13", "B", "two handles of the application share one that can hold a lock"),
		applied(GroupCache, "H14", "B", "a writer waits for a dead client beyond its lease"),
		applied(GroupCache, "H15", "B", "an Open is allowed by a cached ACL"),
		absent(GroupCache, "H16", "B", "the cache is used on one path without its lock",
			"a world has one goroutine; go test -race ./client finds it"),
	}
}

func namespaceRows() []Row {
	return []Row{
		applied(GroupNamespace, "N01", "A", "a directory with children is deleted"),
		absent(GroupNamespace, "N02", "B", "a node is made in a directory that goes in the same batch",
			"not expressible: the commands of a slot are applied one after another in one transaction, and each reads what those before it have left; nothing shows it the rows of before the batch"),
		applied(GroupNamespace, "N03", "B", "the generation of contents does not rise where the bytes are the same"),
		applied(GroupNamespace, "N05", "B", "an ephemeral directory with children is swept"),
		applied(GroupNamespace, "N06", "B", "a node without names of its own has those that its parent has now"),
		applied(GroupNamespace, "N07", "B", "to open a node its parent must give the rights as well"),
		applied(GroupNamespace, "N08", "B", "an ACL file that is not there lists everybody"),
		applied(GroupNamespace, "N09", "B", "the checksum of a file stays when its contents change"),
		applied(GroupNamespace, "N10", "C", "contents may be one byte longer than they may"),
		applied(GroupNamespace, "N11", "B", "a directory lists what begins with its name as well"),
		absent(GroupNamespace, "N12", "A", "large contents are written as several records",
			"not expressible: contents are one row, written by one command; in two they would be another format"),
		applied(GroupNamespace, "V01", "A", "an event is sent before the change is applied"),
		applied(GroupNamespace, "V03", "A", "events are forgotten when sent, not when acknowledged"),
		applied(GroupNamespace, "V04", "B", "the end of an ephemeral child raises no event"),
		applied(GroupNamespace, "V05", "B", "to watch a directory opens its ephemeral children"),
		applied(GroupNamespace, "V06", "C", "events without an acknowledgement are sent for ever"),
	}
}
