package calls

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// Table holds the calls that one master works on, in one epoch. One goroutine owns it.
// Make it with New.
type Table struct {
	sessions map[api.SessionID]*session // those with a call or a kept answer
	acked    map[api.SessionID]api.Seq  // the client has acknowledged all calls up to this one; never 0
	opening  map[Key]*Call              // requests that open a session
	totals   totals
}

// session holds the calls and kept answers of one session. An idle session has no entry.
type session struct {
	calls  []*Call // by Seq; a slice, since most sessions have at most one and a map is large
	kept   []kept  // by Seq
	counts counts
}

// kept is the answer to a call, for duplicates that come later.
type kept struct {
	seq    api.Seq
	answer api.Result
}

func (s *session) find(seq api.Seq) (int, bool) {
	return slices.BinarySearchFunc(s.calls, seq, func(c *Call, seq api.Seq) int { return cmp.Compare(c.Seq, seq) })
}

// get returns the entry of a call; nil if there is none.
func (s *session) get(seq api.Seq) *Call {
	if i, ok := s.find(seq); ok {
		return s.calls[i]
	}
	return nil
}

// findKept returns the index of the kept answer to a call, or where it would be inserted.
func (s *session) findKept(seq api.Seq) (int, bool) {
	return slices.BinarySearchFunc(s.kept, seq, func(k kept, seq api.Seq) int { return cmp.Compare(k.seq, seq) })
}

func (s *session) put(c *Call) {
	i, ok := s.find(c.Seq)
	if ok {
		s.calls[i] = c
		return
	}
	s.calls = slices.Insert(s.calls, i, c)
}

func (s *session) remove(seq api.Seq) {
	if i, ok := s.find(seq); ok {
		s.calls = slices.Delete(s.calls, i, i+1)
	}
}

// New returns an empty table.
func New() *Table {
	return &Table{sessions: map[api.SessionID]*session{}, acked: map[api.SessionID]api.Seq{}, opening: map[Key]*Call{}, totals: newTotals()}
}

func (t *Table) session(id api.SessionID) *session {
	s, ok := t.sessions[id]
	if !ok {
		s = &session{}
		t.sessions[id] = s
	}
	return s
}

// Get returns the entry of a request; nil if there is none.
func (t *Table) Get(k Key) *Call {
	if k.Session == 0 {
		return t.opening[k]
	}
	return t.Of(k.Session, k.Seq)
}

// Of returns the entry of a call by session and Seq; nil if there is none.
func (t *Table) Of(id api.SessionID, seq api.Seq) *Call {
	if s, ok := t.sessions[id]; ok {
		return s.get(seq)
	}
	return nil
}

// Await makes the answer to a call go to this duplicate. It makes the entry if there is none.
func (t *Table) Await(k Key, to Destination) *Call {
	c := t.Get(k)
	if c == nil {
		c = &Call{Key: k}
		t.insert(c)
	}
	t.count(c, -1)
	c.To, c.Awaited = to, true
	t.count(c, +1)
	return c
}

// Reply returns where an answer to the call goes; ok is false if no duplicate waits for it. After a
// final answer none waits.
func (t *Table) Reply(c *Call, final bool) (to Destination, ok bool) {
	if !c.Awaited {
		return Destination{}, false
	}
	if final {
		t.count(c, -1)
		c.Awaited = false
		t.count(c, +1)
		t.tidy(c)
	}
	return c.To, true
}

// Log moves a call on a row to Logged. The caller puts its command into the queue.
func (t *Table) Log(c *Call) { t.move(c, Logged, Attempt{}) }

// Propose moves a call on a node to Proposed; a says what its command would do.
func (t *Table) Propose(c *Call, a Attempt) {
	t.move(c, Proposed, a)
}

// Park moves an Acquire to Parked: it waits for its lock.
func (t *Table) Park(c *Call) { t.move(c, Parked, c.Attempt) }

// Hold moves an Open to Held: it waits for a sweep of p.
func (t *Table) Hold(c *Call, p api.Path) {
	t.move(c, Held, Attempt{Path: p})
}

// Bar moves a change to Barred: it waits until clients have dropped the paths that it touches.
func (t *Table) Bar(c *Call, a Attempt) { t.move(c, Barred, a) }

// Keep stores the answer to a call that stands in no row, so that later duplicates get the same answer
// and are not judged again. It moves the call to Undecided.
func (t *Table) Keep(c *Call, r api.Result) {
	s := t.session(c.Session)
	i, ok := s.findKept(c.Seq)
	if !ok {
		s.kept = slices.Insert(s.kept, i, kept{seq: c.Seq})
		t.totals.kept++
	}
	s.kept[i].answer = r
	t.move(c, Undecided, c.Attempt)
}

// Kept returns the answer that is kept for duplicates of a call of a session.
func (t *Table) Kept(k Key) (r api.Result, ok bool) {
	s := t.sessions[k.Session]
	if s == nil {
		return api.Result{}, false
	}
	i, ok := s.findKept(k.Seq)
	if !ok {
		return api.Result{}, false
	}
	return s.kept[i].answer, true
}

// forget drops the answers of a session that are kept for calls up to this one.
func (t *Table) forget(id api.SessionID, through api.Seq) {
	s := t.sessions[id]
	if s == nil {
		return
	}
	i, ok := s.findKept(through)
	if ok {
		i++
	}
	t.totals.kept -= i
	if s.kept = slices.Delete(s.kept, 0, i); len(s.kept) == 0 {
		s.kept = nil
		t.tidySession(id, s)
	}
}

// Decide moves a call to Undecided: the caller answers it, decides it anew or forgets it.
func (t *Table) Decide(c *Call) { t.move(c, Undecided, c.Attempt) }

// Enqueue notes that the command of a call has joined the queue of a principal. It panics if a
// command of the call is under way already (I-C4).
func (t *Table) Enqueue(k Key, who api.Principal) {
	c := t.Get(k)
	if c == nil {
		c = &Call{Key: k}
	}
	if c.Place != Nowhere {
		invariant.Failf("I-C4", "call %d of session %d has a command already, and its share would count one for ever", k.Seq, k.Session)
	}
	c.Share = who
	t.place(c, InQueue)
}

// Take notes that the command of a call has left the queue for the log.
func (t *Table) Take(k Key) {
	if c := t.Get(k); c != nil {
		t.place(c, InLog)
	}
}

// Applied notes that the command of a call is no longer in the queue or the log: it was applied, or
// the log did not take it, or it was given up. It returns the principal in whose queue the command
// was; ok is true if it had left the queue for the log.
func (t *Table) Applied(k Key) (who api.Principal, ok bool) {
	c := t.Get(k)
	if c == nil {
		return "", false
	}
	ok = c.Place == InLog
	t.place(c, Nowhere)
	return c.Share, ok
}

func (t *Table) move(c *Call, to State, a Attempt) {
	t.insert(c)
	t.count(c, -1)
	c.State, c.Attempt = to, a
	t.count(c, +1)
	t.tidy(c)
}

func (t *Table) place(c *Call, p Place) {
	t.insert(c)
	t.count(c, -1)
	c.Place = p
	t.count(c, +1)
	t.tidy(c)
}

// insert makes sure that a call that is about to change has its entry.
func (t *Table) insert(c *Call) {
	if c.Session == 0 {
		t.opening[c.Key] = c
		return
	}
	t.session(c.Session).put(c)
}

// isEmpty reports whether an entry has nothing more to say, and may be removed.
func (c *Call) isEmpty() bool {
	return c.State == Undecided && !c.Awaited && c.Place == Nowhere
}

// tidy removes an empty entry, and a session without calls and kept answers.
func (t *Table) tidy(c *Call) {
	if !c.isEmpty() {
		return
	}
	if c.Session == 0 {
		delete(t.opening, c.Key)
		return
	}
	if s := t.sessions[c.Session]; s != nil {
		if s.remove(c.Seq); len(s.calls) == 0 {
			s.calls = nil
		}
		t.tidySession(c.Session, s)
	}
}

func (t *Table) tidySession(id api.SessionID, s *session) {
	if len(s.calls) == 0 && len(s.kept) == 0 {
		delete(t.sessions, id)
	}
}

// Acked returns the highest Seq up to which the client of a session has acknowledged its calls.
func (t *Table) Acked(id api.SessionID) api.Seq { return t.acked[id] }

// Ack notes that the client of a session has acknowledged its calls up to this one: it has their
// answers, or has given them up. Their kept answers are forgotten. Ack reports whether that is news.
func (t *Table) Ack(id api.SessionID, through api.Seq) bool {
	if through <= t.acked[id] {
		return false
	}
	t.acked[id] = through
	t.forget(id, through)
	return true
}

// OnNodes lists the calls on nodes of a session that are under way, by Seq.
func (t *Table) OnNodes(id api.SessionID) (all []*Call) {
	s, ok := t.sessions[id]
	if !ok || s.counts.onNodes == 0 {
		return nil // usual: most calls are answered at once
	}
	for _, c := range s.calls {
		if c.State.onNode() {
			all = append(all, c)
		}
	}
	return all
}

// EndSession forgets the kept answers and the acknowledgement of a session that has ended. Its calls
// with a command on the way stay until that is applied.
func (t *Table) EndSession(id api.SessionID) {
	t.forget(id, math.MaxUint64)
	delete(t.acked, id)
}

// Remembers reports whether the table has something of a session that must go when it ends: calls on
// nodes that are under way, kept answers, or its acknowledgement.
func (t *Table) Remembers(id api.SessionID) bool {
	s, ok := t.sessions[id]
	return t.acked[id] > 0 || ok && (s.counts.onNodes > 0 || len(s.kept) > 0)
}

// Sessions lists the sessions of which the table knows something, in order.
func (t *Table) Sessions() []api.SessionID {
	all := slices.AppendSeq(slices.Collect(maps.Keys(t.sessions)), maps.Keys(t.acked))
	slices.Sort(all)
	return slices.Compact(all)
}

// Awaited lists the calls with a duplicate that waits for the answer, by key.
func (t *Table) Awaited() (all []*Call) {
	for c := range t.all() {
		if c.Awaited {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *Call) int { return a.Compare(b.Key) })
	return all
}

// all yields every entry, in no order.
func (t *Table) all() func(yield func(*Call) bool) {
	return func(yield func(*Call) bool) {
		for _, c := range t.opening { // order-free: the callers count or sort
			if !yield(c) {
				return
			}
		}
		for _, s := range t.sessions { // order-free: the callers count or sort
			for _, c := range s.calls {
				if !yield(c) {
					return
				}
			}
		}
	}
}
