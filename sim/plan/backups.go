package plan

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/sim"
)

// BackupPlan says where backups go, if Host.BackupEvery says that there are some.
type BackupPlan struct {
	Far    sim.DiskConfig // every replica has a place of its own
	Keep   int
	Chunk  int
	Fails  uint64 // of 1,000 calls to a place, so many, until healing
	Reborn bool   // at the end, a new cell is made of the newest
}

// backups draws them for one in three of the cells that have handles: one that
// grants no leases is never founded, and not backed up.
func (p *Plan) backups(at func(string) *draw.Stream) {
	d := at("backups")
	if !d.Chance(1, 3) || p.Driver.Core.Sessions.LeaseMin == 0 {
		return
	}
	p.Driver.BackupEvery = time.Duration(d.LogUniform(int64(time.Second), int64(8*time.Second)))
	ms := time.Millisecond
	sync := time.Duration(d.LogUniform(int64(ms), int64(60*ms)))
	p.Backups = BackupPlan{
		Far: sim.DiskConfig{
			Read: sim.Table{ms, 5 * ms}, Write: sim.Table{ms, 2 * ms}, Sync: sim.Table{sync, 2 * sync, 10 * sync}, Meta: sim.Table{ms, 5 * ms},
		},
		Keep:   int(d.Between(2, 4)),
		Chunk:  int(d.LogUniform(1<<10, 1<<18)),
		Reborn: d.Chance(1, 2),
	}
	if d.Chance(2, 3) {
		p.Backups.Fails = uint64(d.LogUniform(1, 200))
	}
}

// Far is the far disk of a replica, nil where there are no backups.
func (p *Plan) Far() *sim.DiskConfig {
	if p.Driver.BackupEvery == 0 {
		return nil
	}
	return &p.Backups.Far
}
