package cell

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// Property is something that must hold in every run. Its ID is stable: checkers, failures and
// planted bugs cite it.
type Property struct {
	ID   string `json:"id"`
	Help string `json:"help"`
	By   string `json:"checked_by"` // what checks it; "": nothing does yet
}

// What checks a property.
const (
	byWatch   = "every seed, from outside"
	byHistory = "every seed, on the clients' history"
	byPhase   = "every seed, after healing"
	byVerify  = "verify"
)

// Properties returns all properties, in order. Invariants of the product (I-A1 and so on) are
// asserted in the product itself and listed in its packages; I-W1 is here because only a checker
// that sees all disks at once can assert it.
func Properties() []Property {
	return []Property{
		{"S1", "agreement: one value per slot, one value per slot and ballot, over all durable votes", byWatch},
		{"S2", "promises, epochs and applied slots never go down, restarts included", byWatch},
		{"S3", "durability: what was acknowledged is never lost while a quorum of disks is good", byWatch},
		{"S4", "linearizability; an unknown outcome stays unknown", byHistory},
		{"S5", "a request takes effect at most once, however often it is retried", byWatch},
		{"S6", "equal applied slot means equal database checksum on all replicas; one whose rows were made to differ stops, and no other does; no snapshot and no backup has such rows", byWatch},
		{"S7", "at no instant of true time do two replicas hold read authority", byWatch},
		{"S7b", "a master counts a grant only while the replica that gave it honours it", byWatch},
		{"S8", "locks: compatible holders only, lock-delay kept, generations grow", byWatch},
		{"S9", "no two clients believe at one instant that they hold a lock in conflicting modes", byWatch},
		{"S10", "fencing: a resource that checks tokens on reads and writes accepts none below one it has accepted, loses no update, and refuses no holder", byWatch},
		{"S11", "sessions: none ends before a bound it was promised, and its client never counts on more; leases are as long as the number of sessions requires; only a suffix of calls is lost", byWatch},
		{"S12", "caches: a hit is what a read at the master would have returned during the call; a change waits only for clients that may have cached its paths, and a deletion for the holders of the lock, too", byWatch},
		{"S13", "events: a handle gets those it asked for, after the change, in log order, each once; none is lost without \"read again\"", byWatch},
		{"S14", "handles: bound to an instance, not forgeable; closed and poisoned while the epoch lasts; every request that is not allowed is refused", byWatch},
		{"S15", "ephemeral nodes: one that a client with a live session has open stays; one that no session has open goes", byWatch},
		{"S16", "access control: no operation without the right, by the ACL files in the order of the log; a missing file denies, and a principal that has the right is not refused; what is made or written fits the quotas, and what they refuse does not", byWatch},
		{"S17", "a replica notices what its disk lost, never serves or counts it, and goes on without it or stops. A disk that only power cuts and failed calls have touched is never refused", byWatch},
		{"S18", "changes of membership keep S1 to S6", ""},
		{"L1", fmt.Sprintf("after healing a master serves and every call ends within %d s; then replicas catch up within as long; before that, a replica that lacks something does not ask one peer alone, no leader steps down while it hears a quorum or has the grants of a majority, and a request to a replica is answered or remembered", plan.RecoveryBound/time.Second), byPhase},
		{"L2", "nothing grows without bound", byWatch},
		{"L3", "shares: while others have sessions, a principal with calls in the log sends no more before all of them are applied, and one that waits has its turn before another one has a second", byWatch},
		{"I-W1", "what a message claims is true of the disks when it leaves", byWatch},
		{"I-W3", "nothing falls due before the wake-up that a replica asked for: an earlier tick changes nothing", byWatch},
		{"D1", "same seed, same configuration: same history, to the last byte", byVerify},
	}
}

// CheckJudge returns an error if no run checks the property id (plan.Options.Judge). The error
// lists the properties that can be named. with may be nil.
func CheckJudge(id string, with *scenario.Extension) error {
	judged := with.Names().Properties
	for _, p := range Properties() {
		if p.By != "" && p.By != byVerify {
			judged = append(judged, p.ID)
		}
	}
	if id == "" || slices.Contains(judged, id) {
		return nil
	}
	return fmt.Errorf("judge %s: no run checks that; one of %s", id, strings.Join(judged, ", "))
}
