package mutants

// Bugs that are not in the catalogue: what the master knows about clients' caches.

func ownCacheRows() []Row {
	return []Row{
		applied(GroupOwn, "O330", "A", "a session that drops nothing is granted lease after lease"),
		applied(GroupOwn, "O331", "B", "the acknowledgement of a drop covers what was answered behind it"),
		applied(GroupOwn, "O332", "B", "what a session has read since it gave a change up is taken for older than the change"),
		applied(GroupOwn, "O333", "B", "what is judged by an ACL file is not held when that changes"),
		applied(GroupOwn, "O334", "A", "the directory of what comes or goes is not invalidated"),
	}
}
