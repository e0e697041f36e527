package replicas

import (
	"errors"
	"testing"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// A snapshot that failed is tried again.
func TestL2AFailedSnapshotIsTriedAgain(t *testing.T) {
	const after = 100 * time.Millisecond
	at := func(ms int) time.Time { return time.Unix(1, 0).Add(time.Duration(ms) * time.Millisecond) }
	wire := func(m driver.Transfer) driver.Output {
		return driver.Output{Peers: []driver.PeerMessage{{To: 2, Wire: driver.AppendTransfer(nil, m)}}}
	}
	nothing, write := driver.Output{}, driver.Output{Bulk: driver.WriteJob{}}
	failed := driver.WriteDone{Err: errors.New("full")}
	for name, c := range map[string]struct {
		first  driver.Output // 10 ms after
		result driver.BulkResult
		now    int
		isDue  bool
		breaks bool
	}{
		"not yet":                {nothing, driver.ReadDone{}, 99, true, false},
		"now":                    {nothing, driver.ReadDone{}, 100, true, true},
		"none is due":            {nothing, driver.ReadDone{}, 900, false, false},
		"it asks":                {wire(driver.AskSum{Slot: 3}), driver.ReadDone{}, 900, true, false},
		"it answers":             {wire(driver.NoSum{Slot: 3}), driver.ReadDone{}, 900, true, true},
		"it writes":              {write, driver.ReadDone{}, 900, true, false},
		"it reads":               {driver.Output{Bulk: driver.ReadJob{}}, driver.ReadDone{}, 900, true, true},
		"it did well":            {nothing, driver.WriteDone{}, 900, true, false},
		"it failed anew":         {write, failed, 119, true, false},
		"and that was the end":   {write, failed, 120, true, true},
		"another one came":       {nothing, driver.PutDone{Rows: db.New()}, 900, true, false},
		"a piece of another one": {nothing, driver.PutDone{}, 900, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := worldtest.New(t), retry{}
			s.onBulkDone(at(0), failed)
			s.onActed(f.World, 1, at(10), after, &c.first, true)
			s.onBulkDone(at(20), c.result)
			f.Good()
			s.onActed(f.World, 1, at(c.now), after, &nothing, c.isDue)
			if c.breaks {
				f.Diverges("L2")
			} else {
				f.Good()
			}
		})
	}
}
