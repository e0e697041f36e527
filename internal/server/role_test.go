package server_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// One series of chubby_role is 1: that of the present role.
func TestTheRoleOfAReplicaIsAMetric(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := newCell(t, 1).servers[1]
	require.NoError(t, s.Ready(ctx))
	_, text := page(t, s, "/metrics")
	for role, value := range map[string]string{"follower": "0", "candidate": "0", "leader": "1"} {
		require.Contains(t, text, `chubby_role{role="`+role+`"} `+value+"\n")
	}
}
