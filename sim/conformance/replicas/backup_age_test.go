package replicas

import (
	"testing"
	"time"

	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// A master notes how old the newest backup is, from where the one before it left off.
func TestS3TheAgeOfTheNewestBackupIsNoted(t *testing.T) {
	const every = 8 * time.Second
	sec := func(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
	for name, c := range map[string]struct {
		note   rows.Backup
		at     float64 // s, since it began to serve
		woken  bool
		full   uint64
		breaks bool
	}{
		"goes on":                  {rows.Backup{Slot: 7, Elapsed: sec(5.5)}, 1.5, true, 0, false},
		"begins anew":              {rows.Backup{Slot: 7, Elapsed: sec(1.5)}, 1.5, true, 0, true},
		"older than it is":         {rows.Backup{Slot: 7, Elapsed: sec(9)}, 1.5, true, 0, true},
		"a newer one":              {rows.Backup{Slot: 9, Elapsed: sec(0.2)}, 1.5, true, 0, false},
		"of none":                  {rows.Backup{Elapsed: sec(5.5)}, 1.5, true, 0, true},
		"late":                     {rows.Backup{Slot: 7, Elapsed: sec(11)}, 7, true, 0, false},
		"never":                    {rows.Backup{}, 3.6, true, 0, true},
		"not yet":                  {rows.Backup{}, 3.4, true, 0, false},
		"the log was full":         {rows.Backup{}, 3.6, true, 1, false},
		"a message came before it": {rows.Backup{}, 3.6, false, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, s, began, recorded, full := worldtest.New(t), backupAge{}, time.Unix(40_000, 0), rows.Backup{Slot: 7, Elapsed: sec(4)}, uint64(5)
			acts := func(after float64, woken bool, all ...command.Command) {
				s.onActed(f.World, 1, began.Add(sec(after)), 3, recorded, all, full)
				if woken {
					s.onWake(f.World, 1, began.Add(sec(after)), every, sec(0.5))
				}
			}
			acts(0, false)
			f.Good()
			full += c.full
			if c.note == (rows.Backup{}) {
				acts(c.at, c.woken)
			} else {
				acts(c.at, c.woken, command.Backup{Guard: 3, Done: c.note})
			}
			if c.breaks {
				f.Diverges("S3")
			} else {
				f.Good()
			}
		})
	}
}
