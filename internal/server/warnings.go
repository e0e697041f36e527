package server

import (
	"fmt"
	"strings"
	"time"

	"github.com/chubbycell/chubby/internal/transport/peer"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
)

// silence is how long a member may leave the leader without an answer: the leader asks several
// times a second.
const silence = 3 * time.Second

// slowDisk is how long a write of the log may take without a warning.
const slowDisk = 3 * time.Second

// slowBackup is how long a backup may take without a warning. A large database takes a minute.
const slowBackup = 10 * time.Minute

// warnings are what an operator has to know first, in words. name shows the name of a principal,
// or hides it.
func warnings(o *replica.Overview, peers []peer.PeerStatus, name func(fmt.Stringer) string) (all []string) {
	warn := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	switch {
	case o.ID == 0 || o.Role == "":
		warn("The replica does not run.")
		return all
	case o.Leader == 0:
		warn("This replica knows no leader: either the cell has none, and serves no calls, or this replica is cut off.")
	case o.Role == paxos.Leader && o.Lease == 0:
		warn("The leader has no lease: a majority of the members has not answered it recently.")
	}
	if o.LogJob > slowDisk {
		warn("The disk of this replica has not finished a write of the log for %s: the replica votes for nothing until it has.", span(o.LogJob))
	}
	if o.HoldOff > 0 {
		warn("This replica has just started: it promises and grants nothing for another %s.", span(o.HoldOff))
	}
	for _, s := range o.FirstUnacked {
		warn("The fail-over to epoch %d waits for session %d of principal %s, which has not come back. The session ends in %s.", o.Epoch, s.ID, name(text(s.Principal)), span(s.Lease))
	}
	if n := o.Unacked - len(o.FirstUnacked); n > 0 {
		warn("The fail-over to epoch %d waits for %d more sessions.", o.Epoch, n)
	}
	all = append(all, sessionWarnings(&o.Status)...)
	all = append(all, rowWarnings(o)...)
	all = append(all, memberWarnings(o, peers)...)
	if o.BackupJob > slowBackup {
		warn("A backup has been under way for %s and has not ended: backup_dir is slow or hangs. The replica makes no other backup until it has.", span(o.BackupJob))
	}
	all = append(all, failureWarnings("backups", o.BackupsFailed, o.BackupError)...)
	return append(all, failureWarnings("snapshots", o.SnapshotsFailed, o.SnapshotError)...)
}

// failureWarnings tell of work that failed. reason is empty if the last attempt succeeded.
func failureWarnings(what string, failed uint64, reason string) []string {
	switch {
	case failed == 0:
		return nil
	case reason == "":
		return []string{fmt.Sprintf("%d %s failed since this replica started; the last one succeeded.", failed, what)}
	}
	return []string{fmt.Sprintf("%d %s failed since this replica started, the last one with: %s.", failed, what, reason)}
}

// sessionWarnings tell of a cell that lets no other client in, or soon will.
func sessionWarnings(s *replica.Status) []string {
	switch most := s.MostAlive; {
	case most == 0 || s.Sessions < most-most/10:
		return nil
	case s.Sessions < most:
		return []string{fmt.Sprintf("Sessions alive: %d, of at most %d. chubby limits set sessions=N raises the limit.", s.Sessions, most)}
	default:
		return []string{fmt.Sprintf("Sessions alive: %d, and the limit is %d: the cell opens no other session. chubby session list shows whose they are; chubby limits set sessions=N raises the limit.", s.Sessions, most)}
	}
}

// expiryWarnings tell of certificates and authorities that are not valid yet, end soon, or have ended.
func expiryWarnings(all []expiry, now time.Time) (told []string) {
	for _, e := range all {
		at, what := e.at.UTC().Format(time.RFC3339), "certificate"
		isAuthority := strings.HasSuffix(e.key, "_ca")
		if isAuthority {
			what = "authority"
		}
		switch age := e.age(now); {
		case age == early:
			told = append(told, fmt.Sprintf("The %s of %s is valid only from %s, and the clock of this machine says %s: new connections fail. Set the clock, or replace the file.",
				what, e.key, e.from.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339)))
		case age == expired && isAuthority:
			told = append(told, fmt.Sprintf("The authority of %s was valid until %s: new connections fail. Put a new one into its file, and renew the certificates.", e.key, at))
		case age == due && isAuthority:
			told = append(told, fmt.Sprintf("The authority of %s is valid only until %s: before that put a new one beside it, and renew the certificates.", e.key, at))
		case age == expired:
			told = append(told, fmt.Sprintf("The certificate of %s was valid until %s: new connections fail. Replace its file.", e.key, at))
		case age == due:
			told = append(told, fmt.Sprintf("The certificate of %s is valid only until %s: replace its file before that.", e.key, at))
		}
	}
	return told
}

func rowWarnings(o *replica.Overview) (all []string) {
	for _, m := range o.Members {
		if m.HasOtherRows {
			all = append(all, fmt.Sprintf("Replica %d had other rows than this replica in the last comparison: one of the two is damaged. A replica stops if a majority has other rows than it has.", m.ID))
		}
	}
	if len(all) == 0 && o.Disagreed > 0 {
		all = append(all, fmt.Sprintf("Comparisons found other rows at another replica %d times since this replica started.", o.Disagreed))
	}
	return all
}

// memberWarnings tell of members that are not reached, or do not answer.
func memberWarnings(o *replica.Overview, peers []peer.PeerStatus) (all []string) {
	silent := map[paxos.NodeID]time.Duration{}
	for _, m := range o.Members {
		if m.Silent > silence {
			silent[m.ID] = m.Silent
		}
	}
	for _, p := range peers {
		why := p.Err
		if why == "" {
			why = "no connection yet"
		}
		switch d := silent[p.ID]; {
		case d > 0 && p.Connected:
			all = append(all, fmt.Sprintf("Replica %d has not answered the leader for %s.", p.ID, span(d)))
		case d > 0:
			all = append(all, fmt.Sprintf("Replica %d at %s has not answered the leader for %s, and cannot be reached: %s.", p.ID, p.Addr, span(d), why))
		case !p.Connected:
			all = append(all, fmt.Sprintf("This replica cannot reach replica %d at %s: %s.", p.ID, p.Addr, why))
		}
	}
	return all
}
