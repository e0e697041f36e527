package driver

import (
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/internal/instant"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// BackupJob: write these rows to the place of backups. Rows is a view, so applying goes on
// meanwhile. One such job is under way at a time, and nothing waits for it, however long
// it takes.
type BackupJob struct {
	Handle paxos.Handle
	Rows   db.View
	Cell   uint64     // rows.CellID
	After  paxos.Slot // of the newest backup that is recorded
}

// BackupDone is the result of a BackupJob. After an error nothing has changed on which
// anything depends.
type BackupDone struct {
	Slot     paxos.Slot // of the newest backup there is
	Found    bool       // it was there already
	Rotten   int        // older ones that cannot be used any more
	Unpruned bool       // those that are too old could not be removed
	Err      error
}

// notes is how often in one interval a master records how long it has served.
const notes = 8

// backupScheduler decides when the master writes a backup (C14.03), by what is recorded in
// the rows (doc.go says why). In a replica that does not serve it does nothing.
type backupScheduler struct {
	every   time.Duration // 0: never
	retry   time.Duration // before a failed backup is attempted again, at first
	spread  draw.Source
	confirm comparison // the rows of a backup are compared as those of a snapshot are

	epoch     api.Epoch // in which this replica serves; 0: it does not
	cell      uint64    // rows.CellID
	since     time.Time // masters have served since then without a newer backup
	recorded  rows.Backup
	noteAt    time.Time // no note is proposed before
	notBefore time.Time // no backup is attempted before
	failures  uint      // in a row

	busy  bool
	taken time.Time  // when the rows of the job under way were taken
	under api.Epoch  // in which that job began
	done  paxos.Slot // of a backup that is not recorded yet; 0: none

	orders orders
}

// tick is the time between two notes.
func (b *backupScheduler) tick() time.Duration { return b.every / notes }

// reset forgets all but the job under way.
func (b *backupScheduler) reset() {
	b.confirm.drop()
	b.epoch, b.done = 0, 0
	b.orders.lose()
}

// begin continues from what is recorded: this replica serves in a new epoch.
func (b *backupScheduler) begin(now time.Time, e api.Epoch, cell uint64, recorded rows.Backup) {
	b.reset()
	b.epoch, b.cell = e, cell
	b.since, b.noteAt = now.Add(-recorded.Elapsed), now
	b.notBefore, b.failures = now, 0
}

// setRecorded notes what is recorded.
func (b *backupScheduler) setRecorded(recorded rows.Backup) {
	b.recorded = recorded
	if paxos.Slot(recorded.Slot) >= b.done {
		if b.done > 0 {
			b.orders.onRecorded()
		}
		b.done = 0
	}
}

// due is when a backup is to be made. Each cell adds its own spread. A cell that has none
// yet waits for the spread only.
func (b *backupScheduler) due() time.Time {
	if b.orders.isPending() {
		return b.orders.at
	}
	wait := time.Duration(b.spread.At("backup", 0, b.recorded.Slot) % uint64(b.tick()))
	if b.recorded.Slot > 0 {
		wait += b.every
	}
	at := b.since.Add(wait)
	if b.notBefore.After(at) {
		at = b.notBefore
	}
	return at
}

// isDue reports that rows for a backup must be taken.
func (b *backupScheduler) isDue(now time.Time) bool {
	return !b.busy && b.done == 0 && b.confirm.isIdle() && !now.Before(b.due())
}

// note returns what is to be recorded now, nil for nothing.
func (b *backupScheduler) note(now time.Time) *rows.Backup {
	if b.epoch == 0 || now.Before(b.noteDue()) {
		return nil
	}
	n := rows.Backup{Slot: max(b.recorded.Slot, uint64(b.done)), Elapsed: now.Sub(b.since)}
	b.noteAt = now.Add(b.tick())
	if b.done > 0 {
		b.noteAt = now.Add(b.retry)
	}
	return &n
}

// noteDue is when the next note is due.
func (b *backupScheduler) noteDue() time.Time {
	at := b.since.Add(b.recorded.Elapsed + b.tick())
	if b.done > 0 || b.noteAt.After(at) {
		at = b.noteAt
	}
	return at
}

// onDone takes the result of the job under way.
func (b *backupScheduler) onDone(now time.Time, r BackupDone) {
	b.busy = false
	switch {
	case r.Err != nil:
		b.notBefore = now.Add(min(b.retry<<min(b.failures, 16), b.tick()))
		b.failures++
	case b.epoch == 0: // the next master finds it
	case r.Slot <= paxos.Slot(b.recorded.Slot): // begun in an earlier epoch; no newer backup came of it
		b.failures = 0
	default:
		b.failures, b.done, b.noteAt, b.since = 0, r.Slot, now, now
		if !r.Found && b.under == b.epoch {
			b.since = b.taken
		}
	}
}

// wake is when Advance has something to do for backups; zero: no need.
func (b *backupScheduler) wake() time.Time {
	if b.epoch == 0 {
		return time.Time{}
	}
	at := instant.Earliest(b.noteDue(), b.confirm.wake())
	if !b.busy && b.done == 0 && b.confirm.isIdle() {
		at = instant.Earliest(at, b.due())
	}
	return at
}

// BackupAge is for how long masters have served since the rows of the newest backup were taken, or, without
// one, since the cell began; as the rows remember it, to about an eighth of BackupEvery. ok is false
// where this replica is not master, or makes no backups.
func (d *Driver) BackupAge(now time.Time) (age time.Duration, ok bool) {
	b := &d.backup
	if b.every == 0 || b.epoch == 0 {
		return 0, false
	}
	return max(0, now.Sub(b.since)), true
}

// BackupDone reports the result of the backup job under way. A failure is no reason to
// stop, and no reason for anything else to wait.
func (d *Driver) BackupDone(now time.Time, r BackupDone) {
	if !d.isReady(now) {
		return
	}
	d.backup.orders.onDone(r)
	d.backup.onDone(now, r)
	switch {
	case errors.Is(r.Err, db.ErrChanged):
		d.stop = fmt.Errorf("replica %d stops: its backup: %w: %w", d.cfg.Core.Paxos.ID, core.ErrMemory, r.Err)
	case r.Err != nil:
		d.count.BackupsFailed++
	case r.Found:
		d.count.BackupsFound++
	default:
		d.count.BackupsWritten++
	}
	d.count.BackupsRotten += uint64(r.Rotten)
	if r.Unpruned {
		d.count.BackupsUnpruned++
	}
	d.recordBackup()
}

// recordBackup proposes the note that is due, if one is.
func (d *Driver) recordBackup() {
	if n := d.backup.note(d.now); n != nil && d.stop == nil {
		d.core.RecordBackup(d.now, *n)
	}
}

// advanceBackup does what is due on backups: it takes rows, has them compared, and gives
// out the job.
func (d *Driver) advanceBackup(out *Output) {
	b := &d.backup
	s := d.core.Serving()
	if b.every == 0 || s == nil {
		b.reset()
		return
	}
	if b.epoch != s.Epoch {
		cell, founded := rows.CellID(d.core.View())
		if !founded { // it grants no leases, and has user rows only
			return
		}
		b.begin(d.now, s.Epoch, cell, d.core.Backup())
	}
	b.setRecorded(d.core.Backup())
	switch c := &b.confirm; {
	case b.isDue(d.now), c.isOutdated(d.now, d.bulk.applied):
		b.taken, b.orders.taken = d.now, b.orders.last
		d.transfers = append(d.transfers, c.begin(d.now, d.snapshot())...)
	default:
		d.transfers = append(d.transfers, c.askAgain(d.now)...)
	}
	w, err := b.confirm.take()
	if err != nil {
		d.count.SumsInMinority++
		d.stop = err
	}
	if w != nil {
		b.orders.job = b.orders.taken
		b.busy, b.under = true, b.epoch
		out.Backup = &BackupJob{Handle: w.Handle, Rows: w.Rows, Cell: b.cell, After: paxos.Slot(b.recorded.Slot)}
	}
	out.Wake = instant.Earliest(out.Wake, b.wake())
}
