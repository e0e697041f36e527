package torture

import (
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A cut holds back the bytes of one direction, and they arrive when it is over.
func TestALinkIsCutOneWay(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	l, err := newLink(ln.Addr().String())
	require.NoError(t, err)
	defer l.close()
	near, err := net.Dial("tcp", l.addr())
	require.NoError(t, err)
	defer near.Close()
	far, err := ln.Accept()
	require.NoError(t, err)
	defer far.Close()
	send := func(c net.Conn, text string) {
		_, err := c.Write([]byte(text))
		require.NoError(t, err)
	}
	hears := func(c net.Conn, text string) {
		b := make([]byte, len(text))
		require.NoError(t, c.SetReadDeadline(time.Now().Add(10*time.Second)))
		_, err := io.ReadFull(c, b)
		require.NoError(t, err)
		require.Equal(t, text, string(b))
	}
	send(near, "forth")
	hears(far, "forth")
	l.cut(forth, true)
	send(near, "later")
	send(far, "back")
	hears(near, "back")
	require.NoError(t, far.SetReadDeadline(time.Now().Add(10*time.Millisecond)))
	_, err = far.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	l.cut(forth, false)
	hears(far, "later")
	require.NoError(t, far.Close())
	require.NoError(t, near.SetReadDeadline(time.Now().Add(10*time.Second)))
	_, err = near.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
}
