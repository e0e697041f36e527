package clients

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

// n requests leave one after another, with a pause in between.
func TestL1AClientWaitsBeforeItSendsAgain(t *testing.T) {
	for name, c := range map[string]struct {
		n       int
		pause   time.Duration
		seq     func(i int) api.Seq
		isHasty bool
		acks    bool // each acknowledges one more event
	}{
		"as often as it may":          {paceLimit, 0, func(int) api.Seq { return 7 }, false, false},
		"once more":                   {paceLimit + 1, 0, func(int) api.Seq { return 7 }, true, false},
		"with pauses":                 {1000, 5 * time.Millisecond, func(int) api.Seq { return 7 }, false, false},
		"in haste":                    {1000, time.Millisecond, func(int) api.Seq { return 7 }, true, false},
		"other requests":              {1000, 0, func(i int) api.Seq { return api.Seq(i) }, false, false},
		"KeepAlives":                  {1000, 0, func(int) api.Seq { return 0 }, true, false},
		"KeepAlives that acknowledge": {1000, 0, func(int) api.Seq { return 0 }, false, true},
	} {
		var p pace
		now, isHasty := time.Unix(100, 0), false
		for i := range c.n {
			k := api.KeepAlive{}
			if c.acks {
				k.AckedEvents = api.EventNumber(i)
			}
			f := p.onSend(now, api.Request{Session: 3, Seq: c.seq(i), Op: k})
			isHasty = isHasty || f != breach{}
			now = now.Add(c.pause)
		}
		require.Equal(t, c.isHasty, isHasty, name)
	}
}
