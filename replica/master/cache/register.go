package cache

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Register registers a session for the paths on which an answer depends that it gets now, so that its
// client may keep the answer. It returns the number of the session's last drop, which the answer must
// carry. ok is false, and the client may not keep the answer, if a change holds one of the paths, the
// session has yet to drop all, or there is no room.
func (t *Table) Register(id api.SessionID, seq api.Seq, paths []api.Path) (last api.DropNumber, ok bool) {
	s := t.session(id)
	if t.isHeld(paths) || s.all > 0 || !t.hasRoom(s, paths) {
		t.count.Refused++
		return 0, false
	}
	for _, p := range paths {
		t.register(id, s, p, seq)
	}
	t.count.Registered++
	return s.last, true
}

func (t *Table) session(id api.SessionID) *session {
	s := t.sessions[id]
	if s == nil {
		s = &session{paths: map[api.Path]*registration{}}
		t.sessions[id] = s
	}
	return s
}

func (t *Table) register(id api.SessionID, s *session, p api.Path, seq api.Seq) {
	r := s.paths[p]
	switch {
	case r == nil:
		r = &registration{}
		s.paths[p] = r
		if t.paths[p] == nil {
			t.paths[p] = map[api.SessionID]*registration{}
		}
		t.paths[p][id] = r
		t.total++
		s.clean++
	case r.drop > 0:
		s.clean++
	}
	r.made, r.seq, r.drop = s.last, max(r.seq, seq), 0
}

// hasRoom reports whether these paths may be registered.
func (t *Table) hasRoom(s *session, paths []api.Path) bool {
	return !t.isOver(s, paths) && t.total+s.countFresh(paths) <= t.limits.Total
}

// isOver reports whether a session would exceed its limit with these paths.
func (t *Table) isOver(s *session, paths []api.Path) bool {
	more := s.countFresh(paths)
	for _, p := range paths {
		if r := s.paths[p]; r != nil && r.drop > 0 {
			more++
		}
	}
	return s.clean+len(s.pending)-s.locks+more > t.limits.PerSession
}

func (s *session) countFresh(paths []api.Path) (n int) {
	for _, p := range paths {
		if s.paths[p] == nil {
			n++
		}
	}
	return n
}

// IsFull reports whether a session has no room for these paths, would have room if it dropped all that
// it has, and has not been told to do so.
func (t *Table) IsFull(id api.SessionID, paths []api.Path) bool {
	s := t.sessions[id]
	return s != nil && s.all == 0 && s.clean > 0 && t.isOver(s, paths)
}

// DropAll queues a drop of all that a session may have, and returns its number.
func (t *Table) DropAll(now time.Time, id api.SessionID) api.DropNumber {
	s := t.sessions[id]
	n := t.queue(now, s, api.Path{})
	s.all, s.clean = n, 0
	for _, r := range s.paths { // order-free: each is looked at alone
		if r.drop == 0 {
			r.drop = n
		}
	}
	t.count.All++
	return n
}

// queue numbers the next drop of a session.
func (t *Table) queue(now time.Time, s *session, p api.Path) api.DropNumber {
	s.last++
	t.pending++
	s.pending = append(s.pending, pending{number: s.last, path: p, queued: now})
	return s.last
}
