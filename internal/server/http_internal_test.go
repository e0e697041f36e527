package server

import (
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Connections to the pages beyond a number are closed, and there is room again when others end.
func TestConnectionsToThePagesAreBounded(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	web := &http.Server{Handler: http.NotFoundHandler(), ConnState: atMost(2)}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	defer func() {
		require.NoError(t, web.Close())
		require.ErrorIs(t, <-ended, http.ErrServerClosed)
	}()
	ask := func() (c net.Conn, answered bool) {
		c, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") // an error: it is closed already
		require.NoError(t, c.SetReadDeadline(time.Now().Add(20*time.Second)))
		n, _ := c.Read(make([]byte, 12))
		return c, n > 0
	}
	first, answered := ask()
	require.True(t, answered)
	_, answered = ask()
	require.True(t, answered)
	for range 3 {
		_, answered = ask()
		require.False(t, answered)
	}
	require.NoError(t, first.Close())
	require.Eventually(t, func() bool { _, answered := ask(); return answered }, 20*time.Second, time.Millisecond)
}
