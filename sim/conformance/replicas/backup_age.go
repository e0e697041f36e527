package replicas

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim"
)

// backupAge is what one life of a replica writes into the rows about the age of the newest
// backup, for the next master to continue from. If the age were not written, or began anew
// with each master, a cell whose masters change often would never be backed up (S3).
type backupAge struct {
	epoch    api.Epoch   // epoch in which it serves; 0: none
	start    time.Time   // when it began to serve, by its clock
	first    rows.Backup // what the rows said then
	recorded rows.Backup // what the rows said at the end of the last step
	lastNote time.Time   // since when a note is due
	refused  uint64      // commands that its log has refused; one may have been a note
}

// notesPerInterval is how often the age is noted in one interval of backups.
const notesPerInterval = 8

// maxSilence is for how long a note may be missing. A note that names a new backup is due
// again in time for a retry, also where it is recorded meanwhile.
func maxSilence(every, retry time.Duration) time.Duration { return 3*every/notesPerInterval + retry }

// stop records that the replica does not serve, or has nothing to back up yet.
func (b *backupAge) stop() { b.epoch = 0 }

// onActed checks at the end of a step what a serving replica has proposed, what its rows say,
// and how many commands its log has refused.
func (b *backupAge) onActed(w *sim.World, id paxos.NodeID, now time.Time, e api.Epoch, recorded rows.Backup, proposed []command.Command, refused uint64) {
	if b.epoch != e {
		*b = backupAge{epoch: e, start: now, first: recorded, recorded: recorded, lastNote: now, refused: refused}
	}
	for _, c := range proposed {
		n, ok := c.(command.Backup)
		if !ok {
			continue
		}
		b.lastNote = now
		switch age := b.first.Elapsed + now.Sub(b.start); {
		case n.Done.Slot < b.recorded.Slot:
			w.Diverge("S3", "replica %d notes the age of a backup of slot %d, but one of slot %d is recorded: the rows refuse that", id, n.Done.Slot, b.recorded.Slot)
		case n.Done.Slot == b.first.Slot && (n.Done.Elapsed-age).Abs() > time.Millisecond:
			w.Diverge("S3", "replica %d notes that masters have served for %v since the newest backup, of slot %d; it is %v", id, n.Done.Elapsed, n.Done.Slot, age)
		}
	}
	if recorded != b.recorded || refused != b.refused {
		b.lastNote = now
	}
	b.recorded, b.refused = recorded, refused
}

// onWake checks a step that only the passing of time caused: all that was due is done.
func (b *backupAge) onWake(w *sim.World, id paxos.NodeID, now time.Time, every, retry time.Duration) {
	if silent := now.Sub(b.lastNote); b.epoch > 0 && silent > maxSilence(every, retry) {
		w.Diverge("S3", "replica %d has served for %v without noting the age of the newest backup; it has to every %v", id, silent, every/notesPerInterval)
	}
}
