package torture

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chubbycell/chubby/client"
)

// session is one client of the cell: it lives through faults, and when its session is lost it
// gets another one.
type session struct {
	number int
	target string
	links  []*link      // to the replicas, in the order of their ids
	holds  atomic.Int64 // locks with a lock-delay of some length
	silent atomic.Bool  // it is to be cut off, and gives up no lock until it is heard again
	times  client.Config

	mu     sync.Mutex
	cl     *client.Client // nil: there is none
	life   int
	lost   int // sessions
	closed bool
}

// calm and eager clients ask again sooner than a default one: faults are short here. An eager
// one finds a new master within some milliseconds.
var (
	calm  = client.Config{AnswerWait: 150 * time.Millisecond, RetryMax: 600 * time.Millisecond, Cache: client.Cache{Off: true}}
	eager = client.Config{AnswerWait: 25 * time.Millisecond, RetryMax: 80 * time.Millisecond, Cache: client.Cache{Off: true}}
)

// client is the present client, and its number. It dials until ctx ends.
func (s *session) client(ctx context.Context) (*client.Client, int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.cl == nil {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		if s.closed {
			return nil, 0, client.ErrClosed
		}
		short, cancel := context.WithTimeout(ctx, 5*time.Second)
		cl, err := client.Dial(short, s.target, client.WithConfig(s.times))
		cancel()
		if err != nil {
			pause(ctx, 20*time.Millisecond)
			continue
		}
		s.cl = cl
		s.life++
	}
	return s.cl, s.life, nil
}

// met has a client thrown away whose session a call found to be over.
func (s *session) met(life int, err error) {
	if !errors.Is(err, client.ErrSessionExpired) && !errors.Is(err, client.ErrClosed) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life == life && s.cl != nil {
		s.lost++
		s.leave()
	}
}

// leave closes the client. The caller has the lock.
func (s *session) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.cl.Close(ctx) // what is not said expires at the cell
	s.cl = nil
}

// close ends the session for good.
func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.cl != nil {
		s.leave()
	}
}

// status is what the client knows of the cell.
func (s *session) status() (st client.Status, ok bool) {
	if !s.mu.TryLock() { // it dials
		return st, false
	}
	defer s.mu.Unlock()
	if s.cl == nil {
		return st, false
	}
	return s.cl.Status(), true
}

// cut stops all between the client and the replicas, or lets it go on.
func (s *session) cut(cut bool) {
	for _, l := range s.links {
		l.cut(forth, cut)
		l.cut(back, cut)
	}
}
