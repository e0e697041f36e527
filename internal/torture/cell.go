package torture

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// cell is the replicas of a run and the links between them.
type cell struct {
	cfg     *Config
	servers []*server
	peers   map[[2]int]*link // by sender and receiver
	broken  func(property, format string, args ...any)
	clients [][]*link // of each client those to the replicas, in the order of their ids
}

// server is one replica, over all its lives.
type server struct {
	id      int // from 1
	config  string
	log     *os.File
	full    string // while this file exists its disk is full
	applied string
	peerAt  string // where it listens
	callAt  string

	mu    sync.Mutex
	p     *process // nil: none was started
	lives int
}

// newCell prepares the replicas and starts none. The cell is to be stopped also if there is an error.
func newCell(cfg *Config, broken func(property, format string, args ...any)) (*cell, error) {
	c := &cell{cfg: cfg, peers: map[[2]int]*link{}, broken: broken}
	addrs, err := freeAddrs(2 * cfg.Replicas)
	if err != nil {
		return c, err
	}
	for i := range cfg.Replicas {
		name := func(kind string) string { return filepath.Join(cfg.Dir, fmt.Sprintf("replica-%d%s", i+1, kind)) }
		s := &server{
			id: i + 1, config: name(".yaml"), full: name(".full"), applied: name(".applied"),
			peerAt: addrs[2*i], callAt: addrs[2*i+1],
		}
		if s.log, err = os.OpenFile(name(".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
			return c, err
		}
		if err := os.WriteFile(s.applied, nil, 0o600); err != nil { // to be read before it is written
			return c, err
		}
		c.servers = append(c.servers, s)
	}
	for _, s := range c.servers {
		if err := c.configure(s); err != nil {
			return c, err
		}
	}
	return c, nil
}

// freeAddrs are addresses of the loopback interface below the ports that systems give to
// connections, and above those of tests, so that none is taken while its replica is down.
func freeAddrs(n int) (addrs []string, err error) {
	for try := 0; len(addrs) < n; try++ {
		addr := fmt.Sprintf("127.0.0.1:%d", 22_000+rand.IntN(10_000))
		ln, failed := net.Listen("tcp", addr)
		if failed != nil {
			if try > 1000 {
				return nil, failed
			}
			continue
		}
		defer ln.Close() // until all are found
		addrs = append(addrs, addr)
	}
	return addrs, nil
}

// configure writes the configuration of a replica, which reaches each other one by a link.
func (c *cell) configure(s *server) error {
	var members strings.Builder
	for _, other := range c.servers {
		at := s.peerAt
		if other != s {
			l, err := newLink(other.peerAt)
			if err != nil {
				return err
			}
			c.peers[[2]int{s.id, other.id}] = l
			at = l.addr()
		}
		fmt.Fprintf(&members, "  %d: %s\n", other.id, at)
	}
	text := fmt.Sprintf("cell: torture\nid: %d\nmembers:\n%slisten_peers: %s\nlisten_clients: %s\ndir: %s\nsession_lease: %v\n",
		s.id, members.String(), s.peerAt, s.callAt, filepath.Join(c.cfg.Dir, fmt.Sprintf("replica-%d", s.id)), c.cfg.Lease)
	return os.WriteFile(s.config, []byte(text), 0o600)
}

// start starts a replica that does not run.
func (c *cell) start(s *server) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	args := []string{"serve", "--config", s.config, "--full-while", s.full, "--applied-to", s.applied}
	if c.cfg.Volatile {
		args = append(args, "--unsynced-in-memory")
	}
	if s.lives == 0 {
		args = append(args, "--bootstrap")
	}
	s.lives++
	fmt.Fprintf(s.log, "== life %d: %s %s\n", s.lives, c.cfg.Server, strings.Join(args, " "))
	p, err := startProcess(s.log, c.cfg.Server, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", c.cfg.Server, err)
	}
	s.p = p
	go func() {
		<-p.ended
		if !p.excused.Load() {
			c.broken("S17", "replica %d ended by itself, with exit code %d; the end of %s:\n  %s", s.id, p.code(), s.log.Name(), lastLine(s.log.Name()))
		}
	}()
	return nil
}

// lastLine is the end of a log, as far as it is of use in a report.
func lastLine(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	last := lines[len(lines)-1]
	return last[:min(len(last), 500)]
}

// excuse says that the present process of a replica may end, and returns it; nil: there is none.
func (s *server) excuse() *process {
	p := s.process()
	if p != nil {
		p.excused.Store(true)
	}
	return p
}

// process is the present one of a replica; nil: none was started.
func (s *server) process() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.p
}

// clientLinks are links to all replicas for one client, and how it dials them.
func (c *cell) clientLinks() (target string, links []*link, err error) {
	var all []string
	defer func() { c.clients = append(c.clients, links) }() // also if one failed: stop closes them
	for _, s := range c.servers {
		l, err := newLink(s.callAt)
		if err != nil {
			return "", links, err
		}
		links = append(links, l)
		all = append(all, fmt.Sprintf("%d=%s", s.id, l.addr()))
	}
	return strings.Join(all, ","), links, nil
}

// cutPeers stops what a replica sends to the others, or is sent, or lets it go on.
func (c *cell) cutPeers(s *server, way Way, cut bool) {
	for ends, l := range c.peers { // order-free: all of them
		if ends[0] == s.id && way != In || ends[1] == s.id && way != Out {
			l.cut(forth, cut)
		}
	}
}

// cutClients stops what all clients send to a replica, or it to them, or lets it go on.
func (c *cell) cutClients(s *server, way Way, cut bool) {
	for _, links := range c.clients {
		l := links[s.id-1]
		if way != Out {
			l.cut(forth, cut)
		}
		if way != In {
			l.cut(back, cut)
		}
	}
}

// stop ends all replicas, and waits for them.
func (c *cell) stop() {
	for _, s := range c.servers {
		if p := s.excuse(); p != nil {
			p.kill()
			<-p.ended
		}
	}
	for _, l := range c.peers {
		l.close()
	}
	for _, links := range c.clients {
		for _, l := range links {
			l.close()
		}
	}
	for _, s := range c.servers {
		s.log.Close()
	}
}
