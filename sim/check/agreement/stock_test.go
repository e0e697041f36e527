package agreement

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// rots makes a replica find a snapshot of its own bad when it reads it.
func (f *facts) rots(id paxos.NodeID, s paxos.Slot, said ...error) {
	f.h.Snapshots.OnUnreadable(id, driver.SnapshotID{Handle: paxos.Handle{Slot: s}}, &snapshot.DamageError{Why: "rot", Err: errors.Join(said...)})
}

func (f *facts) removes(id paxos.NodeID, s paxos.Slot) {
	f.h.Snapshots.OnRemoved(id, fmt.Sprintf("%s/snapshots/%020d.snap", damage.DataDir, s))
}

// A replica does not send a snapshot that it has found bad (S17), and does not count it among
// those that cover each other and the log (S3).
func TestASnapshotThatWasFoundBad(t *testing.T) {
	for name, c := range map[string]struct {
		breaks string
		what   func(*facts)
	}{
		"an old one goes":              {"", func(f *facts) { f.removes(1, 1) }},
		"one of two newer ones is bad": {"S3", func(f *facts) { f.rots(1, 2); f.removes(1, 1) }},
		"the bad one goes":             {"", func(f *facts) { f.rots(1, 1); f.removes(1, 1) }},
		"a good one after it":          {"S3", func(f *facts) { f.rots(1, 3); f.removes(1, 1) }},
		"one newer":                    {"S3", func(f *facts) { f.removes(1, 2) }},
		"behind another good one":      {"", func(f *facts) { f.rots(1, 2); f.publish(1, 4); f.removes(1, 1) }},
		"both go, and the log has all": {"", func(f *facts) { f.removes(1, 1); f.removes(1, 2) }},
		"both go":                      {"S3", func(f *facts) { f.removes(1, 1); f.removes(1, 2) }},
		"something else goes": {"", func(f *facts) {
			f.h.Snapshots.OnRemoved(1, damage.DataDir+"/log/1.wal")
			f.h.Snapshots.OnRemoved(1, damage.DataDir+"/snapshots/x.snap")
		}},
		"of another replica":            {"", func(f *facts) { f.rots(2, 2); f.removes(1, 1) }},
		"the log goes":                  {"", func(f *facts) { f.h.Snapshots.OnTruncate(1, 3) }},
		"the log goes on a bad one":     {"S3", func(f *facts) { f.rots(1, 3); f.publish(1, 4); f.h.Snapshots.OnTruncate(1, 4) }},
		"that was good when it decided": {"", func(f *facts) { f.rots(1, 2); f.h.Snapshots.OnTruncate(1, 3) }},
		"the log goes on the others":    {"", func(f *facts) { f.rots(1, 2); f.h.Snapshots.OnTruncate(1, 2) }},
		"a good one is given away":      {"", func(f *facts) { f.rots(1, 2); f.gives(1, 3) }},
		"the bad one is":                {"S17", func(f *facts) { f.rots(1, 3); f.gives(1, 3) }},
		"one that was written anew":     {"", func(f *facts) { f.rots(1, 3); f.publish(1, 3); f.gives(1, 3) }},
		"one whose read has failed":     {"", func(f *facts) { f.rots(1, 3, vfs.ErrIO); f.gives(1, 3) }},
		"after a start that likes it":   {"", func(f *facts) { f.h.Budget.Take(1); f.rots(1, 3); f.begins(3, 2, 2); f.gives(1, 3) }},
		"after a start that does not":   {"S17", func(f *facts) { f.h.Budget.Take(1); f.startsBad(3); f.gives(1, 3) }},
		"pruned after such a start":     {"S3", func(f *facts) { f.h.Budget.Take(1); f.startsBad(3); f.publish(1, 4); f.removes(1, 2) }},
		"what the disk had, and is old": {"", func(f *facts) { f.begins(3, 2, 2); f.publish(1, 4); f.removes(1, 1); f.removes(1, 2) }},
	} {
		t.Run(name, func(t *testing.T) {
			f := decided(t, 5)
			for s := paxos.Slot(1); s <= 3; s++ {
				f.publish(1, s)
			}
			if !strings.HasSuffix(name, "the log has all") {
				f.h.Snapshots.OnTruncate(1, 1)
			}
			c.what(f)
			if c.breaks == "" {
				f.good()
			} else {
				f.breaks(c.breaks)
			}
		})
	}
}

// startsBad restarts replica 1 with its snapshot of slot 2, after it has found a newer one
// bad.
func (f *facts) startsBad(slot paxos.Slot) {
	f.beginsWith(2, 2, 2, snapshot.Bad{Slot: snapshot.Slot(slot), Err: snapshot.ErrDamaged})
}
