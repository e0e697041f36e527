package server

import (
	"log/slog"

	"github.com/chubbycell/chubby/internal/transport/rpc"
)

// keptFiles is how many open files are not for the connections of clients: mostReaders are for the pages, and the
// others for the log, snapshots, backups, and the connections of the members. Without one for its next segment the log
// ends, and the replica stops.
const keptFiles = mostReaders + 256

// connections is how many connections of clients there are to be at most, where the system lets the process open so
// many files; 0: it does not say. Where it allows few, half of them are for clients. It logs a warning if that is less
// than max_clients: a client has one connection or two.
func connections(clients int, files uint64, log *slog.Logger) int {
	want := rpc.Connections(clients)
	if files == 0 || files >= uint64(want)+keptFiles {
		return want
	}
	most := min(max(int(files)-keptFiles, int(files)/2, 1), want)
	if most < clients {
		log.Warn("the system allows too few open files for max_clients", "max_clients", clients, "connections", most, "open_files", files, "needed", want+keptFiles)
	}
	return most
}
