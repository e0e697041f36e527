package workload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/model"
)

func TestS10TheSequencerOfALockIsTheOneItWasGotWith(t *testing.T) {
	for name, c := range map[string]struct {
		said   string
		err    error
		held   bool
		breaks bool
	}{
		"the same":                     {"own", nil, true, false},
		"another":                      {"other", nil, true, true},
		"another, and it is lost":      {"other", nil, false, true},
		"not held, and it is held":     {"", client.ErrNotHeld, true, true},
		"not held, and it is not":      {"", client.ErrNotHeld, false, false},
		"stale, for the handle's sake": {"", client.ErrStaleSequencer, true, false},
	} {
		require.Equal(t, c.breaks, sequencerFault(c.said, c.err, "own", c.held) != model.Finding{}, name)
	}
}
