package replicas

import (
	"errors"
	"testing"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// A source that moved on while a peer was fetching gives the next snapshot twice as long.
func TestL1ASourceHoldsASnapshotForAPeer(t *testing.T) {
	const first, quiet = 100 * time.Millisecond, 20 * time.Millisecond
	at := func(ms int) time.Time { return time.Unix(1, 0).Add(time.Duration(ms) * time.Millisecond) }
	piece := func(slot paxos.Slot, off int64) driver.ReadDone {
		return driver.ReadDone{Piece: driver.Piece{ID: driver.SnapshotID{Handle: paxos.Handle{Slot: slot}, Size: 10}, Offset: off, Data: "x"}}
	}
	type step struct {
		ms int
		do any // a result, or nil: a snapshot begins
	}
	wrote, failed := driver.WriteDone{}, driver.WriteDone{Err: errors.New("full")}
	for name, c := range map[string]struct {
		steps  []step
		breaks bool
	}{
		"no peer fetches":         {[]step{{0, nil}, {1, wrote}, {2, nil}}, false},
		"at once":                 {[]step{{0, piece(5, 0)}, {10, nil}}, true},
		"the peer has stopped":    {[]step{{0, piece(5, 0)}, {20, nil}}, false},
		"the peer has all":        {[]step{{0, piece(5, 0)}, {5, piece(5, 9)}, {10, nil}}, false},
		"its time is up":          {[]step{{0, piece(5, 0)}, {90, piece(5, 1)}, {100, nil}}, false},
		"nearly":                  {[]step{{0, piece(5, 0)}, {90, piece(5, 1)}, {99, nil}}, true},
		"nothing to give":         {[]step{{0, driver.ReadDone{}}, {10, nil}}, false},
		"another one":             {[]step{{0, piece(5, 0)}, {90, piece(6, 0)}, {100, nil}}, true},
		"the next one":            {[]step{{0, piece(5, 0)}, {90, piece(5, 1)}, {100, nil}, {101, wrote}, {110, piece(6, 0)}, {300, piece(6, 1)}, {309, nil}}, true},
		"the next one, long":      {[]step{{0, piece(5, 0)}, {90, piece(5, 1)}, {100, nil}, {101, wrote}, {110, piece(6, 0)}, {300, piece(6, 1)}, {310, nil}}, false},
		"not published":           {[]step{{0, piece(5, 0)}, {90, piece(5, 1)}, {100, nil}, {101, failed}, {110, piece(6, 0)}, {205, piece(6, 1)}, {210, nil}}, false},
		"of another peer, by now": {[]step{{0, piece(5, 0)}, {90, piece(5, 1)}, {100, nil}, {101, wrote}, {105, piece(5, 9)}, {110, piece(6, 0)}, {205, piece(6, 1)}, {210, nil}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := worldtest.New(t), source{}
			for _, d := range c.steps {
				f.Good()
				if d.do == nil {
					s.onSnapshot(f.World, 1, at(d.ms), quiet)
				} else {
					s.onBulkDone(at(d.ms), d.do.(driver.BulkResult), first)
				}
			}
			if c.breaks {
				f.Diverges("L1")
			} else {
				f.Good()
			}
		})
	}
}
