package rpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os/user"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"

	"github.com/chubbycell/chubby/internal/transport/queue"
	"github.com/chubbycell/chubby/internal/transport/reach"
	"github.com/chubbycell/chubby/replica/api"
)

// ClientConfig is what a Client is built from.
type ClientConfig struct {
	Cell     string            // refuse replicas of another cell; empty: any
	Replicas map[uint32]string // host:port of each replica; empty: no address of it is known

	// Deliver and Failed are those of port 0, which is there as long as the Client; see Port.
	Deliver func(from uint32, msg []byte)
	Failed  func(replica uint32, err error)

	TLS   *tls.Config // authority of the replicas, and the client's certificate; nil: plain
	Token string      // sent to the replicas, unless empty
	// RenewTLS and RenewToken give what is to be used in place of TLS and Token when a connection
	// or a stream is made, for secrets that are renewed. RenewTLS never returns nil, and is used
	// only if TLS is set. nil: TLS and Token are used.
	RenewTLS   func() *tls.Config
	RenewToken func() string
	Principal  string // the name that the client says, unless empty
	AllowPlain bool   // plain connections beyond the loopback interface

	// ServerName is the name that the certificates of all replicas have to have. Empty: each has the host of its
	// address.
	ServerName string
	Resolver   *net.Resolver // looks hosts up; nil: that of the machine

	Logger *slog.Logger // nil: nothing is logged

	messages formats
}

func (c *ClientConfig) validate() error {
	var faults []error
	if len(c.Replicas) == 0 {
		faults = append(faults, errors.New("no replicas"))
	}
	for _, id := range slices.Sorted(maps.Keys(c.Replicas)) {
		if _, _, err := net.SplitHostPort(c.Replicas[id]); err != nil && c.Replicas[id] != "" {
			faults = append(faults, fmt.Errorf("address of replica %d: %v; give host:port", id, err))
		}
		if id == 0 {
			faults = append(faults, errors.New("a replica has the id 0"))
		}
	}
	return errors.Join(faults...)
}

// UserName is the principal of a program that says no other: the name of its user.
func UserName() string {
	if u, err := user.Current(); err == nil && api.Principal(u.Username).Check() == api.OK {
		return u.Username
	}
	return "anonymous"
}

// Client is the connections of one client process to the replicas of a cell. All methods
// are safe for concurrent use.
type Client struct {
	cfg   ClientConfig
	links map[uint32]*link
	stop  context.CancelFunc
	wg    sync.WaitGroup
	ports ports
	hosts *reach.Hosts
}

// NewClient returns a Client. It connects to a replica when it has something to send to it.
func NewClient(cfg ClientConfig) (*Client, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.messages.setDefault()
	ctx, stop := context.WithCancel(context.Background())
	c := &Client{ports: ports{open: map[uint32]*Port{}}, cfg: cfg, links: map[uint32]*link{}, stop: stop, hosts: reach.NewHosts(cfg.Resolver)}
	for id, addr := range cfg.Replicas {
		w, err := c.newWay(addr)
		if err != nil {
			c.Close()
			return nil, fmt.Errorf("replica %d at %s: %w", id, addr, err)
		}
		c.links[id] = &link{c: c, id: id, queue: queue.New(queueItems, queueBytes), at: w, next: addr}
	}
	for _, l := range c.links {
		c.wg.Go(func() { l.run(ctx) })
	}
	return c, nil
}

func (c *Client) options(w *way) []grpc.DialOption {
	creds := insecure.NewCredentials()
	if c.cfg.TLS != nil {
		creds = noting{c.cfg.credentials(c.cfg.serverName(w.addr)), w.noteHandshake}
	}
	return []grpc.DialOption{
		grpc.WithTransportCredentials(creds),
		grpc.WithContextDialer(c.dial),
		grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 5 * time.Second}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 20 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second},
			MinConnectTimeout: 3 * time.Second,
		}),
	}
}

// dial connects, and refuses plain connections to other machines.
func (c *Client) dial(ctx context.Context, addr string) (net.Conn, error) {
	if addr == "" {
		return nil, errors.New("none of the addresses that were found is that of this replica")
	}
	conn, err := c.hosts.Dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	if tcp, ok := conn.RemoteAddr().(*net.TCPAddr); c.cfg.TLS == nil && !c.cfg.AllowPlain && (!ok || !tcp.IP.IsLoopback()) {
		conn.Close()
		return nil, fmt.Errorf("%s is not a loopback address, and the connection is plain: configure TLS, or allow plain connections if the network is trusted", addr)
	}
	return conn, nil
}

// outgoing is ctx with the metadata of a stream or call to a replica. The id 0 is that of any replica.
func (c *Client) outgoing(ctx context.Context, id uint32) context.Context {
	md := metadata.MD{}
	set := func(key, value string) {
		if value != "" {
			md.Set(key, value)
		}
	}
	if id != 0 {
		set(keyReplica, fmt.Sprint(id))
	}
	set(keyCell, c.cfg.Cell)
	if isPlain(c.cfg.Principal) {
		set(keyPrincipal, c.cfg.Principal)
	} else {
		set(keyPrincipal+asBytes, c.cfg.Principal)
	}
	token := c.cfg.Token
	if c.cfg.RenewToken != nil {
		token = c.cfg.RenewToken()
	}
	if token != "" {
		set(keyToken, bearer+token)
	}
	return metadata.NewOutgoingContext(ctx, md)
}

// Send sends a message to a replica, from port 0. It does not block, and does not write to msg,
// which must not change any more. A message for an unknown replica is dropped.
func (c *Client) Send(to uint32, msg []byte) { c.send(to, 0, msg) }

func (c *Client) send(to, port uint32, msg []byte) {
	if l := c.links[to]; l != nil {
		l.queue.Add(queue.Datagram{Tag: port, Wire: msg})
	}
}

// Health asks a replica whether it serves. The error is that of the call.
func (c *Client) Health(ctx context.Context, replica uint32) (serving bool, err error) {
	w := c.way(replica)
	if w == nil {
		return false, fmt.Errorf("unknown replica %d", replica)
	}
	r, err := grpc_health_v1.NewHealthClient(w.conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	return err == nil && r.GetStatus() == grpc_health_v1.HealthCheckResponse_SERVING, w.explain(ctx, err)
}

// Close closes all connections. After it has returned Deliver is not called any more. It
// may be called again.
func (c *Client) Close() {
	c.stop()
	c.wg.Wait() // no link takes a new way after this
	for _, l := range c.links {
		l.at.conn.Close()
	}
	c.hosts.Close()
}
