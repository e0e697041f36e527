package cell

import (
	"fmt"
	"iter"
	"strings"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim"
)

// namedRows is how many of the rows that differ a report names.
const namedRows = 3

// differingRows says which rows of a replica, which has applied the slots up to s, are not those of another one. A
// checksum says only that some differ. The other one is of those whose rows no fault changed, and has applied the same
// slots or nearly. It is empty if there is none.
func (c *Cell) differingRows(id paxos.NodeID, s paxos.Slot) string {
	distance := func(a, b paxos.Slot) paxos.Slot { return max(a, b) - min(a, b) }
	mine := running(c.world.Machine(sim.Addr(id)))
	var other *replica
	for peer := paxos.NodeID(1); int(peer) < len(c.watch.Disks); peer++ {
		r := running(c.world.Machine(sim.Addr(peer)))
		if peer == id || r == nil || r.Host.Core() == nil || c.watch.Disks[peer].Stray {
			continue
		}
		if at := c.watch.Disks[peer].Applied; other == nil || distance(at, s) < distance(c.watch.Disks[other.Id].Applied, s) {
			other = r
		}
	}
	if mine == nil || mine.Host.Core() == nil || other == nil {
		return ""
	}
	named := differences(mine.Host.Core().View(), other.Host.Core().View())
	if named == "" {
		return ""
	}
	return fmt.Sprintf("; beside the rows of replica %d after slot %d: %s", other.Id, c.watch.Disks[other.Id].Applied, named)
}

// differences names the first rows that are in one of two databases only, or with another value there.
func differences(a, b db.View) string {
	var named []string
	differ := 0
	name := func(key, how string) {
		if differ++; differ <= namedRows {
			named = append(named, rowName(key)+" "+how)
		}
	}
	next, stop := iter.Pull2(b.Scan(""))
	defer stop()
	key, value, left := next()
	for k, v := range a.Scan("") {
		for ; left && key < k; key, value, left = next() {
			name(key, "is missing")
		}
		switch {
		case !left || key != k:
			name(k, "is there alone")
			continue
		case value != v:
			name(k, "has another value")
		}
		key, value, left = next()
	}
	for ; left; key, _, left = next() {
		name(key, "is missing")
	}
	if differ > namedRows {
		named = append(named, fmt.Sprintf("%d more", differ-namedRows))
	}
	return strings.Join(named, ", ")
}

// rowName is how a report names the row of a key: as it names sessions, calls and rows of users elsewhere, where it
// can.
func rowName(key string) string {
	k, ok := rows.ParseKey(key)
	switch {
	case ok && k.Family == rows.FamilyUser:
		return "row " + k.Name
	case ok && k.Family == rows.FamilyAnswer:
		return fmt.Sprintf("the answer of call %d of session %d", k.Seq, k.Session)
	case ok && k.Family == rows.FamilySession:
		return fmt.Sprintf("the row of session %d", k.Session)
	case ok && k.Family == rows.FamilyOpener:
		return fmt.Sprintf("the row of the nonce %v", k.Nonce)
	}
	return fmt.Sprintf("the row with key %.60q", key)
}
