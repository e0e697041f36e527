package replicas

import (
	"testing"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// A replica does not leave its source for one with another snapshot.
func TestL1ASourceIsNotLeft(t *testing.T) {
	const pause = 100 * time.Millisecond
	id := func(slot paxos.Slot) driver.SnapshotID {
		return driver.SnapshotID{Handle: paxos.Handle{Slot: slot, Members: []paxos.NodeID{1, 2, 3}}, Size: 300, Sum: uint64(slot)}
	}
	piece := driver.Piece{ID: id(9), Data: "x"}
	twice := func(f worldtest.World, s *fetching) { // another replica gave the same before it was taken
		s.onTransfer(time.Unix(100, 0), 3, piece)
		s.onBulkJob(f.World, 1, driver.PutJob{Piece: piece})
	}
	for name, c := range map[string]struct {
		next   func(worldtest.World, *fetching)
		after  time.Duration
		ask    driver.Ask
		breaks bool
	}{
		"the next piece":      {ask: driver.Ask{ID: id(9), Offset: 1}},
		"anew at once":        {ask: driver.Ask{Slot: 7}, breaks: true},
		"anew, soon":          {ask: driver.Ask{Slot: 7}, after: 14 * pause, breaks: true},
		"anew, after a while": {ask: driver.Ask{Slot: 7}, after: 15 * pause},
		"it is gone":          {next: func(_ worldtest.World, s *fetching) { s.onTransfer(time.Time{}, 2, driver.Gone{ID: id(9)}) }, ask: driver.Ask{Slot: 7}},
		"another has it not":  {next: func(_ worldtest.World, s *fetching) { s.onTransfer(time.Time{}, 3, driver.Gone{ID: id(9)}) }, ask: driver.Ask{Slot: 7}, breaks: true},
		"another one is gone": {next: func(_ worldtest.World, s *fetching) { s.onTransfer(time.Time{}, 2, driver.Gone{ID: id(8)}) }, ask: driver.Ask{Slot: 7}, breaks: true},
		"gone at the first of two": {next: func(f worldtest.World, s *fetching) {
			twice(f, s)
			s.onTransfer(time.Time{}, 2, driver.Gone{ID: id(9)})
		}, ask: driver.Ask{Slot: 7}},
		"gone at a third": {next: func(f worldtest.World, s *fetching) {
			twice(f, s)
			s.onTransfer(time.Time{}, 4, driver.Gone{ID: id(9)})
		}, ask: driver.Ask{Slot: 7}, breaks: true},
		"the disk refused":     {next: func(_ worldtest.World, s *fetching) { s.onBulkDone(driver.PutDone{Err: db.ErrChanged}) }, ask: driver.Ask{Slot: 7}},
		"it is installed":      {next: func(_ worldtest.World, s *fetching) { s.onBulkDone(driver.PutDone{Rows: db.New()}) }, ask: driver.Ask{Slot: 27}},
		"records overtook it":  {next: func(_ worldtest.World, s *fetching) { s.onApplied(9) }, ask: driver.Ask{Slot: 27}},
		"records came, not so": {next: func(_ worldtest.World, s *fetching) { s.onApplied(8) }, ask: driver.Ask{Slot: 27}, breaks: true},
		"one that is not taken": {next: func(_ worldtest.World, s *fetching) {
			s.onTransfer(time.Unix(1, 0), 3, driver.Piece{ID: id(8), Data: "x"})
		}, ask: driver.Ask{Slot: 7}, breaks: true},
	} {
		t.Run(name, func(t *testing.T) {
			f, s, now := worldtest.New(t), fetching{}, time.Unix(100, 0)
			s.onAsk(f.World, 1, 2, now, driver.Ask{Slot: 7}, pause)
			s.onTransfer(now, 2, piece)
			s.onBulkJob(f.World, 1, driver.PutJob{Piece: piece})
			if c.next != nil {
				c.next(f, &s)
			}
			s.onAsk(f.World, 1, 3, now.Add(c.after), c.ask, pause)
			if c.breaks {
				f.Diverges("L1")
			} else {
				f.Good()
			}
		})
	}
}

// A replica writes pieces after it asked for a snapshot, until it has all of it.
func TestL2OnlyPiecesThatWereAskedForAreTaken(t *testing.T) {
	ask, piece := driver.Ask{Slot: 7}, driver.PutJob{Piece: driver.Piece{Data: "x"}}
	for name, c := range map[string]struct {
		next   func(worldtest.World, *fetching)
		job    driver.BulkJob
		breaks bool
	}{
		"asked for":     {func(f worldtest.World, s *fetching) { s.onAsk(f.World, 1, 3, time.Time{}, ask, 1) }, piece, false},
		"not asked for": {func(worldtest.World, *fetching) {}, piece, true},
		"its own":       {func(worldtest.World, *fetching) {}, driver.WriteJob{}, false},
		"the next piece": {func(f worldtest.World, s *fetching) {
			s.onAsk(f.World, 1, 3, time.Time{}, ask, 1)
			s.onBulkDone(driver.PutDone{})
		}, piece, false},
		"after one that went wrong": {func(f worldtest.World, s *fetching) {
			s.onAsk(f.World, 1, 3, time.Time{}, ask, 1)
			s.onBulkDone(driver.PutDone{Err: db.ErrChanged})
		}, piece, false},
		"after the last": {func(f worldtest.World, s *fetching) {
			s.onAsk(f.World, 1, 3, time.Time{}, ask, 1)
			s.onBulkJob(f.World, 1, piece)
			s.onBulkDone(driver.PutDone{Rows: db.New()})
		}, piece, true},
		"after the last, during which it asked for a newer one": {func(f worldtest.World, s *fetching) {
			s.onAsk(f.World, 1, 3, time.Time{}, ask, 1)
			s.onBulkJob(f.World, 1, piece)
			s.onAsk(f.World, 1, 3, time.Time{}, ask, 1)
			s.onBulkDone(driver.PutDone{Rows: db.New()})
		}, piece, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := worldtest.New(t), fetching{}
			c.next(f, &s)
			f.Good()
			s.onBulkJob(f.World, 1, c.job)
			if c.breaks {
				f.Diverges("L2")
			} else {
				f.Good()
			}
		})
	}
}
