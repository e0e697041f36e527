package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/chubbycell/chubby/internal/transport/peer"
	"github.com/chubbycell/chubby/internal/transport/rpc"
	"github.com/chubbycell/chubby/internal/versions"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Options are what a Server is given beside its Config.
type Options struct {
	// Bootstrap says that the cell is being founded: an empty directory is what it should be.
	Bootstrap bool
	Logger    *slog.Logger // nil: nothing is logged
	// Registerer takes the metrics; nil: they are on /metrics only.
	Registerer prometheus.Registerer
	// Disk, if it is not nil, is put between the replica and the file system that its files are
	// on. It has no part in founding the replica.
	Disk func(vfs.FS) vfs.FS
	// Observer, if it is not nil, is told what happens inside the replica, on its goroutine.
	Observer core.Observer
	// Peers and Clients are listeners in place of the configured ones; the Server closes them.
	Peers, Clients net.Listener
}

// Server is one running replica with its transports. All methods are safe for concurrent
// use.
type Server struct {
	cfg     Config
	log     *slog.Logger
	replica atomic.Pointer[replica.Replica] // nil while it starts
	peers   *peer.Transport
	clients *rpc.Server
	metrics *metrics
	secrets secrets

	clientAddr net.Addr
	pages      net.Listener // of listen_http; nil: none
	web        *http.Server
	readers    *readers
	webAddr    net.Addr

	wg   sync.WaitGroup
	stop sync.Once
	quit chan struct{}
	err  error // of Stop

	mu     sync.Mutex
	state  replica.Status
	leader chan struct{} // closed while a leader is known

	overviews overviews
}

// CheckFiles checks that the files that the configuration names can be used, whose the directory is,
// and what else is known of this machine without a start. It changes nothing.
func (c *Config) CheckFiles() error {
	_, err1 := c.peerCredentials()
	_, err2 := c.clientCredentials()
	_, err3 := c.tokens()
	have, err4 := c.readMember()
	if err4 == nil && have != nil {
		err4 = c.checkMember(*have)
	}
	return errors.Join(err1, err2, err3, err4, c.checkPlain())
}

// CheckBackupDir says why no backup can be written now, as far as that is known without writing; nil if there
// are to be none. A replica starts all the same: its cell needs it more than its backups.
func (c *Config) CheckBackupDir() error {
	if c.BackupDir == "" {
		return nil
	}
	return checkBackupDir(c.BackupDir)
}

// Start starts a replica and returns when it has read its log; it need not have found the
// others of its cell. A failed Start leaves nothing running; MayPass tells whether to try again.
func Start(cfg Config, o Options) (s *Server, err error) {
	defer func() {
		if err != nil {
			for _, l := range []net.Listener{o.Peers, o.Clients} {
				if l != nil {
					l.Close()
				}
			}
		}
	}()
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if err := cfg.CheckFiles(); err != nil {
		return nil, err
	}
	if err := cfg.claim(o.Bootstrap); err != nil {
		return nil, err
	}
	s = &Server{
		cfg: cfg.WithDefaults(), log: o.Logger.With("replica", cfg.ID), quit: make(chan struct{}), leader: make(chan struct{}),
		state: replica.Status{ID: paxos.NodeID(cfg.ID)}, // it runs, and knows no leader: /livez must not call it stopped before the first look
	}
	s.log.Info("starts", "cell", cfg.Cell, "dir", cfg.Dir, "build", build(), "listen_peers", s.cfg.ListenPeers, "listen_clients", cfg.ListenClients, "listen_http", cfg.ListenHTTP)
	if err := s.start(&o); err != nil {
		s.close(context.Background())
		return nil, err
	}
	go s.lookForBackups()
	return s, nil
}

// lookForBackups says in the log that no backup can be written. Nothing waits for it: a file server that
// hangs must not keep a replica from serving.
func (s *Server) lookForBackups() {
	if err := s.cfg.CheckBackupDir(); err != nil {
		s.log.Error("no backups until that is mended", "err", err)
	}
}

// build is the commit that the program was built from, as the go command has noted it; else "unknown".
func build() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}

func (s *Server) start(o *Options) error {
	if err := s.listen(o); err != nil {
		return err
	}
	clients := o.Clients
	s.wg.Go(func() {
		if err := s.clients.Serve(clients); err != nil {
			s.log.Error("clients are not served", "err", err)
		}
	})
	fsys, dir, err := s.cfg.place()
	if err != nil {
		return err
	}
	if o.Disk != nil {
		fsys = o.Disk(fsys)
	}
	d := s.cfg.driver()
	d.Core.Paxos.Seed, d.Core.Observer = replica.Entropy(), o.Observer
	r, err := replica.Start(replica.Config{Driver: d, FS: fsys, Dir: dir, Backups: s.cfg.backups(), Transport: s, Logger: o.Logger})
	if errors.Is(err, vfs.ErrLocked) {
		return fmt.Errorf("dir %s: a replica runs on it already: %w", s.cfg.Dir, err)
	}
	if err != nil {
		return s.cfg.forUser(err)
	}
	s.replica.Store(r)
	s.wg.Go(s.watch)
	s.wg.Go(s.renewSecrets)
	return s.serveHTTP(s.pages, o.Registerer)
}

// listen opens all ports, before the replica begins to run.
func (s *Server) listen(o *Options) error {
	c := &s.cfg
	if err := s.newSecrets(); err != nil {
		return err
	}
	tokens, err := c.tokens()
	if err != nil {
		return err
	}
	peerTLS, clientTLS := s.secrets.peerTLS(), s.secrets.clientTLS()
	if o.Peers == nil {
		if o.Peers, err = net.Listen("tcp", c.ListenPeers); err != nil {
			return fmt.Errorf("listen_peers: %w", err)
		}
	}
	if o.Clients == nil {
		if o.Clients, err = net.Listen("tcp", c.ListenClients); err != nil {
			return fmt.Errorf("listen_clients: %w", err)
		}
	}
	if c.ListenHTTP != "" {
		if s.pages, err = net.Listen("tcp", c.ListenHTTP); err != nil {
			return fmt.Errorf("listen_http: %w", err)
		}
	}
	if others := c.unreachableBy(o.Peers.Addr()); others != "" {
		s.log.Warn("other machines cannot connect to this replica, which listens for members at a loopback address: give listen_peers, for instance 0.0.0.0 and the port",
			"listen_peers", c.ListenPeers, "address", o.Peers.Addr(), "member", others)
	}
	s.clientAddr = o.Clients.Addr()
	if tcp, ok := s.clientAddr.(*net.TCPAddr); clientTLS == nil && !c.AllowPlain && (!ok || !tcp.IP.IsLoopback()) {
		return errPlain("listen_clients", s.clientAddr.String())
	}
	s.clients, err = rpc.NewServer(rpc.ServerConfig{
		Cell: c.Cell, Replica: c.ID, Deliver: s.fromClient, Check: checkVersion, TLS: clientTLS, RenewTLS: s.secrets.clientTLS, Tokens: tokens,
		TrustNames: c.trustsNames(), AllowPlain: c.AllowPlain, MaxClients: c.MaxClients, Logger: s.log,
		MaxConnections: connections(c.MaxClients, mostOpenFiles(), s.log), Operator: operator{s},
	})
	if err != nil {
		return err
	}
	others := map[paxos.NodeID]string{}
	for id, addr := range c.Members {
		if id != c.ID {
			others[paxos.NodeID(id)] = addr
		}
	}
	known, err := c.openDisks()
	if err != nil {
		return c.forUser(err)
	}
	s.peers, err = peer.New(peer.Config{
		Cell: c.Cell, Self: paxos.NodeID(c.ID), Peers: others, Listener: o.Peers, Deliver: s.fromPeer,
		TLS: peerTLS, RenewTLS: s.secrets.peerTLS, AllowPlain: c.AllowPlain, Logger: s.log, Formats: formats, Translate: driver.Translate,
		Disk: known.own, Meet: known.meet, Identity: s.identity, CommandsInUse: s.commandsInUse,
	})
	return err
}

// formats are those that this program knows.
var formats = peer.Formats{
	Messages: versions.Range{Oldest: paxos.OldestWireVersion, Newest: paxos.NewestWireVersion},
	Commands: versions.Range{Oldest: command.OldestVersion, Newest: command.NewestVersion},
}

// identity is that of the cell whose rows the replica has, 0 as long as it has none, or has not started.
func (s *Server) identity() peer.Identity {
	if r := s.replica.Load(); r != nil {
		return peer.Identity(r.Cell())
	}
	return 0
}

// commandsInUse is the version of commands that the cell uses, as far as the replica knows; 0 before it has started.
func (s *Server) commandsInUse() byte {
	if r := s.replica.Load(); r != nil {
		return r.Version()
	}
	return 0
}

// fromPeer and fromClient hand over what comes. What comes while the replica starts, or finds
// no room, is lost, as on a network.
func (s *Server) fromPeer(from paxos.NodeID, wire []byte) {
	if r := s.replica.Load(); r != nil {
		r.FromPeer(from, wire)
	}
}

// checkVersion refuses a client whose messages this replica would drop without an answer.
func checkVersion(msg []byte) error {
	if err := api.CheckVersion(msg); err != nil {
		return fmt.Errorf("%w: the client and the replica are of different versions: chubby version; replace the program of the replicas first", err)
	}
	return nil
}

func (s *Server) fromClient(from uint64, who api.Principal, msg []byte) bool {
	r := s.replica.Load()
	return r != nil && r.FromClient(addr(from), who, msg)
}

// ToPeer implements replica.Transport.
func (s *Server) ToPeer(to paxos.NodeID, wire []byte) { s.peers.Send(to, wire) }

// ToClient implements replica.Transport.
func (s *Server) ToClient(to core.Addr, wire []byte) { s.clients.Send(uint64(to), wire) }

// ClientAddr is where clients reach the replica.
func (s *Server) ClientAddr() net.Addr { return s.clientAddr }

// HTTPAddr is where the pages for operators are; nil: there are none.
func (s *Server) HTTPAddr() net.Addr { return s.webAddr }

// Wait returns when the replica has ended: nil after Stop, else why. ErrConfig is a mistake in the
// configuration, which stays one when it is started again; any other error is of the machine.
func (s *Server) Wait() error {
	err := s.replica.Load().Wait()
	var c *core.ConstantError
	if errors.As(err, &c) && c.Name == core.ConstantGrant {
		return fmt.Errorf("%w: lease_grant is %s here, and %s in the cell since it was founded: set lease_grant to %s", ErrConfig, c.Own, c.Cell, c.Cell)
	}
	return err
}

// ErrConfig says that the configuration does not fit the cell.
var ErrConfig = errors.New("the configuration does not fit the cell")

// Stop ends the replica: it resigns if it leads, its clients are told, and its files are
// closed. When ctx ends, it waits for clients no longer; it always waits for the files. It
// may be called again.
func (s *Server) Stop(ctx context.Context) error {
	s.close(ctx)
	return s.err
}

// closeWeb closes the pages. Each reader of /events gets its last event first, which waits for it
// since the replica has ended; a reader that is slow is waited for up to a second.
func (s *Server) closeWeb(ctx context.Context) {
	if s.web == nil {
		if s.pages != nil {
			s.pages.Close()
		}
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if s.web.Shutdown(ctx) != nil {
		s.web.Close()
	}
}

// stopClients tells the clients that the replica stops, and ends their connections. It takes two seconds at most.
func (s *Server) stopClients(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	s.clients.Stop(ctx)
}

func (s *Server) close(ctx context.Context) {
	s.stop.Do(func() {
		close(s.quit)
		r := s.replica.Load()
		if r != nil {
			s.log.Info("stops")
			short, cancel := context.WithTimeout(ctx, time.Second)
			if err := r.Resign(short); err != nil && !errors.Is(err, replica.ErrStopped) {
				s.log.Warn("did not resign", "err", err)
			}
			cancel()
		}
		if s.clients != nil {
			s.stopClients(ctx)
		}
		if r != nil {
			s.err = r.Stop()
		}
		s.closeWeb(ctx)
		if s.peers != nil {
			s.peers.Close()
		}
		s.metrics.remove()
		s.wg.Wait()
		if r != nil {
			s.log.Info("stopped")
		}
	})
}
