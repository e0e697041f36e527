package rpc

import (
	"crypto/tls"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A process that takes connections and says nothing, one that was stopped for instance, is not taken for one
// that wants TLS.
func TestASilentReplicaIsNotTakenForOneThatWantsTLS(t *testing.T) {
	const frame = `connection error: desc = "error reading server preface: `
	for _, c := range []*tls.Config{nil, {}} {
		l := &link{c: &Client{cfg: ClientConfig{TLS: c}}}
		err := l.explain(status.Error(codes.Unavailable, frame+`read tcp 127.0.0.1:1->127.0.0.1:2: use of closed network connection"`))
		require.Equal(t, codes.Unavailable, status.Code(err))
		require.ErrorContains(t, err, "the connection was accepted, and nothing came over it")
		require.NotContains(t, err.Error(), "TLS")
	}
	l := &link{c: &Client{}}
	require.ErrorContains(t, l.explain(status.Error(codes.Unavailable, frame+`EOF"`)), "does the replica want TLS?")
}
