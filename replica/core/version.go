package core

import (
	"fmt"
	"maps"
	"time"

	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// versions is what a replica knows of versions of commands.
type versions struct {
	inUse byte // by the rows
	known map[paxos.NodeID]byte
	asked raise // the last one that was proposed
}

// raise is a proposal that the cell use one more version, in an epoch.
type raise struct {
	epoch api.Epoch
	to    byte
}

// MembersKnow tells the replica which version of commands is the newest that the program of each other member knows. It
// replaces what was said before: a member that is not in known, because it is not connected, counts as knowing none above
// rows.FirstVersion. The master proposes that the cell use a version (Version) when all members know it. That is for
// progress only. If a program is replaced by an older one meanwhile, that replica stops when it finds the version in its
// rows (ErrOtherVersion).
func (r *Replica) MembersKnow(now time.Time, known map[paxos.NodeID]byte) {
	r.now = now
	r.versions.known = maps.Clone(known)
}

// Version returns the version of commands that the cell uses, by the rows of this replica. It never falls. A master
// proposes no command of a newer version (I-R9).
func (r *Replica) Version() byte { return r.versions.inUse }

// newest is the newest version that the program of this replica knows.
func (c *Config) newest() byte {
	if c.NewestVersion == 0 {
		return command.NewestVersion
	}
	return c.NewestVersion
}

// knownToAll returns the newest version that the programs of all members know, as far as this replica has heard.
func (r *Replica) knownToAll() byte {
	v := r.cfg.newest()
	for _, id := range r.cfg.Paxos.Members {
		if id != r.cfg.Paxos.ID {
			v = min(v, max(r.versions.known[id], rows.FirstVersion))
		}
	}
	return v
}

// raiseVersion proposes that the cell use the next version, if all members know that, once in an epoch of this replica.
func (r *Replica) raiseVersion(epoch api.Epoch) {
	if r.versions.inUse >= r.cfg.newest() {
		return
	}
	next := raise{epoch, r.versions.inUse + 1}
	if r.versions.asked == next || r.knownToAll() < next.to {
		return
	}
	r.versions.asked = next
	r.master.SetConstant(rows.ConstantVersion(next.to), rows.VersionValue)
}

// checkVersion takes the version in use from the rows, and stops the replica if its program does not know it.
func (r *Replica) checkVersion() {
	r.versions.inUse = rows.GetVersion(r.db)
	if newest := r.cfg.newest(); r.versions.inUse > newest && r.stop == nil {
		r.stop = fmt.Errorf("replica %d stops: %w: the cell uses version %d of the commands, since the programs of all members have known it, and this program knows them up to version %d. "+
			"Its files are in order: start it with the program of the other replicas (chubby version)", r.cfg.Paxos.ID, ErrOtherVersion, r.versions.inUse, newest)
	}
}

// verifyProposals is verifyInUse for what the master proposes.
func (r *Replica) verifyProposals(all []master.Proposal) {
	for _, p := range all {
		r.verifyInUse("proposes", string(p.Command[:min(1, len(p.Command))]))
	}
}

// verifyInUse panics if a command is of a version that the cell does not use yet (I-R9): when this replica proposes it, and
// before a replica whose program knows the version applies it.
func (r *Replica) verifyInUse(does, raw string) {
	if raw != "" && raw[0] > r.versions.inUse {
		invariant.Failf("I-R9", "replica %d %s a command of version %d in a cell that uses version %d: %q", r.cfg.Paxos.ID, does, raw[0], r.versions.inUse, raw)
	}
}
