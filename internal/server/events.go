package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/chubbycell/chubby/replica"
)

const (
	eventRoom     = 1024             // events that wait for a reader of /events
	eventPatience = 30 * time.Second // how long a reader may take to read one
)

// serveEvents serves events of the replica, one JSON object a line, until the reader goes or the
// replica ends. A reader that is slow misses some, and is told how many.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	l, err := s.replica.Load().Listen(r.Context(), eventRoom)
	if err != nil {
		status := http.StatusServiceUnavailable
		if errors.Is(err, replica.ErrListeners) {
			status = http.StatusTooManyRequests
		}
		http.Error(w, err.Error(), status)
		return
	}
	defer l.Close()
	defer s.readers.hold(r.Context())()
	headEvents(w, r)
	c, names, lines := http.NewResponseController(w), s.showsNames(r), json.NewEncoder(w)
	_ = c.SetReadDeadline(time.Time{}) // nothing more is read: the time for that is not to end the request
	for {
		select {
		case e, ok := <-l.C:
			if !ok {
				return
			}
			if !names && e.Path != "" {
				e.Path = hidden
			}
			_ = c.SetWriteDeadline(time.Now().Add(eventPatience)) // an error: the reader has gone
			if lines.Encode(e) != nil || len(l.C) == 0 && c.Flush() != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// headEvents sets the header of the page. For a probe that asks for no more the answer ends with it: such a probe would
// take the place of a reader for as long as it keeps its connection.
func headEvents(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/jsonl; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
}
