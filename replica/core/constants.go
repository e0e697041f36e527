package core

import (
	"fmt"
	"strconv"

	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// constant is something that all replicas of a cell must be told alike. The first
// master writes it into the rows; a replica that was told otherwise must not go on.
type constant struct{ name, value string }

// Names of the replicated constants; they are never given to another fact.
const (
	constantGrant = "lease grant" // paxos.Lease.Grant, as time.Duration prints it
	constantRho   = "lease rho"   // paxos.Lease.Rho, in parts per million
	// rows.ConstantSessions: Config.MaxSessions
)

func (c *Config) constants() []constant {
	all := []constant{
		{constantGrant, c.Paxos.Lease.Grant.String()},
		{constantRho, fmt.Sprint(int64(c.Paxos.Lease.Rho))},
	}
	if c.MaxSessions > 0 {
		all = append(all, constant{rows.ConstantSessions, strconv.Itoa(c.MaxSessions)})
	}
	return all
}

// settle has the constants written that the rows lack, by a master whose epoch has
// just begun.
func (r *Replica) writeConstants() {
	for _, c := range r.cfg.constants() {
		if _, ok := rows.GetConstant(r.db, c.name); !ok {
			r.master.SetConstant(c.name, c.value)
		}
	}
}

// compare stops the node if the rows hold another value of a constant than its
// configuration does.
func (r *Replica) checkConstants() {
	for _, c := range r.cfg.constants() {
		if value, ok := rows.GetConstant(r.db, c.name); ok && value != c.value && r.stop == nil {
			r.stop = fmt.Errorf("replica %d stops: %w: constant %q is %s in this cell and %s in its configuration: they must be equal",
				r.cfg.Paxos.ID, ErrConstant, c.name, value, c.value)
		}
	}
}

// setsConstant says whether a command may have set a constant.
func isConstant(a *command.Applied) bool {
	_, ok := a.Command.(command.Constant)
	return ok
}
