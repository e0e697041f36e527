package cell

import (
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/wal/vfs"
)

// rare counts situations that take more than one look at one place to see. It
// only counts: what holds in them is the watch's.
type rare struct {
	beginner paxos.Ballot // who began to lead last and does not serve yet; zero: serves
	leaving  paxos.NodeID // it served and was told to step down; 0: a replica has served since
	bids     map[paxos.NodeID]paxos.Ballot
	led      map[paxos.Ballot]paxos.Boot // the life that led at each ballot last
	over     bool                        // the run is; a replica that is down now was not lost

	nested, handovers, duels, sources, halves, wholeBehind, syncs, rolls, misfits, misfitsTold, again, bursts, crushed uint64
}

// began is told that a life of a replica begins to lead at a ballot.
func (r *rare) began(b paxos.Ballot, life paxos.Boot) {
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

// serves is told that a replica serves in a new epoch.
func (r *rare) serves(b paxos.Ballot) {
	if b == r.beginner {
		r.beginner = paxos.Ballot{}
	}
	if r.leaving != 0 {
		r.handovers++
		r.leaving = 0
	}
}

// steppingDown is told that a replica is about to be asked to.
func (r *rare) steppingDown(id paxos.NodeID, serves bool) {
	if serves {
		r.leaving = id
	}
}

// bid is told that a replica asks for promises, perhaps not for the first time.
func (c *Cell) bid(id paxos.NodeID, b paxos.Ballot) {
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

// lost is told that a life ends, and looks who was fetching from it.
func (c *Cell) lost(gone *replica) {
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

// recovered is told what a start met, and whether anything on the disk may have
// rotted.
func (r *rare) recovered(report store.Report, hurt bool) {
	if report.Torn != nil && report.Torn.Whole {
		r.wholeBehind++
	}
	for _, name := range report.Repaired {
		if !report.Created && !hurt && strings.HasSuffix(name, "/promise.b") {
			r.halves++
		}
	}
}

// creations is a file system that tells of each file that is made in it, or removed.
type creations struct {
	vfs.FS
	made, removed func(name string)
	file          func(name string, f vfs.File) vfs.File
}

// Create makes a file, and tells.
func (f creations) Create(name string) (vfs.File, error) {
	file, err := f.FS.Create(name)
	if err == nil {
		f.made(name)
		file = f.file(name, file)
	}
	return file, err
}

// Remove removes a file, and tells.
func (f creations) Remove(name string) error {
	err := f.FS.Remove(name)
	if err == nil {
		f.removed(name)
	}
	return err
}

// removed is told of each file that a replica's store removes.
func (r *replica) removed(name string) { r.cell.watch.Snapshots.OnRemoved(r.Id, name) }

// made is told of each file that a replica's store makes: a segment, while the
// replica has not applied again all that any replica had applied when it started, is
// a roll within recovery.
func (r *replica) made(name string) {
	if strings.HasSuffix(name, ".wal") && r.Store != nil && r.cell.watch.Disks[r.Id].Applied < r.missed {
		r.cell.rare.rolls++
	}
}
