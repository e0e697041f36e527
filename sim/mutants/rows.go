package mutants

import "slices"

// Row is one bug that was considered. It has a diff, or a reason why it has none.
type Row struct {
	ID       string
	Group    string
	Priority string // A: every campaign must catch it; B: a long one should; C: nice to have
	Title    string // what the bug is
	Reason   string // why there is no diff; "": there is one
	Note     string // why a hunt may miss it, and what else catches it; mostly ""
}

// IsPlanted reports whether the bug has a diff.
func (r *Row) IsPlanted() bool { return r.Reason == "" }

// The groups. GroupOwn has the bugs that are not in the catalogue; GroupControls has the controls.
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

// Rows returns every bug that was considered, group by group: all rows of the catalogue, the bugs that are not in it, and
// the controls, whose diffs change no behaviour that matters.
func Rows() []Row {
	return slices.Concat(paxosCoreRows(), diskRows(), snapshotsRows(), membershipRows(), leaseRows(), epochRows(),
		locksRows(), sessionsRows(), failoverRows(), cacheRows(), namespaceRows(), livenessRows(),
		ownRows(), ownServiceRows(), ownEventRows(), ownCacheRows(), ownClientCacheRows(), ownDropRows(), ownBackupRows(), controlsRows(), controlsServiceRows())
}

// applied returns a row with a diff.
func applied(group, id, priority, title string) Row {
	return Row{ID: id, Group: group, Priority: priority, Title: title}
}

// weak returns a row with a diff that a hunt may miss.
func weak(group, id, priority, title, note string) Row {
	return Row{ID: id, Group: group, Priority: priority, Title: title, Note: note}
}

// absent returns a row without a diff.
func absent(group, id, priority, title, reason string) Row {
	return Row{ID: id, Group: group, Priority: priority, Title: title, Reason: reason}
}
