package cellkit

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

// Config describes a cell. The zero Config is a cell of three replicas with the defaults of
// `chubby serve`, for a world with one cell.
type Config struct {
	// Name is the cell's part of full names, /ls/NAME/PATH: small letters, digits and hyphens, and
	// different for each cell of a world. A cell without a name is only /ls/local.
	Name string

	Replicas int // 1 to 7; 0: three

	// Tune changes the configuration of every replica, such as the lease of sessions. It is called
	// by Add and for each life, after the defaults were set, and must set the same each time. Backups
	// are not possible: the replicas have no place for them. nil: nothing is changed.
	Tune func(c *driver.Config)

	// Clock is the clock of a replica's machine; nil: a true one. Cells assume that no clock errs by
	// more than 0.1 % (Core.Paxos.Lease.Rho, and Rho of the client.Config).
	Clock func(replica uint32) sim.ClockConfig

	Disk sim.DiskConfig // of each replica; without Sync: a sync takes a millisecond

	// Place adds the machine of a replica to the world, and starts it. nil: World.Add and
	// Machine.Start.
	Place func(replica uint32, m sim.MachineConfig) *sim.Machine

	// Unchecked turns off the checkers of the cell, which cost a quarter or more of a run's time. It
	// is for worlds that damage what a disk has synced or what a replica has in memory, and for
	// replicas whose Tune sets Core.Observer.
	Unchecked bool
}

// mostReplicas is the most that `chubby sim` has in a cell, too.
const mostReplicas = 7

// defaultReplicas is the smallest cell that goes on when one replica is lost.
const defaultReplicas = 3

// withDefaults returns the configuration with its defaults. It panics if no such cell can be.
func (cfg Config) withDefaults() Config {
	if cfg.Replicas == 0 {
		cfg.Replicas = defaultReplicas
	}
	if cfg.Replicas < 1 || cfg.Replicas > mostReplicas {
		panic(fmt.Sprintf("cellkit: cell %q with %d replicas: a cell has 1 to %d", cfg.Name, cfg.Replicas, mostReplicas))
	}
	if name := api.Cell(cfg.Name); cfg.Name != "" && (name.Check() != api.OK || name == api.LocalCell) {
		panic(fmt.Sprintf("cellkit: cell name %q: use small letters, digits and hyphens, and not %q", cfg.Name, api.LocalCell))
	}
	if cfg.Disk.Sync == nil {
		cfg.Disk.Sync = sim.Table{time.Millisecond}
	}
	return cfg
}

// driver returns the configuration of a replica, whose machine is m, in its next life.
func (c *Cell) driver(id paxos.NodeID, m sim.Addr) driver.Config {
	d := driver.DefaultConfig()
	d.Core.Paxos.ID = id
	d.Core.Paxos.Seed = c.world.Draw("cellkit.replica", uint64(m)).Uint64()
	for i := range c.cfg.Replicas {
		d.Core.Paxos.Members = append(d.Core.Paxos.Members, paxos.NodeID(i+1))
	}
	secret := c.world.Draw("cellkit.secret", uint64(m))
	for i := 0; i < len(d.Core.Secret); i += 8 {
		binary.BigEndian.PutUint64(d.Core.Secret[i:], secret.Uint64())
	}
	if c.cfg.Tune != nil {
		c.cfg.Tune(&d)
	}
	if err := d.Validate(); err != nil {
		panic(fmt.Sprintf("cellkit: Tune of cell %q: %v", c.cfg.Name, err))
	}
	if d.BackupEvery != 0 {
		panic(fmt.Sprintf("cellkit: Tune of cell %q sets BackupEvery to %v: these replicas have no place for backups; leave it 0", c.cfg.Name, d.BackupEvery))
	}
	if d.Core.Observer != nil && !c.cfg.Unchecked {
		panic(fmt.Sprintf("cellkit: Tune of cell %q sets Core.Observer, by which the checkers observe replicas: leave it nil, or set Unchecked", c.cfg.Name))
	}
	return d
}
