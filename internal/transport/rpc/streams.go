package rpc

import (
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/transport/queue"
	"github.com/chubbycell/chubby/replica/api"
)

// client is a stream that was admitted.
type client struct {
	id uint64
	caller
	out    *queue.Queue
	speaks byte          // the version of messages on the stream; only carry uses it
	gone   chan struct{} // closed when another one gets its place
}

// leaveWithin is how long a stream may wait for a client that does not read when another one has got its place. Ended by
// its context, it tells the client no reason.
const leaveWithin = time.Second

// streams are those of all clients. The lock of the Server guards them.
type streams struct {
	last uint64 // the newest one
	open map[uint64]*client
	of   tally
}

func newStreams() streams { return streams{open: map[uint64]*client{}, of: tally{}} }

// tally counts what principals have.
type tally map[api.Principal]int

// add counts one more of a principal, or, with -1, one less.
func (t tally) add(who api.Principal, n int) {
	if t[who] += n; t[who] == 0 {
		delete(t, who)
	}
}

// aboveAll is the principal that has the most, if that is more than another one would have with one more.
func (t tally) aboveAll(newcomer api.Principal) (who api.Principal, ok bool) {
	most := t[newcomer] + 1
	for p, n := range t {
		if n > most || n == most && ok && p < who {
			who, most, ok = p, n, true
		}
	}
	return who, ok
}

// admit gives a caller a stream. If there are as many as may be, the newest one of the principal with the most makes
// room, unless the caller's has no fewer: the streams of one principal, however many it opens, keep no other out.
func (s *Server) admit(from caller) (*client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &client{caller: from, gone: make(chan struct{})}
	if n := len(s.streams.open); n >= s.cfg.MaxClients {
		most, ok := s.streams.of.aboveAll(from.who)
		if !ok {
			return c, status.Errorf(codes.ResourceExhausted, "%d clients are connected to replica %d, which is its limit", n, s.cfg.Replica)
		}
		old := s.streams.newestOf(most)
		s.streams.remove(old)
		close(old.gone)
		time.AfterFunc(leaveWithin, old.end)
	}
	s.streams.last++
	c.id, c.out = s.streams.last, s.waiting.New(queueItems, queueBytes)
	s.streams.open[c.id] = c
	s.streams.of.add(c.who, 1)
	return c, nil
}

// newestOf is the newest stream of a principal that has one.
func (t *streams) newestOf(who api.Principal) (newest *client) {
	for _, c := range t.open {
		if c.who == who && (newest == nil || c.id > newest.id) {
			newest = c
		}
	}
	return newest
}

// remove takes a stream out, if it is there.
func (t *streams) remove(c *client) {
	if t.open[c.id] == c {
		c.out.Close()
		delete(t.open, c.id)
		t.of.add(c.who, -1)
	}
}

func (s *Server) leave(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams.remove(c)
}
