package replicas

import (
	"testing"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
)

// A replica does not leave its source for one with another snapshot.
func TestL1ASourceIsNotLeft(t *testing.T) {
	const pause = 100 * time.Millisecond
	id := func(slot paxos.Slot) driver.SnapshotID {
		return driver.SnapshotID{Handle: paxos.Handle{Slot: slot, Members: []paxos.NodeID{1, 2, 3}}, Size: 300, Sum: uint64(slot)}
	}
	piece := driver.Piece{ID: id(9), Data: "x"}
	twice := func(f *verdict, s *fetching) { // another replica gave the same before it was taken
		s.onTransfer(time.Unix(100, 0), 3, piece)
		s.onBulkJob(f.w, 1, driver.PutJob{Piece: piece})
	}
	for name, c := range map[string]struct {
		next   func(*verdict, *fetching)
		after  time.Duration
		ask    driver.Ask
		breaks bool
	}{
		"the next piece":           {ask: driver.Ask{ID: id(9), Offset: 1}},
		"anew at once":             {ask: driver.Ask{Slot: 7}, breaks: true},
		"anew, soon":               {ask: driver.Ask{Slot: 7}, after: 14 * pause, breaks: true},
		"anew, after a while":      {ask: driver.Ask{Slot: 7}, after: 15 * pause},
		"it is gone":               {next: func(_ *verdict, s *fetching) { s.onTransfer(time.Time{}, 2, driver.Gone{ID: id(9)}) }, ask: driver.Ask{Slot: 7}},
		"another has it not":       {next: func(_ *verdict, s *fetching) { s.onTransfer(time.Time{}, 3, driver.Gone{ID: id(9)}) }, ask: driver.Ask{Slot: 7}, breaks: true},
		"another one is gone":      {next: func(_ *verdict, s *fetching) { s.onTransfer(time.Time{}, 2, driver.Gone{ID: id(8)}) }, ask: driver.Ask{Slot: 7}, breaks: true},
		"gone at the first of two": {next: func(f *verdict, s *fetching) { twice(f, s); s.onTransfer(time.Time{}, 2, driver.Gone{ID: id(9)}) }, ask: driver.Ask{Slot: 7}},
		"gone at a third":          {next: func(f *verdict, s *fetching) { twice(f, s); s.onTransfer(time.Time{}, 4, driver.Gone{ID: id(9)}) }, ask: driver.Ask{Slot: 7}, breaks: true},
		"the disk refused":         {next: func(_ *verdict, s *fetching) { s.onBulkDone(driver.PutDone{Err: db.ErrChanged}) }, ask: driver.Ask{Slot: 7}},
		"it is installed":          {next: func(_ *verdict, s *fetching) { s.onBulkDone(driver.PutDone{Rows: db.New()}) }, ask: driver.Ask{Slot: 27}},
		"records overtook it":      {next: func(_ *verdict, s *fetching) { s.onApplied(9) }, ask: driver.Ask{Slot: 27}},
		"records came, not so":     {next: func(_ *verdict, s *fetching) { s.onApplied(8) }, ask: driver.Ask{Slot: 27}, breaks: true},
		"one that is not taken":    {next: func(_ *verdict, s *fetching) { s.onTransfer(time.Unix(1, 0), 3, driver.Piece{ID: id(8), Data: "x"}) }, ask: driver.Ask{Slot: 7}, breaks: true},
	} {
		t.Run(name, func(t *testing.T) {
			f, s, now := newVerdict(t), fetching{}, time.Unix(100, 0)
			s.onAsk(f.w, 1, 2, now, driver.Ask{Slot: 7}, pause)
			s.onTransfer(now, 2, piece)
			s.onBulkJob(f.w, 1, driver.PutJob{Piece: piece})
			if c.next != nil {
				c.next(f, &s)
			}
			s.onAsk(f.w, 1, 3, now.Add(c.after), c.ask, pause)
			if c.breaks {
				f.requireBreach("L1")
			} else {
				f.requireClean()
			}
		})
	}
}

// A replica writes pieces after it asked for a snapshot, until it has all of it.
func TestL2OnlyPiecesThatWereAskedForAreTaken(t *testing.T) {
	ask, piece := driver.Ask{Slot: 7}, driver.PutJob{Piece: driver.Piece{Data: "x"}}
	for name, c := range map[string]struct {
		next   func(*verdict, *fetching)
		job    driver.BulkJob
		breaks bool
	}{
		"asked for":      {func(f *verdict, s *fetching) { s.onAsk(f.w, 1, 3, time.Time{}, ask, 1) }, piece, false},
		"not asked for":  {func(*verdict, *fetching) {}, piece, true},
		"its own":        {func(*verdict, *fetching) {}, driver.WriteJob{}, false},
		"the next piece": {func(f *verdict, s *fetching) { s.onAsk(f.w, 1, 3, time.Time{}, ask, 1); s.onBulkDone(driver.PutDone{}) }, piece, false},
		"after one that went wrong": {func(f *verdict, s *fetching) {
			s.onAsk(f.w, 1, 3, time.Time{}, ask, 1)
			s.onBulkDone(driver.PutDone{Err: db.ErrChanged})
		}, piece, false},
		"after the last": {func(f *verdict, s *fetching) {
			s.onAsk(f.w, 1, 3, time.Time{}, ask, 1)
			s.onBulkDone(driver.PutDone{Rows: db.New()})
		}, piece, true},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := newVerdict(t), fetching{}
			c.next(f, &s)
			f.requireClean()
			s.onBulkJob(f.w, 1, c.job)
			if c.breaks {
				f.requireBreach("L2")
			} else {
				f.requireClean()
			}
		})
	}
}
