package peer

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/chubbycell/chubby/internal/transport/reach"
	"github.com/chubbycell/chubby/paxos"
)

// Config is what a Transport is built from.
type Config struct {
	Cell     string                  // name of the cell, 1 to 255 bytes, equal at all members
	Self     paxos.NodeID            // this replica
	Peers    map[paxos.NodeID]string // host:port of each other member
	Listener net.Listener            // the Transport closes it

	// Deliver takes a datagram and its sender. It must not block, and owns wire. Several
	// goroutines call it.
	Deliver func(from paxos.NodeID, wire []byte)

	// Disk is that of this replica, which its peers are told.
	Disk Disk
	// Meet is told the disk of a peer before a connection with it is used, at either end. An error refuses
	// the peer, which is told the text. It may block on a file for as long as a handshake may take; several
	// goroutines call it. nil: peers may have any disk.
	Meet func(from paxos.NodeID, disk Disk) error

	// Identity gives the identity of the cell that this replica has the rows of, 0 as long as it has those of none; from
	// then on it does not change. Peers with another identity are refused. Several goroutines call it, for each
	// datagram that comes; it must not block. nil: it is always 0.
	Identity func() Identity

	// Formats are those that the program of this replica knows. A peer with which it has none in common is refused. The
	// zero value stands for the versions that programs knew before they said any.
	Formats Formats
	// Translate returns a datagram in an older version of Formats.Messages, for a peer that does not know the newest one,
	// in which Send gets all. It must not write to wire; several goroutines call it. An error ends the connection. It is
	// needed if Formats.Messages has more than one version.
	Translate func(wire []byte, to byte) ([]byte, error)
	// CommandsInUse gives the version of the commands of the log that the cell uses, as far as this replica knows. It never
	// falls. Peers that do not know it are refused. Several goroutines call it; it must not block. nil: it is always 0.
	CommandsInUse func() byte

	// TLS holds the certificate of this replica, and the authority of those of all members
	// (RootCAs); see MemberName. The Transport sets the rest. nil: plain connections.
	TLS *tls.Config
	// RenewTLS gives what is to be used in place of TLS at the next handshake, for certificates
	// that are renewed; it never returns nil. nil: TLS is used.
	RenewTLS func() *tls.Config
	// AllowPlain permits plain connections beyond the loopback interface.
	AllowPlain bool

	MaxFrame   int          // bytes of one datagram, at most; 0: 4 MiB
	QueueItems int          // datagrams that wait for one peer, at most; 0: 4096
	QueueBytes int          // bytes that wait for one peer, at most; 0: 16 MiB
	Logger     *slog.Logger // nil: nothing is logged

	timing timing
}

// timing is how long things may take; tests make it shorter.
type timing struct {
	lookup                 time.Duration // of the name of a host
	dial, handshake, write time.Duration
	alive, silence         time.Duration // a sign of life is sent after this; a connection is closed after that
	backoffMin, backoffMax time.Duration
	flush                  time.Duration // what Close gives the queues to empty
	maxAccepted            int           // accepted connections, at most
}

func defaultTiming(peers int) timing {
	return timing{
		lookup: reach.LookupTime, dial: 3 * time.Second, handshake: 5 * time.Second, write: 10 * time.Second,
		alive: 3 * time.Second, silence: 15 * time.Second,
		backoffMin: 50 * time.Millisecond, backoffMax: 2 * time.Second,
		flush: 200 * time.Millisecond, maxAccepted: 16 + 4*peers,
	}
}

// MemberName is the DNS name that the certificate of a member carries.
func MemberName(cell string, id paxos.NodeID) string { return fmt.Sprintf("replica-%d.%s", id, cell) }

// validate returns all faults at once, joined, or nil.
func (c *Config) validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf("peer transport: "+format, args...))
		}
	}
	fault(c.Cell == "" || len(c.Cell) > maxCell, "cell name %q has %d bytes; 1 to %d", c.Cell, len(c.Cell), maxCell)
	fault(c.Self == 0, "the id of this replica is 0")
	fault(c.Listener == nil, "no listener")
	fault(c.Deliver == nil, "no Deliver")
	f := c.Formats
	fault(f != Formats{} && (f.Messages.IsEmpty() || f.Commands.IsEmpty()), "Formats has a range without versions")
	fault(f.Messages.Oldest != f.Messages.Newest && c.Translate == nil, "Formats has messages of several versions, and there is no Translate")
	fault(c.MaxFrame < 0 || c.QueueItems < 0 || c.QueueBytes < 0, "a limit is negative")
	for _, id := range slices.Sorted(maps.Keys(c.Peers)) {
		_, _, err := net.SplitHostPort(c.Peers[id])
		fault(id == 0 || id == c.Self, "replica %d is listed among its peers, or a peer has the id 0", id)
		fault(err != nil, "address of replica %d: %v; give host:port", id, err)
	}
	if c.Listener != nil && c.TLS == nil && !c.AllowPlain {
		fault(!isLoopback(c.Listener.Addr()), "%v is not a loopback address, and connections are plain: configure TLS, or allow plain connections if the network is trusted", c.Listener.Addr())
	}
	return errors.Join(faults...)
}

func (c *Config) setDefaults() {
	set := func(n *int, to int) {
		if *n == 0 {
			*n = to
		}
	}
	set(&c.MaxFrame, 4<<20)
	set(&c.QueueItems, 4096)
	set(&c.QueueBytes, 16<<20)
	if c.Formats == (Formats{}) {
		c.Formats = unsaid
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.timing == (timing{}) {
		c.timing = defaultTiming(len(c.Peers))
	}
}

// isLoopback reports whether an address is reached from this machine only.
func isLoopback(a net.Addr) bool {
	switch a := a.(type) {
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return false
}
