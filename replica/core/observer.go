package core

import (
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/command"
)

// Observer is told what happens inside a replica, while it happens, so that a simulator can compare
// it with what the papers allow. A Replica calls its methods from within its own methods. They must
// call no method of the Replica and must not write to their arguments, but may keep them.
//
// Without an observer (Config.Observer is nil) the Replica collects nothing for one.
type Observer interface {
	// OnInstalled: the rows of a snapshot replaced the present ones.
	OnInstalled(Installed)
	// OnApplied: the replica applied the next slot.
	OnApplied(Applied)
	// OnTenure: the log has another leader, or a new tenure of the same one.
	OnTenure(paxos.Tenure)
	// OnProposed: the log accepted this command as a proposal. The command may stand in the log once
	// for each call of OnProposed.
	OnProposed(raw []byte)
	// OnRefused: the log did not take this command as a proposal, for want of room, because it is too
	// large, or because this replica does not lead. The command is not in the log; the master may propose
	// it again.
	OnRefused(raw []byte)
	// OnBegun: the master made this command for a call, or for what follows from calls, and the
	// command waits for its turn in the log. It is proposed, now or later, unless the tenure ends
	// or the client gives the call up.
	OnBegun(raw []byte)
	// OnRead: the master answered a call from the rows, without the log.
	OnRead(Read)
}

// Applied is one slot that was applied, with the outcomes of its commands.
type Applied struct {
	Slot     paxos.Slot
	Value    paxos.Value
	Sum      db.Sum // of all rows, after the slot
	Commands []command.Applied
}

// Installed says that the rows of a snapshot replaced the present ones.
type Installed struct {
	Handle paxos.Handle
	Sum    db.Sum // of all rows
}

// observe passes the reads and the begun commands of the master on to the observer.
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

func (r *Replica) observeRefused(raw []byte) {
	if r.cfg.Observer != nil {
		r.cfg.Observer.OnRefused(raw)
	}
}
