package cell

import (
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/wal/vfs"
)

// rare counts situations that one observation cannot show. It only counts; checkers judge what
// happens in them.
type rare struct {
	beginner paxos.Ballot // ballot of the latest leader, until it serves; then zero
	leaving  paxos.NodeID // a master that was told to step down; 0 once another tenure serves
	bids     map[paxos.NodeID]paxos.Ballot
	led      map[paxos.Ballot]paxos.Boot // the latest life that led at each ballot
	over     bool                        // the run is over: a life that ends now is not counted as lost

	nested, handovers, duels, sources, halves, wholeBehind, syncs, rolls, misfits, misfitsTold, again, bursts, crushed uint64
}

// onTenure is called when a life of a replica begins to lead at a ballot.
func (r *rare) onTenure(b paxos.Ballot, life paxos.Boot) {
	if r.led == nil {
		r.led = map[paxos.Ballot]paxos.Boot{}
	}
	if earlier := r.led[b]; earlier != 0 && earlier != life {
		r.again++
	}
	r.led[b] = life
	if !r.beginner.IsZero() {
		r.nested++
	}
	r.beginner = b
}

// onServing is called when a replica begins to serve in a new epoch.
func (r *rare) onServing(b paxos.Ballot) {
	if b == r.beginner {
		r.beginner = paxos.Ballot{}
	}
	if r.leaving != 0 {
		r.handovers++
		r.leaving = 0
	}
}

// onStepDown is called before a replica is asked to step down. serves reports whether it is a
// serving master.
func (r *rare) onStepDown(id paxos.NodeID, serves bool) {
	if serves {
		r.leaving = id
	}
}

// onBid is called when a replica asks for promises, perhaps not for the first time.
func (c *Cell) onBid(id paxos.NodeID, b paxos.Ballot) {
	if c.rare.bids[id] == b {
		return
	}
	if c.rare.bids == nil {
		c.rare.bids = map[paxos.NodeID]paxos.Ballot{}
	}
	c.rare.bids[id] = b
	candidates := 0
	for _, m := range c.machines.Replicas {
		if r := running(m); r != nil && r.Host.Core() != nil && r.Host.Core().Status().Role == paxos.Candidate {
			candidates++
		}
	}
	if candidates >= 3 {
		c.rare.duels++
	}
}

// onLifeEnd is called when a life ends. It counts the end if another replica was fetching from that
// life.
func (c *Cell) onLifeEnd(gone *replica) {
	if c.rare.over {
		return
	}
	for _, m := range c.machines.Replicas {
		if r := running(m); r != nil && r != gone && r.Host.Core() != nil && r.Host.Core().Status().Source == gone.Id {
			c.rare.sources++
			return
		}
	}
}

// onRecovered is called with the report of a recovery. hurt reports whether anything on the disk
// may have rotted.
func (r *rare) onRecovered(report store.Report, hurt bool) {
	if report.Torn != nil && report.Torn.Whole {
		r.wholeBehind++
	}
	for _, name := range report.Repaired {
		if !report.Created && !hurt && strings.HasSuffix(name, "/promise.b") {
			r.halves++
		}
	}
}

// creations is a file system that calls made and removed for each file that is made or removed in
// it.
type creations struct {
	vfs.FS
	made, removed func(name string)
	file          func(name string, f vfs.File) vfs.File
}

// Create makes a file, and calls made and file.
func (f creations) Create(name string) (vfs.File, error) {
	file, err := f.FS.Create(name)
	if err == nil {
		f.made(name)
		file = f.file(name, file)
	}
	return file, err
}

// Remove removes a file, and calls removed.
func (f creations) Remove(name string) error {
	err := f.FS.Remove(name)
	if err == nil {
		f.removed(name)
	}
	return err
}

// onRemoved is called for each file that a replica's store removes.
func (r *replica) onRemoved(name string) { r.cell.watch.Snapshots.OnRemoved(r.Id, name) }

// onMade is called for each file that a replica's store makes. It counts a new segment as a roll
// within recovery if the replica has not yet applied every slot that any replica had applied when
// it started.
func (r *replica) onMade(name string) {
	if strings.HasSuffix(name, ".wal") && r.Store != nil && r.cell.watch.Disks[r.Id].Applied < r.missed {
		r.cell.rare.rolls++
	}
}
