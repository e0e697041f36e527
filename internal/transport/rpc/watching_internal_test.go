package rpc

import (
	"errors"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// The log speaks of certificates only where the client did.
func TestWhyAHandshakeFailed(t *testing.T) {
	alert := func(text string) error { return &net.OpError{Op: "remote error", Err: errors.New("tls: " + text)} }
	for want, err := range map[string]error{
		"it does not accept the certificate of this replica: unknown certificate authority: see ca there, and server_cert here":                            alert("unknown certificate authority"),
		"it does not accept the certificate of this replica: expired certificate, or not valid yet by the clock there: see ca there, and server_cert here": alert("expired certificate"),
		"it ended the handshake of TLS: protocol version not supported":                                                                                    alert("protocol version not supported"),
		"": io.EOF,
	} {
		require.Equal(t, want, handshakeTrouble(err))
	}
}
