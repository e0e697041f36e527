package server

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/replica"
)

// watchEvery is how often the replica is asked for its state.
const watchEvery = 50 * time.Millisecond

// watch keeps the state that the health service and the pages tell, and logs who is master.
func (s *Server) watch() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		state, err := s.replica.Load().Status(ctx)
		if err != nil {
			s.note(replica.Status{})
			return // it has ended
		}
		s.note(state)
		select {
		case <-s.quit:
			s.clients.SetServing(false)
			return
		case <-tick.C:
		}
	}
}

// note takes in the present state.
func (s *Server) note(now replica.Status) {
	s.mu.Lock()
	was := s.state
	s.state = now
	switch {
	case was.Leader == 0 && now.Leader != 0:
		close(s.leader)
	case was.Leader != 0 && now.Leader == 0:
		s.leader = make(chan struct{})
	}
	s.mu.Unlock()
	s.clients.SetServing(now.Leader != 0)
	switch {
	case now.Serving && !was.Serving:
		s.log.Info("is master", "epoch", now.Epoch)
	case was.Serving && !now.Serving:
		s.log.Info("is not master any more", "epoch", was.Epoch)
	}
	if is := isFull(&now); is && !isFull(&was) {
		s.log.Warn("the limit of sessions is reached: no other client is let in", "sessions", now.Sessions, "limit", now.MostAlive)
	}
	if now.Leader != was.Leader {
		s.log.Info("leader", "leader", now.Leader)
	}
}

// isFull reports whether this master opens no session because as many are alive as may be.
func isFull(s *replica.Status) bool { return s.Serving && s.Sessions >= s.MostAlive }

// Status is the state of the replica, a moment ago.
func (s *Server) Status() replica.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Ready waits until the replica knows a leader of its cell.
func (s *Server) Ready(ctx context.Context) error {
	s.mu.Lock()
	known := s.leader
	s.mu.Unlock()
	select {
	case <-known:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
