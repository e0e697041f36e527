package replicas

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim"
)

// notes is what one life of a replica writes into the rows of how old the newest backup
// is, for the next master to go on from there: where that is not written, or begins anew
// with each master, a cell whose masters change often is never backed up (S3).
type notes struct {
	epoch api.Epoch // in which it serves; 0: it does not
	began time.Time // when it did, by its own clock
	from  rows.Backup
	known rows.Backup // what the rows said at the end of the step before
	last  time.Time   // since then it owes a note
	full  uint64      // what its log has refused, which may have been one
}

// notesIn are in one interval of backups.
const notesIn = 8

// mayOwe is for how long a master may owe a note. One that names a new backup is due again
// in time for a retry, also where that is recorded meanwhile.
func mayOwe(every, retry time.Duration) time.Duration { return 3*every/notesIn + retry }

// rests is told that a replica does not serve, or has nothing to back up yet.
func (s *notes) rests() { s.epoch = 0 }

// acted is told at the end of a step what a replica that serves has proposed, what its
// rows say, and what its log has refused so far.
func (s *notes) acted(w *sim.World, id paxos.NodeID, now time.Time, e api.Epoch, recorded rows.Backup, proposed []command.Command, full uint64) {
	if s.epoch != e {
		*s = notes{epoch: e, began: now, from: recorded, known: recorded, last: now, full: full}
	}
	for _, c := range proposed {
		n, ok := c.(command.Backup)
		if !ok {
			continue
		}
		s.last = now
		switch age := s.from.Elapsed + now.Sub(s.began); {
		case n.Done.Slot < s.known.Slot:
			w.Break("S3", "replica %d notes the age of a backup of slot %d, and one of slot %d is recorded: the rows refuse that", id, n.Done.Slot, s.known.Slot)
		case n.Done.Slot == s.from.Slot && (n.Done.Elapsed-age).Abs() > time.Millisecond:
			w.Break("S3", "replica %d notes that masters have served %v since the newest backup, of slot %d, and it is %v", id, n.Done.Elapsed, n.Done.Slot, age)
		}
	}
	if recorded != s.known || full != s.full {
		s.last = now
	}
	s.known, s.full = recorded, full
}

// woken is told that time has brought a replica to do all that was due.
func (s *notes) woken(w *sim.World, id paxos.NodeID, now time.Time, every, retry time.Duration) {
	if owes := now.Sub(s.last); s.epoch > 0 && owes > mayOwe(every, retry) {
		w.Break("S3", "replica %d has served %v and noted nothing of the age of the newest backup, which it should every %v", id, owes, every/notesIn)
	}
}
