// Package server is concurrent: one replica of a cell as a process runs it, with its files, its
// transports, its log of events, and its pages for operators.
//
// Reading order: config.go (what an operator says), load.go (where it is read from), tls.go,
// renew.go (secrets that change), member.go (whose directory it is), disks.go (whose disks the others have),
// server.go (how it starts and stops), openfiles.go (how many connections the system allows), watch.go (what it tells of its state), http.go, readers.go (how many read pages, and in turn), page.go (the status page), warnings.go,
// operator.go (the service for operators), metrics.go, events.go (what happens, as a stream), backupdir.go.
//
// # How it starts and stops
//
// Start checks the configuration and the directory, opens the transports, and then starts
// the replica, which reads its log. Stop has the replica resign if it leads, ends the streams
// of the clients, so that they turn to the other replicas, and closes the files.
//
// # Goroutines
//
//	goroutine   owns                       may block on      stopped by
//	replica     see package replica        its files         Stop
//	peers       see transport/peer         the network       Stop
//	clients     see transport/rpc          the network       Stop
//	watch       nothing                    the replica       Stop, or the replica's end
//	renew       the secrets                files             Stop
//	http        its connections            the network       Stop
//
// # An empty directory
//
// A replica that lost its disk has forgotten what it promised, and must not vote as if it
// never had: two values could be chosen in one slot. So an empty directory is refused unless
// the operator says that the cell is being founded (Options.Bootstrap), and a directory
// that has a member file, but no log, is refused always. Should an operator found a replica again whose
// disk was lost, the others refuse it: each has noted whose disk it met (disks.go).
package server
