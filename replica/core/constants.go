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

// constant is a setting that must have the same value in the configuration of each replica of a
// cell. The first master writes it into the rows; a replica that is configured with another value
// stops.
type constant struct{ name, value string }

// Names of the replicated constants, as in ConstantError. A name is never used for another setting.
const (
	ConstantGrant = "lease grant" // paxos.Lease.Grant, as time.Duration prints it
	constantRho   = "lease rho"   // paxos.Lease.Rho, in parts per million
	// rows.ConstantSessions: Config.MaxSessions
	// rows.ConstantVersion, for each version of commands: not configured, see Replica.MembersKnow
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

// keptGrant returns the lease grant of the cell that this replica was part of: the constant in the
// rows, or else the grant that the register has from an earlier life. It returns grant if this is the
// first life. A cell that was founded without leases thus stays without, since its register has a
// grant of 0.
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

// writeConstants proposes the constants that the rows lack. It is called once in each epoch of this
// replica, when that has begun.
func (r *Replica) writeConstants() {
	for _, c := range r.cfg.constants() {
		if _, ok := rows.GetConstant(r.db, c.name); !ok {
			r.master.SetConstant(c.name, c.value)
		}
	}
}

// checkConstants stops the replica if the cell uses commands that its program does not know, or if a
// constant has another value in the rows than in its configuration.
func (r *Replica) checkConstants() {
	for _, c := range r.cfg.constants() {
		if value, ok := rows.GetConstant(r.db, c.name); ok && value != c.value && r.stop == nil {
			r.stop = fmt.Errorf("replica %d stops: %w", r.cfg.Paxos.ID, &ConstantError{Name: c.name, Cell: value, Own: c.value})
		}
	}
	r.checkVersion()
}

// isConstant reports whether a command may have set a constant.
func isConstant(a *command.Applied) bool {
	_, ok := a.Command.(command.Constant)
	return ok
}
