package mutants

// Bugs that are not in the catalogue: backups, and cells that are made from them.

func ownBackupRows() []Row {
	return []Row{
		applied(GroupOwn, "B01", "A", "the numbers of a restored cell go on where those of the backup end"),
		applied(GroupOwn, "B02", "B", "the rows of a backup are not compared with those of others"),
		applied(GroupOwn, "B03", "A", "a backup that failed is not tried again"),
		applied(GroupOwn, "B04", "B", "a restored cell forgets who held locks, and not that they are held"),
		applied(GroupOwn, "B05", "B", "a note of how old the newest backup is names no backup, where the last one is recorded"),
		applied(GroupOwn, "B06", "B", "the age of the newest backup begins anew with each master"),
		applied(GroupOwn, "B07", "B", "a replica of a restored cell has promised nothing"),
		applied(GroupOwn, "B08", "B", "the log of a restored cell may speak of the slot of its rows"),
	}
}
