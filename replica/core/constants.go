package core

import (
	"fmt"
	"strconv"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// constant is something that all replicas of a cell must be told alike. The first
// master writes it into the rows; a replica that was told otherwise must not go on.
type constant struct{ name, value string }

// Names of the replicated constants, as ConstantError has them; they are never given to another fact.
const (
	ConstantGrant = "lease grant" // paxos.Lease.Grant, as time.Duration prints it
	constantRho   = "lease rho"   // paxos.Lease.Rho, in parts per million
	// rows.ConstantSessions: Config.MaxSessions
)

func (c *Config) constants() []constant {
	all := []constant{
		{ConstantGrant, c.Paxos.Lease.Grant.String()},
		{constantRho, fmt.Sprint(int64(c.Paxos.Lease.Rho))},
	}
	if c.MaxSessions > 0 {
		all = append(all, constant{rows.ConstantSessions, strconv.Itoa(c.MaxSessions)})
	}
	return all
}

// keptGrant is the lease grant of the cell that a replica was part of, or grant where its disk knows none.
// A cell that was founded without leases, whose lives have a grant of 0 on disk and whose rows may
// have been written since, goes on without.
func keptGrant(grant time.Duration, rec paxos.Recovered, all *db.DB) time.Duration {
	if value, ok := rows.GetConstant(all, ConstantGrant); ok {
		if kept, err := time.ParseDuration(value); err == nil {
			return kept
		}
	}
	if rec.Boot > 0 {
		return rec.Grant
	}
	return grant
}

// writeConstants has the constants written that the rows lack, by a master whose epoch has
// just begun.
func (r *Replica) writeConstants() {
	for _, c := range r.cfg.constants() {
		if _, ok := rows.GetConstant(r.db, c.name); !ok {
			r.master.SetConstant(c.name, c.value)
		}
	}
}

// checkConstants stops the replica if the rows hold another value of a constant than its
// configuration does.
func (r *Replica) checkConstants() {
	for _, c := range r.cfg.constants() {
		if value, ok := rows.GetConstant(r.db, c.name); ok && value != c.value && r.stop == nil {
			r.stop = fmt.Errorf("replica %d stops: %w", r.cfg.Paxos.ID, &ConstantError{Name: c.name, Cell: value, Own: c.value})
		}
	}
}

// isConstant reports whether a command may have set a constant.
func isConstant(a *command.Applied) bool {
	_, ok := a.Command.(command.Constant)
	return ok
}
