package master

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/session"
	"github.com/chubbycell/chubby/replica/share"
)

// A command of a call is proposed when none of the same call stands in the log.
func TestIE6NoCallStandsInTheLogTwice(t *testing.T) {
	now := time.Unix(1000, 0)
	for name, c := range map[string]struct {
		second key
		panics bool
	}{
		"another call":  {key{session: 1, seq: 6}, false},
		"the same call": {key{session: 1, seq: 5}, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := &Master{line: share.New[Proposal](share.Limits{Commands: 256, Bytes: 1 << 20}), inLog: map[key]api.Principal{}, sessions: session.New(session.DefaultConfig(), 1, 0)}
			m.join("ann", Proposal{key: key{session: 1, seq: 5}})
			m.join("ann", Proposal{key: c.second})
			take := func() { m.takeTurns(now, 10) }
			if c.panics {
				require.Panics(t, take)
			} else {
				take()
				require.Len(t, m.inLog, 2)
			}
		})
	}
}
