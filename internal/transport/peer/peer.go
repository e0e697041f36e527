package peer

import (
	"context"
	"crypto/tls"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/chubbycell/chubby/internal/transport/queue"
	"github.com/chubbycell/chubby/internal/transport/refused"
	"github.com/chubbycell/chubby/paxos"
)

// Transport carries datagrams to and from the other replicas of a cell. All methods are
// safe for concurrent use.
type Transport struct {
	cfg   Config
	links map[paxos.NodeID]*link
	stop  context.CancelFunc
	wg    sync.WaitGroup

	refused refused.Log

	mu       sync.Mutex
	closed   bool
	accepted map[net.Conn]bool
	unproven []net.Conn                // those of them that have made no handshake yet, the oldest first
	newest   map[paxos.NodeID]net.Conn // the accepted connection of each peer
}

// New starts a Transport. It returns at once: whether peers can be reached, Status says.
func New(cfg Config) (*Transport, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cfg.setDefaults()
	ctx, stop := context.WithCancel(context.Background())
	t := &Transport{
		cfg: cfg, links: map[paxos.NodeID]*link{}, stop: stop,
		accepted: map[net.Conn]bool{}, newest: map[paxos.NodeID]net.Conn{},
	}
	for id, addr := range cfg.Peers {
		l := &link{cfg: &t.cfg, id: id, addr: addr, queue: queue.New(cfg.QueueItems, cfg.QueueBytes)}
		t.links[id] = l
		t.wg.Go(func() { l.run(ctx) })
	}
	t.wg.Go(func() { t.listen(ctx) })
	return t, nil
}

// Send sends a datagram. It does not block, and does not write to wire, which must not
// change any more. A datagram for a replica that is no peer, or above MaxFrame, is logged
// and dropped.
func (t *Transport) Send(to paxos.NodeID, wire []byte) {
	l := t.links[to]
	switch {
	case l == nil:
		t.cfg.Logger.Error("datagram for a replica that is no peer dropped", "peer", to)
	case len(wire) > t.cfg.MaxFrame:
		l.oversized.Add(1)
		t.cfg.Logger.Error("datagram above the limit dropped", "peer", to, "bytes", len(wire), "limit", t.cfg.MaxFrame)
	case len(wire) > 0:
		l.queue.Add(queue.Datagram{Wire: wire})
	}
}

// PeerStatus describes the connection to one peer.
type PeerStatus struct {
	ID        paxos.NodeID
	Addr      string
	Connected bool
	Err       string // why the last attempt failed; empty while connected
	Dropped   uint64 // datagrams that were not sent
	// Formats are what the program of the peer knows, and Speaks is the version of the datagrams that go to it. Both are
	// zero while the peer is not connected: another program may take its place.
	Formats Formats
	Speaks  byte
}

// Status describes the connections to all peers, in the order of their ids.
func (t *Transport) Status() (all []PeerStatus) {
	for _, id := range slices.Sorted(maps.Keys(t.links)) {
		all = append(all, t.links[id].status())
	}
	return all
}

// Close sends what waits, for a fraction of a second at most, and closes all connections.
// After Close has returned Deliver is not called any more. It may be called again.
func (t *Transport) Close() {
	t.mu.Lock()
	t.closed = true
	t.cfg.Listener.Close()
	for c := range t.accepted {
		c.Close()
	}
	t.mu.Unlock()
	t.stop()
	t.wg.Wait()
}

// link is the connection to one peer.
type link struct {
	cfg       *Config
	id        paxos.NodeID
	addr      string
	queue     *queue.Queue
	oversized atomic.Uint64
	speaks    byte // the version of the datagrams on the present connection; only run uses it

	mu        sync.Mutex
	formats   Formats // of the peer at the last handshake
	connected bool
	lastErr   string
	told      map[string]bool // errors for an operator that were logged since the last good connection
}

func (l *link) status() PeerStatus {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := PeerStatus{
		ID: l.id, Addr: l.addr, Connected: l.connected, Err: l.lastErr,
		Dropped: l.queue.Dropped() + l.oversized.Load(),
	}
	if l.connected {
		s.Formats = l.formats
		s.Speaks, _ = l.cfg.Formats.Messages.Common(l.formats.Messages)
	}
	return s
}

// newestTLS is a copy of the newest Config.TLS.
func (c *Config) newestTLS() *tls.Config {
	if c.RenewTLS != nil {
		return c.RenewTLS().Clone()
	}
	return c.TLS.Clone()
}

// serverTLS and clientTLS are the newest Config.TLS for the two sides. A session is not resumed:
// each handshake shows a certificate, which the present authority must have signed.
func (c *Config) serverTLS() *tls.Config {
	s := c.newestTLS()
	s.ClientAuth, s.ClientCAs, s.MinVersion = tls.RequireAndVerifyClientCert, s.RootCAs, tls.VersionTLS13
	s.SessionTicketsDisabled = true
	return s
}

func (c *Config) clientTLS(id paxos.NodeID) *tls.Config {
	s := c.newestTLS()
	s.ServerName, s.MinVersion = MemberName(c.Cell, id), tls.VersionTLS13
	return s
}
