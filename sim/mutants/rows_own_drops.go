package mutants

// Bugs that are not in the catalogue: invalidations of caches, and the writes that wait for them.

func ownDropRows() []Row {
	return []Row{
		applied(GroupOwn, "O340", "A", "what is kept of a directory outlives a drop if its names are kept"),
		applied(GroupOwn, "O341", "B", "what was read in a session that is over is read from the cache in the next one"),
		applied(GroupOwn, "O342", "A", "a client that makes a node keeps the names of its directory"),
		applied(GroupOwn, "O343", "A", "a sweep waits for no client that may cache the node"),
		applied(GroupOwn, "O344", "A", "a client that is told to drop all drops nothing"),
		applied(GroupOwn, "O345", "A", "a change does not wait for a drop that was told for an earlier one"),
		applied(GroupOwn, "O388", "A", "the names of a directory stay cached when its ephemeral child goes"),
		applied(GroupOwn, "O389", "A", "a change waits for clients that may cache the child, not for those that may cache the names"),
		applied(GroupOwn, "O392", "A", "no acknowledgement lets a change go on that waits for it, only the end of a session does, and no invariant looks"),
		weak(GroupOwn, "O395", "B", "an Open lifts the barrier of a sweep that is on its way through the log",
			"an Open of the path, and a read of the names of its directory, must come while the sweep is in the log: not in five minutes of the swarm. testdata/traces/caches.txt in replica/master/nodeops kills it"),
	}
}
