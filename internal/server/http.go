package server

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// serveHTTP serves the pages for operators, if they are configured:
//
//	/         the status of the replica and its cell, for people
//	/livez    200 while the replica runs, else 503: only a new start helps
//	/readyz   200 while it knows a leader of its cell, and so takes clients, else 503. The cell may
//	          serve no calls yet: a new master needs its clients to get there
//	/metrics  numbers for Prometheus
//	/events   what happens, as it happens: JSON lines
func (s *Server) serveHTTP(l net.Listener, extra prometheus.Registerer) error {
	own := prometheus.NewRegistry()
	own.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	var err error
	if s.metrics, err = newMetrics(s, own, extra); err != nil || l == nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", inTurn(http.HandlerFunc(s.servePage)))
	mux.Handle("GET /metrics", inTurn(promhttp.HandlerFor(own, promhttp.HandlerOpts{})))
	mux.HandleFunc("GET /events", s.serveEvents)
	mux.HandleFunc("HEAD /events", headEvents)
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { s.answer(w, s.Status().ID != 0, "live", "stopped") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		s.answer(w, s.Status().Leader != 0, "ready", "no leader is known")
	})
	s.readers = newReaders(mostReaders)
	s.web = &http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10,
		ConnState: s.readers.note, ConnContext: withConn,
	}
	s.webAddr = l.Addr()
	s.wg.Go(func() {
		if err := s.web.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("pages for operators are not served", "err", err)
		}
	})
	return nil
}

// answer writes the page of a check: a word, and the state.
func (s *Server) answer(w http.ResponseWriter, good bool, yes, no string) {
	state := s.Status()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if !good {
		w.WriteHeader(http.StatusServiceUnavailable)
		yes = no
	}
	fmt.Fprintf(w, "%s\nreplica %d\nrole %s\nleader %d\nepoch %d\nstate %s\nserving %v\n", yes, s.cfg.ID, state.Role, state.Leader, state.Epoch, state.State, state.Serving)
}
