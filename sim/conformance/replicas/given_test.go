package replicas

import (
	"testing"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
)

// A laggard does not leave who gives it a snapshot for somebody who has another.
func TestL1WhoGivesASnapshotIsNotLeft(t *testing.T) {
	const pause = 100 * time.Millisecond
	id := func(slot paxos.Slot) driver.SnapshotID {
		return driver.SnapshotID{Handle: paxos.Handle{Slot: slot, Members: []paxos.NodeID{1, 2, 3}}, Size: 300, Sum: uint64(slot)}
	}
	piece := driver.Piece{ID: id(9), Data: "x"}
	twice := func(f *facts, s *given) { // before it was taken, somebody else gave the same
		s.hears(time.Unix(100, 0), 3, piece)
		s.takes(f.w, 1, driver.PutJob{Piece: piece})
	}
	for name, c := range map[string]struct {
		then   func(*facts, *given)
		after  time.Duration
		asks   driver.Ask
		breaks bool
	}{
		"the next piece":        {asks: driver.Ask{ID: id(9), Offset: 1}},
		"anew at once":          {asks: driver.Ask{Slot: 7}, breaks: true},
		"anew, soon":            {asks: driver.Ask{Slot: 7}, after: 14 * pause, breaks: true},
		"anew, after a while":   {asks: driver.Ask{Slot: 7}, after: 15 * pause},
		"it is gone":            {then: func(_ *facts, s *given) { s.hears(time.Time{}, 2, driver.Gone{ID: id(9)}) }, asks: driver.Ask{Slot: 7}},
		"another has it not":    {then: func(_ *facts, s *given) { s.hears(time.Time{}, 3, driver.Gone{ID: id(9)}) }, asks: driver.Ask{Slot: 7}, breaks: true},
		"another one is gone":   {then: func(_ *facts, s *given) { s.hears(time.Time{}, 2, driver.Gone{ID: id(8)}) }, asks: driver.Ask{Slot: 7}, breaks: true},
		"the first of two says": {then: func(f *facts, s *given) { twice(f, s); s.hears(time.Time{}, 2, driver.Gone{ID: id(9)}) }, asks: driver.Ask{Slot: 7}},
		"a third one says":      {then: func(f *facts, s *given) { twice(f, s); s.hears(time.Time{}, 4, driver.Gone{ID: id(9)}) }, asks: driver.Ask{Slot: 7}, breaks: true},
		"the disk refused":      {then: func(_ *facts, s *given) { s.ends(driver.PutDone{Err: db.ErrChanged}) }, asks: driver.Ask{Slot: 7}},
		"it is installed":       {then: func(_ *facts, s *given) { s.ends(driver.PutDone{Rows: db.New()}) }, asks: driver.Ask{Slot: 27}},
		"records overtook it":   {then: func(_ *facts, s *given) { s.applied(9) }, asks: driver.Ask{Slot: 27}},
		"records came, not so":  {then: func(_ *facts, s *given) { s.applied(8) }, asks: driver.Ask{Slot: 27}, breaks: true},
		"one that is not taken": {then: func(_ *facts, s *given) { s.hears(time.Unix(1, 0), 3, driver.Piece{ID: id(8), Data: "x"}) }, asks: driver.Ask{Slot: 7}, breaks: true},
	} {
		t.Run(name, func(t *testing.T) {
			f, s, now := newFacts(t), given{}, time.Unix(100, 0)
			s.asks(f.w, 1, 2, now, driver.Ask{Slot: 7}, pause)
			s.hears(now, 2, piece)
			s.takes(f.w, 1, driver.PutJob{Piece: piece})
			if c.then != nil {
				c.then(f, &s)
			}
			s.asks(f.w, 1, 3, now.Add(c.after), c.asks, pause)
			if c.breaks {
				f.breaks("L1")
			} else {
				f.good()
			}
		})
	}
}

// A laggard puts away what it has asked for, until it has all of it.
func TestL2NothingIsTakenThatNobodyAskedFor(t *testing.T) {
	ask, piece := driver.Ask{Slot: 7}, driver.PutJob{Piece: driver.Piece{Data: "x"}}
	for name, c := range map[string]struct {
		then   func(*facts, *given)
		job    driver.BulkJob
		breaks bool
	}{
		"asked for":      {func(f *facts, s *given) { s.asks(f.w, 1, 3, time.Time{}, ask, 1) }, piece, false},
		"by nobody":      {func(*facts, *given) {}, piece, true},
		"its own":        {func(*facts, *given) {}, driver.WriteJob{}, false},
		"the next piece": {func(f *facts, s *given) { s.asks(f.w, 1, 3, time.Time{}, ask, 1); s.ends(driver.PutDone{}) }, piece, false},
		"after one that went wrong": {func(f *facts, s *given) {
			s.asks(f.w, 1, 3, time.Time{}, ask, 1)
			s.ends(driver.PutDone{Err: db.ErrChanged})
		}, piece, false},
		"after the last": {func(f *facts, s *given) {
			s.asks(f.w, 1, 3, time.Time{}, ask, 1)
			s.ends(driver.PutDone{Rows: db.New()})
		}, piece, true},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := newFacts(t), given{}
			c.then(f, &s)
			f.good()
			s.takes(f.w, 1, c.job)
			if c.breaks {
				f.breaks("L2")
			} else {
				f.good()
			}
		})
	}
}
