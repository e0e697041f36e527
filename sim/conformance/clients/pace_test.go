package clients

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

// One request after the other leaves, so many, with a pause in between.
func TestL1AClientWaitsBeforeItSendsAgain(t *testing.T) {
	for name, c := range map[string]struct {
		n     int
		pause time.Duration
		seq   func(i int) api.Seq
		hasty bool
	}{
		"as often as it may": {paceMost, 0, func(int) api.Seq { return 7 }, false},
		"once more":          {paceMost + 1, 0, func(int) api.Seq { return 7 }, true},
		"with pauses":        {1000, 5 * time.Millisecond, func(int) api.Seq { return 7 }, false},
		"in haste":           {1000, time.Millisecond, func(int) api.Seq { return 7 }, true},
		"other requests":     {1000, 0, func(i int) api.Seq { return api.Seq(i) }, false},
		"KeepAlives":         {1000, 0, func(int) api.Seq { return 0 }, true},
	} {
		var p pace
		now, hasty := time.Unix(100, 0), false
		for i := range c.n {
			f := p.sends(now, api.Request{Session: 3, Seq: c.seq(i)})
			hasty = hasty || f != fault{}
			now = now.Add(c.pause)
		}
		require.Equal(t, c.hasty, hasty, name)
	}
}
