package rpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/transport/queue"
	"github.com/chubbycell/chubby/internal/transport/refused"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
	"github.com/chubbycell/chubby/replica/api"
)

// Bounds of a stream and of its messages.
const (
	maxMessage = api.MaxMessage + 64 // with what protobuf puts around it
	queueItems = 1 << 14             // of all clients that share the stream
	queueBytes = 8 << 20
	// window is what gRPC keeps of a stream that is not read. Left to itself it lets the client raise that to 16 MiB.
	window = 256 << 10
	// While more than allBytes wait for clients in all, no more than shareBytes wait for each: clients that do not read
	// would take the memory of the replica.
	allBytes   = 256 << 20
	shareBytes = 64 << 10
	// maxMetadata bounds the metadata of a call, which come before it is known who calls.
	maxMetadata = 16 << 10
)

// DefaultClients is how many client processes a Server serves at one time, unless it is told
// otherwise.
const DefaultClients = 10_000

// Connections is how many connections a Server of so many clients takes, unless it is told otherwise.
func Connections(clients int) int { return 2*clients + 16 }

// ServerConfig is what the Server of a replica is built from.
type ServerConfig struct {
	Cell    string
	Replica uint32

	// Deliver takes a message, the client that sent it, and who that is. It must not block,
	// and owns msg. It reports whether there was room. A client is one port of one stream.
	Deliver func(from uint64, who api.Principal, msg []byte) bool

	// Check says why no message of this client can be delivered, for one that it sent: its program does not fit that
	// of the replica. The stream ends with the error. nil: messages are any bytes.
	Check func(msg []byte) error

	// TLS has the certificate of the replica, and in ClientCAs the authority of those of
	// clients. nil: plain connections.
	TLS *tls.Config
	// RenewTLS gives what is to be used in place of TLS at the next handshake, for certificates
	// that are renewed; it never returns nil. nil: TLS is used.
	RenewTLS func() *tls.Config
	// Tokens are accepted in place of certificates; nil: none are. SetTokens replaces them.
	Tokens *Tokens
	// TrustNames believes the name that a client says. It needs plain connections.
	TrustNames bool
	// AllowPlain permits plain connections beyond the loopback interface.
	AllowPlain bool

	Operator   Operator     // tells how the replica is; nil: it does not
	MaxClients int          // streams at one time, at most; 0: DefaultClients
	Logger     *slog.Logger // nil: nothing is logged

	// MaxConnections is how many connections there are at one time, at most. 0: as many as Connections says.
	MaxConnections int

	messages formats
}

func (c *ServerConfig) validate() error {
	var faults []error
	fault := func(bad bool, text string) {
		if bad {
			faults = append(faults, errors.New("client transport: "+text))
		}
	}
	fault(c.Cell == "", "no cell name")
	fault(c.Replica == 0, "the id of the replica is 0")
	fault(c.Deliver == nil, "no Deliver")
	fault(c.MaxClients < 0, "MaxClients is negative")
	fault(c.MaxConnections < 0, "MaxConnections is negative")
	fault(c.TLS != nil && c.TLS.ClientCAs == nil && c.Tokens == nil, "TLS without an authority of client certificates and without tokens: no client could say who it is")
	fault(c.TLS == nil && c.Tokens == nil && !c.TrustNames, "plain connections without tokens, and names are not believed: no client could say who it is")
	fault(c.TLS != nil && c.TrustNames, "names are believed on plain connections only: remove TrustNames, or TLS")
	return errors.Join(faults...)
}

// Server serves the clients of one replica. All methods are safe for concurrent use.
type Server struct {
	chubbyv1.UnimplementedCellServer
	cfg    ServerConfig
	grpc   *grpc.Server
	health *health.Server
	tokens atomic.Pointer[Tokens]
	// refused has what the log was told of.
	refused refused.Log
	// waiting counts what clients have not read.
	waiting *queue.Total

	connections *connections
	anonymous   anonymous

	mu      sync.Mutex
	stopped chan struct{} // closed when streams are to end
	renewed chan struct{} // closed when tokens were replaced
	streams streams
}

// NewServer returns a Server that does not listen yet.
func NewServer(cfg ServerConfig) (*Server, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if cfg.MaxClients == 0 {
		cfg.MaxClients = DefaultClients
	}
	if cfg.MaxConnections == 0 {
		cfg.MaxConnections = Connections(cfg.MaxClients)
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.messages.setDefault()
	s := &Server{
		connections: newConnections(cfg.MaxConnections, cfg.Logger),
		waiting:     queue.NewTotal(allBytes, shareBytes), renewed: make(chan struct{}), cfg: cfg, health: health.NewServer(), stopped: make(chan struct{}), streams: newStreams(),
	}
	options := []grpc.ServerOption{
		grpc.InTapHandle(s.tap),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxHeaderListSize(maxMetadata),
		grpc.MaxConcurrentStreams(100),
		grpc.StaticStreamWindowSize(window),
		grpc.StaticConnWindowSize(window),
		grpc.ConnectionTimeout(10 * time.Second),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 10 * time.Second, Timeout: 5 * time.Second}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
	}
	if cfg.TLS != nil {
		options = append(options, grpc.Creds(watching{credentials.NewTLS(cfg.serverTLS()), s.noteHandshake}))
	}
	s.grpc = grpc.NewServer(options...)
	s.tokens.Store(cfg.Tokens)
	chubbyv1.RegisterCellServer(s.grpc, s)
	if cfg.Operator != nil {
		chubbyv1.RegisterOperatorServer(s.grpc, operatorServer{s: s})
	}
	grpc_health_v1.RegisterHealthServer(s.grpc, s.health)
	reflection.Register(s.grpc)
	s.SetServing(false)
	return s, nil
}

// Serve serves what connects to l until Stop, and closes l. It returns nil then.
func (s *Server) Serve(l net.Listener) error {
	if tcp, ok := l.Addr().(*net.TCPAddr); s.cfg.TLS == nil && !s.cfg.AllowPlain && (!ok || !tcp.IP.IsLoopback()) {
		l.Close()
		return fmt.Errorf("client transport: %v is not a loopback address, and connections are plain: configure TLS, or allow plain connections if the network is trusted", l.Addr())
	}
	err := s.grpc.Serve(listener{l, s.connections})
	if errors.Is(err, grpc.ErrServerStopped) { // Stop came first
		return nil
	}
	return err
}

// SetServing tells the health service whether the replica serves: whether it knows a master.
func (s *Server) SetServing(is bool) {
	state := grpc_health_v1.HealthCheckResponse_NOT_SERVING
	if is {
		state = grpc_health_v1.HealthCheckResponse_SERVING
	}
	s.health.SetServingStatus("", state)
	s.health.SetServingStatus(chubbyv1.Cell_ServiceDesc.ServiceName, state)
}

// Send sends a message to a client. It does not block, and drops the message if the client
// is gone. The Server does not write to msg, which must not change any more.
func (s *Server) Send(to uint64, msg []byte) {
	stream, port := to>>portBits, uint32(to)
	s.mu.Lock()
	c := s.streams.open[stream]
	s.mu.Unlock()
	if c != nil {
		c.out.Add(queue.Datagram{Tag: port, Wire: msg})
	}
}

// portBits are the bits of a client's number that name its port. Those above name the stream.
const portBits = 32

// Clients is the number of client processes that are connected.
func (s *Server) Clients() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.streams.open)
}

// Stop ends all streams with an error that says that the replica stops, and closes the connections: at once those
// over which no client was authenticated, and when ctx ends those that have not ended by themselves. It may be called
// again.
func (s *Server) Stop(ctx context.Context) {
	s.health.Shutdown()
	s.mu.Lock()
	select {
	case <-s.stopped:
	default:
		close(s.stopped)
	}
	s.mu.Unlock()
	s.connections.stop()
	hard := context.AfterFunc(ctx, s.grpc.Stop)
	s.grpc.GracefulStop()
	hard()
}

// Datagrams is one stream of a client process.
func (s *Server) Datagrams(stream chubbyv1.Cell_DatagramsServer) error {
	c, err := s.admit(callerOf(stream.Context()))
	if err != nil {
		s.logRefused(c.remote, status.Convert(err).Message())
		return err
	}
	defer s.leave(c)
	log := s.cfg.Logger.With("remote", c.remote, "client", c.id, "principal", c.who)
	log.Debug("client connected")
	header := metadata.Pairs(keyCell, s.cfg.Cell, keyReplica, fmt.Sprint(s.cfg.Replica), keyMessages, s.cfg.messages.known.Text())
	if err := stream.SendHeader(header); err != nil {
		return err
	}
	if c.speaks, err = s.agree(stream.Context()); err != nil {
		s.logRefused(c.remote, status.Convert(err).Message())
		return err
	}
	err = s.carry(stream, c)
	log.Debug("client disconnected", "err", err)
	return err
}

// agree returns the highest version of messages that both the client of a stream and this replica know.
func (s *Server) agree(ctx context.Context) (byte, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	theirs, err := said(md)
	if err != nil {
		return 0, err
	}
	v, ok := s.cfg.messages.known.Common(theirs)
	if !ok {
		return 0, &VersionError{Client: theirs, Replica: s.cfg.messages.known}
	}
	return v, nil
}

// receive delivers what comes until the stream ends, or the client is not who it was. It does not leave that to the
// loop of carry, which waits for a client that does not read.
func (s *Server) receive(stream chubbyv1.Cell_DatagramsServer, c *client) error {
	tokens := c.tokens
	for {
		d, err := stream.Recv()
		if err != nil {
			return err
		}
		if now := s.tokens.Load(); now != tokens {
			tokens = now
			if err := s.isStill(stream.Context(), c.who); err != nil {
				return err
			}
		}
		if s.cfg.Check != nil {
			if err := s.cfg.Check(d.GetMessage()); err != nil {
				s.logRefused(c.remote, err.Error())
				return status.Error(codes.FailedPrecondition, err.Error())
			}
		}
		s.cfg.Deliver(c.id<<portBits|uint64(d.GetPort()), c.who, d.GetMessage())
	}
}

// carry delivers what comes and sends what waits until the stream ends.
func (s *Server) carry(stream chubbyv1.Cell_DatagramsServer, c *client) error {
	renewed, ended := c.renewed, make(chan error, 1)
	go func() { ended <- s.receive(stream, c) }() // ends with the stream, which ends when Datagrams returns
	for {
		select {
		case err := <-ended:
			if stream.Context().Err() != nil {
				return nil // the client is gone
			}
			return err
		case <-s.stopped:
			return status.Errorf(codes.Unavailable, "replica %d stops", s.cfg.Replica)
		case <-c.gone:
			err := status.Errorf(codes.ResourceExhausted, "%d clients are connected to replica %d, which is its limit, and %q has the most: one of another principal took the place", s.cfg.MaxClients, s.cfg.Replica, c.who)
			s.logRefused(c.remote, status.Convert(err).Message())
			return err
		case <-renewed:
			renewed = s.awaitTokens()
			if err := s.isStill(stream.Context(), c.who); err != nil {
				return err
			}
		case <-c.out.Wake():
		}
		if d, ok := c.out.Next(); ok {
			wire, err := s.cfg.messages.in(c.speaks, d.Wire)
			if err != nil {
				return err
			}
			if err := stream.Send(&chubbyv1.Datagram{Message: wire, Port: d.Tag}); err != nil {
				return err
			}
		}
	}
}
