package rpc

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http/httptest"
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
		l := &way{c: &Client{cfg: ClientConfig{TLS: c}}}
		err := l.explain(t.Context(), status.Error(codes.Unavailable, frame+`read tcp 127.0.0.1:1->127.0.0.1:2: use of closed network connection"`))
		require.Equal(t, codes.Unavailable, status.Code(err))
		require.ErrorContains(t, err, "the connection was accepted, and nothing came over it")
		require.NotContains(t, err.Error(), "TLS")
	}
}

// A connection that ends before a word came was refused for want of TLS, or the replica stops. A
// client without TLS gives up in the first case and tries again in the second.
func TestOnlyAReplicaThatSpeaksTLSIsTakenForOne(t *testing.T) {
	const text = `connection error: desc = "error reading server preface: EOF"`
	stops, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer stops.Close()
	go func() {
		for {
			conn, err := stops.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	l := &way{c: &Client{}, addr: stops.Addr().String()}
	err = l.explain(t.Context(), status.Error(codes.Unavailable, text))
	require.Equal(t, codes.Unavailable, status.Code(err))
	require.Equal(t, "error reading server preface: EOF", status.Convert(err).Message())

	err = l.explain(t.Context(), status.Error(codes.Unavailable, "error reading server preface: http2: frame too large"))
	require.Equal(t, "a program answers that is no replica: look at the port", status.Convert(err).Message())

	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	l = &way{c: &Client{}, addr: secure.Listener.Addr().String()}
	err = l.explain(t.Context(), status.Error(codes.Unavailable, text))
	require.ErrorAs(t, err, new(*TLSError))
	require.Equal(t, "the replica speaks TLS, and the client has no ca: a cell file has it (ca, and cert and key or token_file), the authority that signed the server_cert of the replicas", err.Error())
}

// Errors have no words of gRPC, also those that a client keeps of a stream.
func TestErrorsHaveNoFramesOfGRPC(t *testing.T) {
	for text, want := range map[string]string{
		`connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:1: connect: connection refused"`:                                               "connection refused",
		`connection error: desc = "transport: authentication handshake failed: tls: \"x\" is bad"`:                                                                   `authentication handshake failed: tls: "x" is bad`,
		`received context error while waiting for new LB policy update: connection error: desc = "transport: Error while dialing: dial tcp 10.0.0.1:1: i/o timeout"`: "i/o timeout",
		`connection error: desc = "error reading server preface: EOF"`:                                                                                               "error reading server preface: EOF",
		"the limit is too low":      "the limit is too low",
		"context deadline exceeded": "no answer in time",
		"context deadline exceeded while waiting for connections to become ready": "no connection in time",
	} {
		require.Equal(t, want, plain(text))
	}
	l := &way{c: &Client{cfg: ClientConfig{TLS: &tls.Config{}}}}
	refused := l.explain(t.Context(), status.Error(codes.Unavailable, `connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:1: connect: connection refused"`))
	require.Equal(t, "connection refused", status.Convert(refused).Message())
	require.Equal(t, codes.Unavailable, status.Code(refused))
}
