package replicas

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// An idle log writes its watermark, once for each sync.
func TestS17ALogThatRestsIsMarked(t *testing.T) {
	const after = 200 * time.Millisecond
	at := func(ms int) time.Time { return time.Unix(1, 0).Add(time.Duration(ms) * time.Millisecond) }
	wakes := func(ms int) driver.Output { return driver.Output{Wake: at(ms)} }
	sync, idle, drop := &driver.LogJob{Sync: true}, &driver.LogJob{Idle: true}, &driver.LogJob{Below: 3}
	work := func(l *idleLog, f worldtest.World, ms int, j *driver.LogJob) {
		l.onActed(f.World, 1, at(ms), after, &driver.Output{Log: j}, 0)
		l.onLogDone(at(ms), j)
	}
	for name, c := range map[string]struct {
		before func(*idleLog, worldtest.World)
		now    int
		out    driver.Output
		waits  int
		breaks bool
	}{
		"an empty log":                       {func(l *idleLog, _ worldtest.World) { l.onStart(at(0), 1) }, 900, driver.Output{}, 0, false},
		"of an earlier life":                 {func(*idleLog, worldtest.World) {}, 200, wakes(300), 0, true},
		"not yet":                            {func(*idleLog, worldtest.World) {}, 199, wakes(200), 0, false},
		"now":                                {func(*idleLog, worldtest.World) {}, 200, driver.Output{Log: idle}, 0, false},
		"it is not woken":                    {func(*idleLog, worldtest.World) {}, 199, driver.Output{}, 0, true},
		"it is woken late":                   {func(*idleLog, worldtest.World) {}, 199, wakes(201), 0, true},
		"woken for records":                  {func(*idleLog, worldtest.World) {}, 199, wakes(201), 1, false},
		"the disk is slow":                   {func(l *idleLog, f worldtest.World) { l.onActed(f.World, 1, at(1), after, &driver.Output{Log: sync}, 0) }, 900, driver.Output{}, 0, false},
		"marked":                             {func(l *idleLog, f worldtest.World) { work(l, f, 200, idle) }, 900, driver.Output{}, 0, false},
		"synced again":                       {func(l *idleLog, f worldtest.World) { work(l, f, 200, idle); work(l, f, 300, sync) }, 500, driver.Output{}, 0, true},
		"synced a moment ago":                {func(l *idleLog, f worldtest.World) { work(l, f, 200, idle); work(l, f, 301, sync) }, 500, wakes(501), 0, false},
		"a job that syncs nothing":           {func(l *idleLog, f worldtest.World) { work(l, f, 200, idle); work(l, f, 300, drop) }, 900, driver.Output{}, 0, false},
		"a job that syncs nothing, unmarked": {func(l *idleLog, f worldtest.World) { work(l, f, 100, drop) }, 200, wakes(300), 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			f, l := worldtest.New(t), &idleLog{}
			l.onStart(at(0), 5)
			c.before(l, f)
			f.Good()
			l.onActed(f.World, 1, at(c.now), after, &c.out, c.waits)
			if c.breaks {
				f.Diverges("S17")
				require.Regexp(t, `Marks in this life so far: [01]$`, f.Failure().Text)
				require.Equal(t, name == "synced again", strings.HasSuffix(f.Failure().Text, "1"))
			} else {
				f.Good()
			}
		})
	}
}
