package cellcmd

import (
	"errors"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
)

// profile is the flag --pprof of commands that run replicas.
type profile struct{ addr string }

func (p *profile) register(c *cobra.Command) {
	c.Flags().StringVar(&p.addr, "pprof", "", "host:port on the loopback interface for profiles, /debug/pprof/ (default: none)")
}

// serve serves the pages until stop, if there is an address.
func (p *profile) serve() (stop func(), err error) {
	if p.addr == "" {
		return func() {}, nil
	}
	l, err := net.Listen("tcp", p.addr)
	if err != nil {
		return nil, cli.Usage("--pprof: %v", err)
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return nil, errors.Join(cli.Usage("--pprof %s: not a loopback address: profiles show what a replica holds in memory; give one such as 127.0.0.1:6060", p.addr), l.Close())
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l) // ends by stop
	}()
	return func() { s.Close(); <-done }, nil
}
