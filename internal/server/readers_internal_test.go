package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
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

// Requests to a page are answered one at a time, and the one that waits does so for no reader of an answer.
func TestRequestsTakeTurns(t *testing.T) { synctest.Test(t, testTurns) }

func testTurns(t *testing.T) {
	begun, goOn := make(chan string), make(chan struct{})
	page := inTurn(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- r.URL.Path
		<-goOn
		w.Header().Set("X-Page", "one")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, r.URL.Path)
	}))
	written, read := make(chan string, 3), make(chan struct{})
	ask := func(ctx context.Context, path string) {
		w := &slowReader{httptest.NewRecorder(), written, read}
		page.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil))
		assert.Equal(t, http.StatusTeapot, w.Code)
		assert.Equal(t, "one", w.Header().Get("X-Page"))
	}
	var all sync.WaitGroup
	all.Go(func() { ask(t.Context(), "/a") })
	require.Equal(t, "/a", <-begun)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	page.ServeHTTP(nil, httptest.NewRequestWithContext(gone, http.MethodGet, "/gone", nil)) // it does not wait
	all.Go(func() { ask(t.Context(), "/b") })
	synctest.Wait()
	select {
	case path := <-begun:
		require.FailNow(t, "two at a time", path)
	default:
	}
	goOn <- struct{}{}
	require.Equal(t, "/a", <-written)
	require.Equal(t, "/b", <-begun, "the first answer is not read")
	goOn <- struct{}{}
	require.Equal(t, "/b", <-written)
	close(read)
	all.Wait()
}

// slowReader is a reader that reads an answer when read is closed.
type slowReader struct {
	*httptest.ResponseRecorder
	written chan<- string
	read    <-chan struct{}
}

func (s *slowReader) Write(text []byte) (int, error) {
	s.written <- string(text)
	<-s.read
	return s.ResponseRecorder.Write(text)
}
