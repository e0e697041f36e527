package server

import (
	"bytes"
	"context"
	"maps"
	"net"
	"net/http"
	"sync"
)

// mostReaders is how many connections there are to the pages at one time. Each takes a file descriptor, without which
// the log gets no next segment, and the replica stops.
const mostReaders = 256

// readers are the connections to the pages, so many at most. A new one takes the place of the oldest: a probe needs a
// few milliseconds, so strangers whose requests do not end do not keep it out, and have the replica killed for it.
// Streams of events keep their places. Its methods are safe for concurrent use.
type readers struct {
	most int

	mu   sync.Mutex
	last uint64
	// open has the order in which they came, 0 while a connection keeps its place.
	open map[net.Conn]uint64
}

func newReaders(most int) *readers { return &readers{most: most, open: map[net.Conn]uint64{}} }

// note is http.Server.ConnState.
func (t *readers) note(c net.Conn, state http.ConnState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch state {
	case http.StateNew:
		if len(t.open) >= t.most {
			old := t.oldest()
			if old == nil {
				c.Close()
				return
			}
			delete(t.open, old)
			old.Close()
		}
		t.add(c)
	case http.StateClosed, http.StateHijacked:
		delete(t.open, c)
	}
}

// add puts a connection behind the others. The caller holds the lock.
func (t *readers) add(c net.Conn) {
	t.last++
	t.open[c] = t.last
}

// oldest is the first connection that may go; nil: all keep their places. The caller holds the lock.
func (t *readers) oldest() (first net.Conn) {
	for c, n := range t.open {
		if n > 0 && (first == nil || n < t.open[first]) {
			first = c
		}
	}
	return first
}

// hold has the connection of a request keep its place until release.
func (t *readers) hold(ctx context.Context) (release func()) {
	c, _ := ctx.Value(connKey{}).(net.Conn)
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.open[c]; ok {
		t.open[c] = 0
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if _, ok := t.open[c]; ok {
			t.add(c)
		}
	}
}

// connKey is the key of a connection in the context of its requests.
type connKey struct{}

// withConn is http.Server.ConnContext.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// inTurn has the requests to a page answered one at a time, in the order in which they came: readers that ask again and
// again take one processor of the replica, and not all. No request waits for another one to read its answer.
func inTurn(page http.Handler) http.Handler {
	turn := make(chan struct{}, 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case turn <- struct{}{}:
		case <-r.Context().Done():
			return
		}
		a := &answer{header: http.Header{}, status: http.StatusOK}
		func() {
			defer func() { <-turn }()
			page.ServeHTTP(a, r)
		}()
		maps.Copy(w.Header(), a.header)
		w.WriteHeader(a.status)
		_, _ = w.Write(a.text.Bytes())
	})
}

// answer is an http.ResponseWriter in memory.
type answer struct {
	header http.Header
	status int
	text   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *answer) Write(text []byte) (int, error) { return a.text.Write(text) }
