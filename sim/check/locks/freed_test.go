package locks

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// A lock that a new master freed, since no client presented its handle, is free.
func TestS9AFreedLockIsNotReportedAsHeld(t *testing.T) {
	for name, c := range map[string]struct {
		epoch  api.Epoch
		held   api.Acquisition
		breaks bool
	}{
		"by that master":       {2, 5, true},
		"by a later one":       {3, 5, true},
		"by the one of before": {1, 5, false},
		"another hold":         {2, 6, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newLockStory(t)
			s.acquire(1, 1, api.Exclusive, 5, 5)
			s.applied(command.FailHandle{Guard: 2, Session: 1, Handle: handleOf(1)}, api.Result{Code: api.OK}, delay(time.Second))
			s.b.OnReply(1, api.Reply{Session: 1, Seq: 1, Epoch: c.epoch, Result: api.Result{Code: api.OK, Detail: api.Held{Gen: 5, Acquisition: c.held}}})
			require.Equal(t, c.breaks, s.Failure() != nil)
		})
	}
}
