package nodeops_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/cache"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/event"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// twin is a world with clients, and what they and an omniscient observer know. The
// network between the clients and Ops loses answers and copies requests; the log is slow
// and sometimes takes nothing.
type twin struct {
	*world
	rt      *rapid.T
	sealer  handle.Sealer
	full    bool // the log takes nothing
	clients map[api.SessionID]*client
	handles map[api.HandleID]*open
	sent    map[name]*sent
	until   map[api.Ref]time.Time // no handle gets the lock before this
	began   api.Number            // of the command that began the epoch
	serving time.Time             // when the epoch began to serve
	swept   bool                  // SweepAfter is over, and Ops was told
}

type client struct {
	id    api.SessionID
	next  api.Seq
	seen  api.Seq
	ended bool
}

// open is a handle that a client was told of, perhaps in an answer that was lost.
type open struct {
	handle.Handle
	token    api.Token
	told     bool // its client has the token
	live     bool // it is open in Ops
	maybe    bool // it is older than the epoch, and may have been recreated
	closing  bool // its client has asked to close it
	over     bool // its CloseHandle was answered
	poisoned bool
	forgot   bool // its client does not know it any more
	holds    api.Acquisition
	mode     api.Mode
	released map[api.Acquisition]bool
}

// sent is a call, as its client knows it.
type sent struct {
	calls.Request
	epoch  api.Epoch // of the last copy
	on     *open
	over   bool        // its client has the answer
	given  bool        // its client has given it up: cancelled
	said   *api.Result // the final answer that was given in this epoch
	parked bool
	silent bool // a copy arrived in this epoch and was not answered yet

	dropped bool // its client was told since that it holds no lock on the node
}

func newTwin(t *rapid.T) *twin {
	cfg := nodeops.Config{
		Handles: handle.Limits{PerSession: 6, Total: 12, Closed: 6}, SweepAfter: time.Minute, Retry: 100 * time.Millisecond,
	}
	cfg.Queues.PerLock, cfg.Queues.Total = 4, 6
	cfg.Events = event.Limits{PerNode: 2, PerSession: 3, PerAnswer: 2}
	cfg.Caches = cache.Limits{PerSession: 5, Total: 12}
	s, err := handle.NewSealer(secret)
	require.NoError(t, err)
	w := &twin{world: newWorld(t, cfg), rt: t, sealer: s, clients: map[api.SessionID]*client{},
		handles: map[api.HandleID]*open{}, sent: map[name]*sent{}, until: map[api.Ref]time.Time{}}
	w.began, w.serving = 2, w.now
	w.said, w.refuses, w.applied = w.reply, func() bool { return w.full }, w.watch
	for range 3 {
		w.join()
	}
	return w
}

func (w *twin) join() {
	id := w.session("ann")
	w.clients[id] = &client{id: id}
}

// alive returns the clients whose sessions are alive, in order.
func (w *twin) alive() (all []*client) {
	for _, id := range slices.Sorted(maps.Keys(w.clients)) {
		if c := w.clients[id]; !c.ended {
			all = append(all, c)
		}
	}
	return all
}

func (w *twin) open() (all []*open) {
	for _, id := range slices.SortedFunc(maps.Keys(w.handles), api.HandleID.Compare) {
		all = append(all, w.handles[id])
	}
	return all
}

// usable returns the handles that a client may use.
func (w *twin) usable() (all []*open) {
	for _, h := range w.open() {
		if h.told && !h.closing && !h.forgot && !w.clients[h.Session].ended {
			all = append(all, h)
		}
	}
	return all
}

func (w *twin) calls(which func(*sent) bool) (all []*sent) {
	order := func(a, b name) int { return cmp.Or(cmp.Compare(a.session, b.session), cmp.Compare(a.seq, b.seq)) }
	for _, k := range slices.SortedFunc(maps.Keys(w.sent), order) {
		if s := w.sent[k]; which(s) {
			all = append(all, s)
		}
	}
	return all
}

// waitsFor reports whether a client waits for the answer to such a call by a handle.
func (w *twin) waitsFor(h *open, which func(api.Op) bool) bool {
	return len(w.calls(func(s *sent) bool { return s.on == h && !s.over && which(s.Op) })) > 0
}

func pick[T any](t *rapid.T, what string, all []T) T {
	if len(all) == 0 {
		t.Skip("none: " + what)
	}
	return all[rapid.IntRange(0, len(all)-1).Draw(t, what)]
}

// call sends a new call.
func (w *twin) call(id api.SessionID, on *open, op api.Op) *sent {
	c := w.clients[id]
	for w.sent[name{id, c.seen + 1}] != nil && w.sent[name{id, c.seen + 1}].over {
		c.seen++
	}
	c.next++
	s := &sent{Request: calls.Request{Session: id, Seq: c.next, Seen: c.seen, Op: op}, on: on}
	w.sent[name{id, c.next}] = s
	w.send(s)
	return s
}

// send delivers a copy.
func (w *twin) send(s *sent) {
	if s.epoch != w.guard() {
		s.epoch, s.said = w.guard(), nil
	}
	if h := s.on; h != nil && h.ID.Epoch != w.guard() && !h.live {
		h.maybe = true
	}
	if _, ok := s.Op.(api.CloseHandle); ok {
		s.on.live, s.on.maybe = false, false
	}
	if !s.over {
		s.silent = true
	}
	w.rt.Logf("send %d/%d: %s", s.Session, s.Seq, describe(s))
	w.ask(s.Request)
}

// describe prints a call without its token.
func describe(s *sent) string {
	if s.on == nil {
		return fmt.Sprintf("%+v", s.Op)
	}
	if a, ok := s.Op.(api.Acquire); ok {
		return fmt.Sprintf("%T %v %v wait: %t", s.Op, s.on.Handle, a.Mode, a.Wait)
	}
	return fmt.Sprintf("%T %v", s.Op, s.on.Handle)
}

func TestAgainstATwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newTwin(t)
		t.Repeat(map[string]func(*rapid.T){
			"open": w.actOpen, "open again": w.actOpen, "use": w.actUse, "acquire": w.actAcquire, "acquire too": w.actAcquire,
			"release": w.actRelease, "close": w.actClose, "poison": w.actPoison, "cancel": w.actCancel, "fence": w.actFence,
			"copy": w.actCopy, "copy again": w.actCopy, "hear": w.actHear, "session": w.actSession, "expire": w.actExpire, "fail over": w.actFailover,
			"apply": w.actApply, "apply some": w.actApplySome, "quiet": w.actQuiet, "time": w.actTime, "long time": w.actLongTime,
			"log":       func(t *rapid.T) { w.full = rapid.IntRange(0, 3).Draw(t, "full") == 0 },
			"authority": func(t *rapid.T) { w.authority = rapid.Bool().Draw(t, "authority") },
			"":          func(*rapid.T) { w.invariant() },
		})
		w.settle()
	})
}

func (w *twin) actQuiet(*rapid.T) { w.settle() }

// settle applies everything that is proposed. Then every call has an answer unless it waits for
// a lock that is held, and each ephemeral node is open by a session.
func (w *twin) settle() {
	full := w.full
	w.full = false
	w.drain()
	w.moment(w.cfg.Retry)
	w.drain()
	w.hearAll()
	require.Zero(w.rt, w.ops.Status().UnderWay)
	waits := map[api.Ref]bool{}
	for _, s := range w.calls(func(s *sent) bool { return !w.clients[s.Session].ended && s.epoch == w.guard() }) {
		require.False(w.rt, s.silent, "%+v was not answered", s)
		if s.parked {
			waits[s.on.Node] = true
		}
	}
	for _, d := range lock.Delays(w.db) {
		require.False(w.rt, w.ops.Wake().IsZero() || w.ops.Wake().After(w.now.Add(d.Length.Duration())), "no clock for %+v", d)
	}
	for n := range waits { // order-free: each is looked at alone
		require.False(w.rt, lock.Get(w.db, n).IsClaimable(api.Exclusive), "a call waits for %v", n)
	}
	w.ephemerals()
	require.NoError(w.rt, command.Audit(w.db))
	w.full = full
}

// hearAll delivers all events to their clients, and applies what is proposed then.
func (w *twin) hearAll() {
	for _, c := range w.alive() {
		for !c.ended && w.ops.HasEvents(c.id) {
			w.hear(c)
			w.drain()
		}
	}
	if slices.ContainsFunc(w.alive(), func(c *client) bool { return w.ops.HasEvents(c.id) }) {
		w.hearAll()
	}
}

func (w *twin) ephemerals() {
	held := map[api.Ref]bool{}
	for _, h := range w.open() {
		if h.live || h.maybe {
			held[h.Node] = true
		}
	}
	for n := range tree.Ephemerals(w.db) {
		stat, _ := tree.Stat(w.db, n)
		late := w.swept || api.Number(n.Instance) > w.began
		delayed := lock.Get(w.db, n).Delays > 0
		require.False(w.rt, late && stat.Children == 0 && !held[n] && !delayed, "no session has %v open", n)
	}
}
