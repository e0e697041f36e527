// Package dnstest is concurrent, and test support: a DNS server on the loopback interface, whose records a test sets.
package dnstest

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// Server answers questions for A, AAAA and SRV records by UDP. Its methods are safe for concurrent use.
type Server struct {
	Addr string // host:port

	mu       sync.Mutex
	hosts    map[string][]netip.Addr     // by name, without a dot at its end
	services map[string][]netip.AddrPort // of hosts that are named by their address
	fails    int                         // questions that fail from now on; negative: all
	asked    map[string]int              // questions, by name
}

// New starts a server without records. It ends with the test.
func New(t *testing.T) *Server {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &Server{
		Addr: conn.LocalAddr().String(), hosts: map[string][]netip.Addr{}, services: map[string][]netip.AddrPort{}, asked: map[string]int{},
	}
	done := make(chan struct{})
	go func() { defer close(done); s.serve(conn) }()
	t.Cleanup(func() { conn.Close(); <-done })
	return s
}

// Resolver asks the server at an address, and no other one.
func Resolver(addr string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", addr)
	}}
}

// Resolver asks this server.
func (s *Server) Resolver() *net.Resolver { return Resolver(s.Addr) }

// SetHosts replaces the A and AAAA records of a name; without addresses, the name is absent.
func (s *Server) SetHosts(name string, addrs ...string) {
	all := make([]netip.Addr, len(addrs))
	for i, addr := range addrs {
		all[i] = netip.MustParseAddr(addr)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hosts[name] = all
}

// SetServices replaces the SRV records of a name, such as _chubby._tcp.example.net. Each has the port of an address, and
// a host of its own, whose record has the rest of the address.
func (s *Server) SetServices(name string, addrs ...string) {
	all := make([]netip.AddrPort, len(addrs))
	for i, addr := range addrs {
		all[i] = netip.MustParseAddrPort(addr)
		s.SetHosts(hostOf(all[i].Addr()), all[i].Addr().String())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.services[name] = all
}

// hostOf is a name that stands for an address.
func hostOf(addr netip.Addr) string {
	return "at-" + strings.NewReplacer(".", "-", ":", "-").Replace(addr.String()) + ".test"
}

// Fail has as many questions answered with SERVFAIL from now on; negative: all.
func (s *Server) Fail(questions int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = questions
}

// Asked counts the questions about a name.
func (s *Server) Asked(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[name]
}

func (s *Server) serve(conn net.PacketConn) {
	buf := make([]byte, 1<<16)
	for {
		n, from, err := conn.ReadFrom(buf)
		if err != nil {
			return // closed
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		if wire, err := s.answer(&m).Pack(); err == nil {
			_, _ = conn.WriteTo(wire, from) // a resolver asks again
		}
	}
}

func (s *Server) answer(m *dnsmessage.Message) *dnsmessage.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := m.Questions[0]
	name := strings.TrimSuffix(q.Name.String(), ".")
	s.asked[name]++
	p := &dnsmessage.Message{
		Header:    dnsmessage.Header{ID: m.ID, Response: true, Authoritative: true, RecursionDesired: m.RecursionDesired, RecursionAvailable: true},
		Questions: m.Questions,
	}
	if s.fails != 0 {
		s.fails = max(-1, s.fails-1)
		p.RCode = dnsmessage.RCodeServerFailure
		return p
	}
	if len(s.hosts[name]) == 0 && len(s.services[name]) == 0 {
		p.RCode = dnsmessage.RCodeNameError
		return p
	}
	add := func(body dnsmessage.ResourceBody) {
		p.Answers = append(p.Answers, dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: body})
	}
	for _, addr := range s.hosts[name] {
		switch {
		case q.Type == dnsmessage.TypeA && addr.Is4():
			add(&dnsmessage.AResource{A: addr.As4()})
		case q.Type == dnsmessage.TypeAAAA && addr.Is6():
			add(&dnsmessage.AAAAResource{AAAA: addr.As16()})
		}
	}
	for _, at := range s.services[name] {
		if q.Type == dnsmessage.TypeSRV {
			add(&dnsmessage.SRVResource{Port: at.Port(), Target: dnsmessage.MustNewName(hostOf(at.Addr()) + ".")})
		}
	}
	return p
}
