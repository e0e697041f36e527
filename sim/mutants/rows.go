package mutants

import "slices"

// Row is one bug that was considered: planted by a diff, or not, and why.
type Row struct {
	ID       string
	Group    string
	Priority string // A: dies in every campaign, a survivor is an error; B: in a long one; C: nice to have
	Title    string // what the bug is
	Reason   string // why there is no diff; "" where there is one
	Note     string // why a hunt may miss it, and what kills it then; mostly ""
}

// IsPlanted reports that a diff plants the bug.
func (r *Row) IsPlanted() bool { return r.Reason == "" }

// The groups. Those of the catalogue bear its ids; GroupOwn has the bugs that are in no
// catalogue.
const (
	GroupPaxosCore  = "Paxos core"
	GroupDisk       = "WAL and disk"
	GroupSnapshots  = "snapshots and catch-up"
	GroupMembership = "membership"
	GroupLease      = "master lease"
	GroupEpoch      = "epoch, MultiOp, exactly-once"
	GroupLocks      = "locks, sequencers, handles"
	GroupSessions   = "sessions and KeepAlives"
	GroupFailover   = "fail-over"
	GroupCache      = "client cache"
	GroupNamespace  = "namespace, ACL, ephemeral, events"
	GroupLiveness   = "liveness and self-check"
	GroupOwn        = "not in the catalogue"
	GroupControls   = "controls"
)

// Rows returns every bug that was considered, group by group: all rows of the
// catalogue, the bugs that are in no catalogue, and the controls, which change nothing
// that matters.
func Rows() []Row {
	return slices.Concat(paxosCoreRows(), diskRows(), snapshotsRows(), membershipRows(), leaseRows(), epochRows(),
		locksRows(), sessionsRows(), failoverRows(), cacheRows(), namespaceRows(), livenessRows(),
		ownRows(), ownServiceRows(), ownEventRows(), ownCacheRows(), ownClientCacheRows(), ownDropRows(), ownBackupRows(), controlsRows(), controlsServiceRows())
}

// applied is a row with a diff.
func applied(group, id, priority, title string) Row {
	return Row{ID: id, Group: group, Priority: priority, Title: title}
}

// weak is a row with a diff that a hunt may miss.
func weak(group, id, priority, title, note string) Row {
	return Row{ID: id, Group: group, Priority: priority, Title: title, Note: note}
}

// absent is a row without a diff.
func absent(group, id, priority, title, reason string) Row {
	return Row{ID: id, Group: group, Priority: priority, Title: title, Reason: reason}
}
