package driver

import (
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
)

// Config configures a driver and its replica.
type Config struct {
	Core       core.Config
	FlushAfter time.Duration // records for which nothing waits are written after this
	IdleAfter  time.Duration // an idle log writes its watermark after this

	Inbox InboxConfig // of what takes messages in for the driver

	// A snapshot is written after so many bytes of log, or so many hundredths of the bytes of the
	// rows, whichever is more.
	SnapshotBytes   int64
	SnapshotPercent int
	SnapshotEvery   paxos.Slot // and after so many slots at the latest, which take memory whatever they hold

	KeepSlots   paxos.Slot    // so many slots that could be dropped are kept for laggards
	PieceBytes  int           // of a snapshot, in one message; at most
	RetryAfter  time.Duration // a snapshot that failed is attempted again after this
	BackupEvery time.Duration // the master writes a backup that often; 0: never
	HoldFor     time.Duration // while peers fetch one snapshot no other is begun, for so long at most; doubled if that was too short for a peer
}

// DefaultConfig is a configuration for machines in one building. The caller sets
// Core.Paxos.ID, Members and Seed.
func DefaultConfig() Config {
	return Config{
		Core:          core.DefaultConfig(),
		FlushAfter:    100 * time.Millisecond,
		IdleAfter:     200 * time.Millisecond,
		Inbox:         defaultInbox(),
		SnapshotBytes: 8 << 20, SnapshotPercent: 25, SnapshotEvery: 1 << 19,
		KeepSlots:  1_000,
		PieceBytes: 256 << 10,
		RetryAfter: time.Second,
		HoldFor:    30 * time.Second,
	}
}

// maxPercent bounds Config.SnapshotPercent: with more, a restart would take far longer for the log
// than for the rows.
const maxPercent = 1000

// Validate returns all faults at once, joined, or nil.
func (c *Config) Validate() error {
	var faults []error
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"FlushAfter", c.FlushAfter}, {"IdleAfter", c.IdleAfter}, {"RetryAfter", c.RetryAfter}, {"HoldFor", c.HoldFor}} {
		if d.value <= 0 {
			faults = append(faults, fmt.Errorf("driver config: %s is %v; above 0", d.name, d.value))
		}
	}
	if c.SnapshotBytes < 1 {
		faults = append(faults, fmt.Errorf("driver config: SnapshotBytes is %d; at least 1", c.SnapshotBytes))
	}
	if c.SnapshotPercent < 0 || c.SnapshotPercent > maxPercent {
		faults = append(faults, fmt.Errorf("driver config: SnapshotPercent is %d; between 0 and %d", c.SnapshotPercent, maxPercent))
	}
	if c.SnapshotEvery == 0 {
		faults = append(faults, errors.New("driver config: SnapshotEvery is 0; at least 1"))
	}
	if c.BackupEvery != 0 && c.BackupEvery < time.Second {
		faults = append(faults, fmt.Errorf("driver config: BackupEvery is %v; 0, or at least a second", c.BackupEvery))
	}
	if c.PieceBytes < 1 {
		faults = append(faults, fmt.Errorf("driver config: PieceBytes is %d; at least 1", c.PieceBytes))
	}
	return errors.Join(append(faults, c.Inbox.validate(), c.Core.Validate())...)
}
