package core

import (
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/command"
)

// Observer is told what happens inside a replica, while it happens: a simulator
// compares it with what the papers allow. Its methods are called within a method of the
// replica. They call no method of the replica, and write to nothing that they are given;
// they may keep all of it.
//
// Without an observer (Config.Observer is nil) nothing is collected for one.
type Observer interface {
	// OnInstalled: the rows were replaced by those of a snapshot.
	OnInstalled(Installed)
	// OnApplied: the rows took in the next slot.
	OnApplied(Applied)
	// OnTenure: the log has another leader, or the same one a new tenure.
	OnTenure(paxos.Tenure)
	// OnProposed: the log took this command. It may stand in the log once for each time.
	OnProposed(raw []byte)
	// OnBegun: the master decided on this command for a call, or for what follows from
	// calls, and the command waits for its turn in the log. It is proposed, now or later,
	// unless the tenure ends.
	OnBegun(raw []byte)
	// OnRead: the master answered a call from the rows, without the log.
	OnRead(Read)
}

// Applied is one slot that the rows took in, with what became of its commands.
type Applied struct {
	Slot     paxos.Slot
	Value    paxos.Value
	Sum      db.Sum // of all rows, after the slot
	Commands []command.Applied
}

// Installed says that the rows were replaced by those of a snapshot.
type Installed struct {
	Handle paxos.Handle
	Sum    db.Sum // of all rows
}

// observe passes on what the master reports.
func (r *Replica) observe(mo *master.Output) {
	o := r.cfg.Observer
	if o == nil {
		return
	}
	for _, read := range mo.Reads {
		o.OnRead(read)
	}
	for _, raw := range mo.Begun {
		o.OnBegun(raw)
	}
}

func (r *Replica) observeProposed(raw []byte) {
	if r.cfg.Observer != nil {
		r.cfg.Observer.OnProposed(raw)
	}
}
