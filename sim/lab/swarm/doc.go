// Package swarm is test support: lock systems of the lab under faults that no script decides,
// over many seeds, so that they can be compared.
//
// In each run four clients use the lock again and again for three minutes of true time, and one
// kind of fault strikes at drawn instants, for drawn lengths. The clients are careless: they
// do not ask their library before they write, as most programs do not. All systems, and all
// resources, meet the same draws of a seed; whom a fault strikes may differ, since that is the
// holder as a rule.
//
// Beside the faults it measures a crowd of waiters, and an outage of servers.
//
// Reading order: fault.go (what strikes), run.go (one run, and what is seen of it), grid.go
// (the places that are compared), table.go (what many runs come to), picture.go (the same, drawn);
// crowd.go, outage.go.
package swarm
