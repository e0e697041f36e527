package server

import (
	"context"
	"maps"
	"time"

	"github.com/chubbycell/chubby/internal/transport/peer"
	"github.com/chubbycell/chubby/paxos"
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
	without := leaderless{since: time.Now()}
	disk, backup := hanging{after: hangingAfter, every: hangingEvery}, hanging{after: slowBackup, every: slowBackup}
	var told map[paxos.NodeID]byte
	for {
		state, err := s.replica.Load().Status(ctx)
		if err != nil {
			s.note(replica.Status{})
			s.stopClients(context.Background()) // they go to another replica, also while this one waits for its disk
			return                              // it has ended
		}
		s.note(state)
		if known := commandsKnown(s.peers.Status()); !maps.Equal(known, told) {
			if s.replica.Load().MembersKnow(ctx, known) == nil {
				told = known
			}
		}
		if d := without.note(state.Leader, time.Now()); d > 0 {
			s.log.Error("no leader is known: either the cell has none, and serves no calls, or this replica is cut off", "for", d.Round(time.Second), "members not reached", s.unreached())
		}
		switch d, isOver := disk.note(state.LogJob); {
		case isOver:
			s.log.Info("the disk answers again", "after", d.Round(time.Second))
		case d > 0:
			s.log.Error("the disk does not answer: a write of the log does not end, and this replica votes for nothing meanwhile", "for", d.Round(time.Second), "dir", s.cfg.Dir)
		}
		switch d, isOver := backup.note(state.BackupJob); {
		case isOver:
			s.log.Info("the backup that was under way has ended", "after", d.Round(time.Second))
		case d > 0:
			s.log.Warn("a backup does not end: backup_dir is slow or hangs, and this replica makes no other backup meanwhile", "for", d.Round(time.Second), "backup_dir", s.cfg.BackupDir)
		}
		select {
		case <-s.quit:
			s.clients.SetServing(false)
			return
		case <-tick.C:
		}
	}
}

// commandsKnown is the newest version of commands that the program of each connected peer knows.
func commandsKnown(links []peer.PeerStatus) map[paxos.NodeID]byte {
	known := map[paxos.NodeID]byte{}
	for _, l := range links {
		if l.Connected {
			known[l.ID] = l.Formats.Commands.Newest
		}
	}
	return known
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
	if was.Version != 0 && now.Version > was.Version {
		s.log.Info("the cell uses a newer version of commands, which all members know: a replica with an older program would stop", "version", now.Version)
	}
	if is := isFull(&now); is && !isFull(&was) {
		s.log.Warn("the limit of sessions is reached: no other client is let in", "sessions", now.Sessions, "limit", now.MostAlive)
	}
	switch {
	case now.Leader == was.Leader:
	case now.Leader == 0:
		s.log.Info("no leader is known", "was", was.Leader)
	default:
		s.log.Info("leader", "leader", now.Leader)
	}
}

// A replica that knows no leader says so in the log after a time in which a cell has another leader as a
// rule, and then again and again.
const (
	leaderlessAfter = 10 * time.Second
	leaderlessEvery = time.Minute
)

// leaderless says when the log is to have it that no leader is known.
type leaderless struct{ since, told time.Time }

// note takes in who leads, 0: none that is known. It returns how long there has been no leader if the log is
// to have that now, else 0.
func (l *leaderless) note(leader paxos.NodeID, now time.Time) time.Duration {
	if leader != 0 {
		l.since, l.told = now, time.Time{}
		return 0
	}
	d := now.Sub(l.since)
	if d < leaderlessAfter || !l.told.IsZero() && now.Sub(l.told) < leaderlessEvery {
		return 0
	}
	l.told = now
	return d
}

// A replica whose disk does not answer says so in the log after a time that no disk needs for a write, and
// then again and again.
const (
	hangingAfter = 10 * time.Second
	hangingEvery = time.Minute
)

// hanging says when the log is to have it that a job does not end, and that it has ended.
type hanging struct {
	after, every time.Duration // the age of a job when the log has it first, and between two lines
	was          time.Duration // the last age of the job
	told         time.Duration // the age that the log has; 0: none
}

// note takes in for how long the present job has been under way, 0: there is none. It returns that time if
// the log is to have it now, else 0; or how long a job took that the log has, and that is over.
func (h *hanging) note(job time.Duration) (d time.Duration, isOver bool) {
	was := h.was
	h.was = job
	if job < was && h.told > 0 {
		h.told = 0
		return was, true
	}
	if job < h.after || h.told > 0 && job-h.told < h.every {
		return 0, false
	}
	h.told = job
	return job, false
}

// unreached are the members that have no connection to this one.
func (s *Server) unreached() []paxos.NodeID {
	all := []paxos.NodeID{}
	for _, p := range s.peers.Status() {
		if !p.Connected {
			all = append(all, p.ID)
		}
	}
	return all
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
