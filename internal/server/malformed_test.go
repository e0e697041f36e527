package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

// A message that is none is dropped, and counted for operators.
func TestMalformedMessagesAreCounted(t *testing.T) {
	t.Parallel()
	c := newCell(t, 1)
	s := c.servers[1]
	require.NoError(t, s.Ready(t.Context()))
	good := api.AppendRequest(nil, api.Request{ID: 1, Op: api.OpenSession{}})
	operatorOf(t, s.ClientAddr().String(), "", "x").Send(1, good[:1]) // of the right version
	metrics := func() string {
		_, text := page(t, s, "/metrics")
		return text
	}
	require.Eventually(t, func() bool {
		return strings.Contains(metrics(), "\nchubby_malformed_total{from=\"client\"} 1\n")
	}, 20*time.Second, 10*time.Millisecond)
	require.Contains(t, metrics(), "\nchubby_malformed_total{from=\"peer\"} 0\n")
	require.Contains(t, metrics(), "\nchubby_busy_total 0\n")
}
