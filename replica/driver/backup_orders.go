package driver

import "time"

// orders are backups that operators want now. Each has a number; one backup serves all orders that came before
// its rows were taken. It serves them when it is recorded, which proves that this replica was master when they
// came: the rows of a deposed one lack what the next one has answered.
type orders struct {
	last    uint64    // that came
	at      time.Time // when it did
	taken   uint64    // the last one before the newest rows were taken
	job     uint64    // the last one that the job under way serves
	written uint64    // the last one for which there is a backup, that is not recorded yet: made
	made    BackupDone
	settled uint64 // the last one that has a result
	result  BackupDone
	lost    uint64 // the last one before this replica ceased to serve
}

// isPending reports that rows are to be taken for an order.
func (o *orders) isPending() bool { return o.last > o.taken }

// lose drops what has no result.
func (o *orders) lose() { o.lost, o.taken, o.written = o.last, o.last, 0 }

// onDone takes the result of the job under way. One that found a backup of another master wrote none: it is
// taken again.
func (o *orders) onDone(r BackupDone) {
	switch {
	case o.job <= max(o.settled, o.lost):
	case r.Err != nil:
		o.settled, o.result = o.job, r
	case r.Found:
		o.taken = o.settled
	default:
		o.written, o.made = o.job, r
	}
}

// onRecorded says that the newest backup is recorded, in the epoch in which it was made.
func (o *orders) onRecorded() {
	if o.written > o.settled {
		o.settled, o.result = o.written, o.made
	}
}

// OrderBackup has a backup written now, of rows that have all that is in them at this time, and returns the
// number of the order. ok is false where this replica is not master, or makes no backups.
func (d *Driver) OrderBackup(now time.Time) (order uint64, ok bool) {
	b := &d.backup
	if !d.isReady(now) || b.every == 0 || b.epoch == 0 {
		return 0, false
	}
	b.orders.last, b.orders.at = b.orders.last+1, now
	return b.orders.last, true
}

// BackupOrder is what became of an order. settled: r is its result, or that of a later one; a backup is there, and
// recorded. lost: this replica ceased to serve before there was a result; a backup may be written yet.
func (d *Driver) BackupOrder(order uint64) (r BackupDone, settled, lost bool) {
	o := &d.backup.orders
	return o.result, order <= o.settled, order > o.settled && order <= o.lost
}
