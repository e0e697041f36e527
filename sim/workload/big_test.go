package workload

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/worldtest"
)

func TestS4ContentsAreAsLongAsTheyMayBe(t *testing.T) {
	for name, c := range map[string]struct {
		bytes  int
		err    error
		breaks bool
	}{
		"all that there may be":                {256 << 10, nil, false},
		"a byte too many":                      {256<<10 + 1, nil, true},
		"a byte too many is refused":           {256<<10 + 1, client.ErrTooLarge, false},
		"a byte too many has no answer":        {256<<10 + 1, client.ErrOutcomeUnknown, false},
		"all that there may be is refused":     {256 << 10, client.ErrTooLarge, true},
		"what there may be meets another file": {256 << 10, client.ErrConflict, false},
	} {
		w := worldtest.New(t)
		New(Env{World: w.World}).checkSize(strings.Repeat("x", c.bytes), c.err)
		require.Equal(t, c.breaks, w.Failure() != nil, name)
	}
}
