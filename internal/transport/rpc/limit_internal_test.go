package rpc

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/logtest"
)

// A machine that connects again and again where there is no room does not fill the log.
func TestConnectionsWithoutRoomAreLoggedEverMoreRarely(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	log, ended := new(logtest.Log), make(chan struct{})
	full := &limited{Listener: l, log: log.Logger()}
	go func() {
		defer close(ended)
		_, _ = full.Accept() // until it is closed
	}()
	for range 64 {
		c, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		_, err = c.Read(make([]byte, 1))
		require.Error(t, err)
		c.Close()
	}
	require.NoError(t, l.Close())
	<-ended
	require.Equal(t, 7, strings.Count(log.String(), "there are too many"), "%v", log) // the 1st, 2nd, 4th ... 64th
	require.Contains(t, log.String(), "times=64")
}
