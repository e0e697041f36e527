package lockfile

import (
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

// System is the card of this model.
func System() lab.System {
	return lab.System{
		Name:    "lockfile",
		Title:   "a lock file on an NFS server",
		Version: "NFSv3 by RFC 1813, open(2) and exports(5) of Linux [doc]; the common recipe [known]",
		Omits:   "caches of attributes and names at clients, NLM, NFSv4, soft mounts; the pid is in the file from its start",
		Token:   "none: a counter in the file would need the atomic read and write that is missing [known]",
		Options: []lab.Option{
			{Name: "lease", Value: "none", Mark: document},
			{Name: "create", Value: "exclusive, with a verifier", Mark: document},
			{Name: "breaker", Value: "many programs have none; of files older than S = 30 s in the matrix", Mark: known},
			{Name: "age of a file", Value: "the client's wall clock less the time that the server's gave it", Mark: derived},
			{Name: "retry; retransmission", Value: "every second; after a second, for ever (hard mount)", Mark: derived},
			{Name: "export", Value: "sync, the default since nfs-utils 1.0.0", Mark: document},
		},
		Lease:   stale,
		Default: on(lock{stale: stale}, export{}),
		Breaks:  []lab.Break{race(), reply(), breakers(), pause(), crash(), async()},
	}
}

// on puts a server into the world.
func on(l lock, x export) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		b.Node(host, sim.MachineConfig{}, x.serve())
		mine := l
		return &mine
	}
}
