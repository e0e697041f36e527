package mutants

// The rows of the house on backups, and on cells that are made of them.

func houseBackupRows() []Row {
	return []Row{
		applied(GroupHouse, "B01", "A", "the numbers of a restored cell go on where those of the backup end"),
		applied(GroupHouse, "B02", "B", "the rows of a backup are not compared with those of others"),
		applied(GroupHouse, "B03", "A", "a backup that failed is not tried again"),
		applied(GroupHouse, "B04", "B", "a restored cell forgets who held locks, and not that they are held"),
		applied(GroupHouse, "B05", "B", "a note of how old the newest backup is names no backup, where the last one is recorded"),
		applied(GroupHouse, "B06", "B", "the age of the newest backup begins anew with each master"),
		applied(GroupHouse, "B07", "B", "a replica of a restored cell has promised nothing"),
		applied(GroupHouse, "B08", "B", "the log of a restored cell may speak of the slot of its rows"),
	}
}
