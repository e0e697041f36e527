package crowd

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOptionsOfACrowdAreChecked(t *testing.T) {
	for _, o := range []Options{{}, {Sessions: Max + 1, Lease: time.Minute}, {Sessions: 1}, {Sessions: 1, Lease: time.Hour},
		{Sessions: 1, Lease: time.Minute, Replicas: 8}} {
		require.Error(t, o.Check(), "%+v", o)
		require.Panics(t, func() { o.Plan() })
	}
}
