package conduct

import (
	"errors"
	"testing"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/host"
)

// A snapshot that failed is tried again.
func TestL2AFailedSnapshotIsTriedAgain(t *testing.T) {
	const after = 100 * time.Millisecond
	at := func(ms int) time.Time { return time.Unix(1, 0).Add(time.Duration(ms) * time.Millisecond) }
	wire := func(m host.Transfer) host.Output {
		return host.Output{Peers: []host.PeerMessage{{To: 2, Wire: host.AppendTransfer(nil, m)}}}
	}
	nothing, write := host.Output{}, host.Output{Bulk: host.WriteJob{}}
	failed := host.WriteDone{Err: errors.New("full")}
	for name, c := range map[string]struct {
		first  host.Output // 10 ms after
		ends   host.BulkResult
		now    int
		held   bool
		breaks bool
	}{
		"not yet":                {nothing, host.ReadDone{}, 99, false, false},
		"now":                    {nothing, host.ReadDone{}, 100, false, true},
		"a peer fetches":         {nothing, host.ReadDone{}, 900, true, false},
		"it asks":                {wire(host.AskSum{Slot: 3}), host.ReadDone{}, 900, false, false},
		"it answers":             {wire(host.NoSum{Slot: 3}), host.ReadDone{}, 900, false, true},
		"it writes":              {write, host.ReadDone{}, 900, false, false},
		"it reads":               {host.Output{Bulk: host.ReadJob{}}, host.ReadDone{}, 900, false, true},
		"it did well":            {nothing, host.WriteDone{}, 900, false, false},
		"it failed anew":         {write, failed, 119, false, false},
		"and that was the end":   {write, failed, 120, false, true},
		"another one came":       {nothing, host.PutDone{Rows: db.New()}, 900, false, false},
		"a piece of another one": {nothing, host.PutDone{}, 900, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := newFacts(t), retry{}
			s.ends(at(0), failed)
			s.acts(f.w, 1, at(10), after, &c.first, false)
			s.ends(at(20), c.ends)
			f.good()
			s.acts(f.w, 1, at(c.now), after, &nothing, c.held)
			if c.breaks {
				f.breaks("L2")
			} else {
				f.good()
			}
		})
	}
}
