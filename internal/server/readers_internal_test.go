package server

import (
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pages is a server with room for two connections. At /held a request keeps the place of its connection until held is
// closed.
type pages struct {
	*readers
	addr string
	held chan struct{}
}

func newPages(t *testing.T) *pages {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &pages{readers: newReaders(2), addr: l.Addr().String(), held: make(chan struct{})}
	web := &http.Server{ConnState: p.note, ConnContext: withConn, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/held" {
			defer p.hold(r.Context())()
			_ = http.NewResponseController(w).Flush()
			<-p.held
		}
	})}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, web.Close())
		require.ErrorIs(t, <-ended, http.ErrServerClosed)
	})
	return p
}

// ask connects and sends text.
func (p *pages) ask(t *testing.T, text string) net.Conn {
	c, err := net.Dial("tcp", p.addr)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(20*time.Second)))
	_, _ = io.WriteString(c, text) // an error: it is closed already
	return c
}

// get asks for a page, and reports whether there was an answer.
func (p *pages) get(t *testing.T, path string) (c net.Conn, answered bool) {
	c = p.ask(t, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
	n, _ := c.Read(make([]byte, 1<<10))
	return c, n > 0
}

// Strangers whose requests do not end keep no probe out: a probe that fails has the replica killed.
func TestConnectionsToThePagesAreBounded(t *testing.T) {
	p := newPages(t)
	for range 10 {
		slow := p.ask(t, "GET /livez HTTP/1.1\r\n")
		p.ask(t, "GET /livez HTTP/1.1\r\n")
		_, answered := p.get(t, "/livez")
		require.True(t, answered)
		_, err := slow.Read(make([]byte, 1))
		require.Error(t, err, "the oldest made room")
		require.NotErrorIs(t, err, net.ErrClosed)
		p.mu.Lock()
		require.LessOrEqual(t, len(p.open), 2)
		p.mu.Unlock()
	}
}

// Streams of events keep their places until they end.
func TestAStreamKeepsItsPlace(t *testing.T) {
	p := newPages(t)
	first, answered := p.get(t, "/held")
	require.True(t, answered)
	for range 5 {
		_, answered = p.get(t, "/")
		require.True(t, answered)
	}
	second, answered := p.get(t, "/held")
	require.True(t, answered)
	_, answered = p.get(t, "/")
	require.False(t, answered, "there are no others to make room")
	close(p.held)
	for _, c := range []net.Conn{first, second} {
		_, err := c.Read(make([]byte, 1<<10)) // the end of the answer
		require.NoError(t, err)
	}
	_, answered = p.get(t, "/")
	require.True(t, answered)
}
