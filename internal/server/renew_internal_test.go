package server

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The log has a certificate when it is not valid yet, when it should be renewed, when it has expired, and twice a day in
// between; one that takes its place begins anew.
func TestTheLogHasCertificatesThatExpire(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	l, old := expiryLog{}, expiry{"server_cert", now.Add(-10 * renewWithin), now.Add(renewWithin + time.Hour)}
	due := func(at time.Duration, e expiry) []expiry { return l.due([]expiry{e}, now.Add(at)) }
	require.Empty(t, due(0, old))
	require.Equal(t, []expiry{old}, due(2*time.Hour, old))
	require.Empty(t, due(13*time.Hour, old))
	require.Equal(t, []expiry{old}, due(14*time.Hour, old))
	require.Equal(t, []expiry{old}, due(renewWithin+90*time.Minute, old), "it has expired")
	require.Empty(t, due(renewWithin+2*time.Hour, old))
	next := expiry{"server_cert", now.Add(-10 * renewWithin), now.Add(2*renewWithin + 3*time.Hour)}
	require.Empty(t, due(renewWithin+2*time.Hour, next))
	require.Equal(t, []expiry{next}, due(renewWithin+4*time.Hour, next))
	require.Len(t, l, 1, "that which it replaced is forgotten")

	young := expiry{"peer_cert", now.Add(renewWithin), now.Add(10 * renewWithin)}
	require.Equal(t, []expiry{young}, due(0, young), "it is not valid yet")
	require.Empty(t, due(time.Hour, young))
	require.Equal(t, []expiry{young}, due(13*time.Hour, young))
	require.Empty(t, due(renewWithin+time.Hour, young), "it is valid")
	require.Equal(t, []expiry{young}, due(10*renewWithin-time.Hour, young), "it expires soon")
}
