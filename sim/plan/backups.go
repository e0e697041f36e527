package plan

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/sim"
)

// BackupPlan describes the places of backups. There are backups if Plan.Driver.BackupEvery is not
// 0.
type BackupPlan struct {
	Far    sim.DiskConfig // every replica has a place of its own
	Keep   int
	Chunk  int
	Fails  uint64 // how many of 1,000 calls to a place fail, until healing
	Reborn bool   // at the end of the run, a new cell is made of the newest backup
}

// backups draws backups for one in three of the cells whose sessions have leases. A cell without
// session leases is never founded, and has no backups.
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

// Far returns the configuration of a replica's far disk, or nil if there are no backups.
func (p *Plan) Far() *sim.DiskConfig {
	if p.Driver.BackupEvery == 0 {
		return nil
	}
	return &p.Backups.Far
}
