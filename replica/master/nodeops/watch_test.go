package nodeops_test

import (
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

func (w *twin) number() api.Number { return rows.GetTotals(w.db).Commands }

// isRead reports whether copies of a call may get different answers, because it has no effect.
func isRead(op api.Op) bool {
	switch op.(type) {
	case api.GetContents, api.GetStat, api.ReadDir, api.GetSequencer, api.CheckSequencer:
		return true
	}
	return false
}

// reply takes in an answer of Ops. It may be lost on the way to the client.
func (w *twin) reply(r nodeops.Reply) {
	s := w.sent[name{r.Session, r.Seq}]
	require.NotNil(w.rt, s, "%+v answers no call", r)
	w.rt.Logf("  answer %d/%d: %v %T", r.Session, r.Seq, r.Result.Code, r.Result.Detail)
	s.silent, s.parked = false, r.Result.Code == api.Parked
	if r.Result.Code.IsDefinite() && !isRead(s.Op) {
		if s.said != nil && !w.isGrantOfGoneNode(s, r.Result) {
			require.Equal(w.rt, *s.said, r.Result, "%+v is answered twice", s.Request)
		}
		s.said = &r.Result
	}
	w.judge(s, r.Result)
	if !s.over && rapid.IntRange(0, 4).Draw(w.rt, "lost") > 0 {
		w.take1(s, r.Result)
	}
}

// isGrantOfGoneNode reports whether an Acquire that got the lock, and has given it back, is answered once more after
// the node was deleted: then it is told NotHeld, like one that did not give it back. Its client has its answer.
func (w *twin) isGrantOfGoneNode(s *sent, r api.Result) bool {
	_, acquires := s.Op.(api.Acquire)
	_, held := s.said.Detail.(api.Held)
	if !acquires || !held || r.Code != api.NotHeld {
		return false
	}
	_, code := tree.Stat(w.db, s.on.Node)
	return code == api.Gone
}

// judge checks an answer with all knowledge of the twin.
func (w *twin) judge(s *sent, r api.Result) {
	if o, ok := r.Detail.(api.Opened); ok && o.Token != "" {
		w.judgeToken(s, o)
	}
	h := s.on
	if h == nil || r.Code != api.OK {
		return
	}
	write, read := false, isRead(s.Op)
	switch s.Op.(type) {
	case api.SetContents, api.DeleteNode, api.GetSequencer, api.Acquire:
		write = true
	case api.CloseHandle:
		_, holds := lock.HeldBy(w.db, lock.Owner{Session: h.Session, Handle: h.ID})
		require.False(w.rt, holds, "%v was closed and holds something", h.Handle)
		h.over = true
	case api.Poison:
		h.poisoned = h.live || h.maybe
	}
	require.True(w.rt, !write || h.Rights.Has(api.RightWrite), "%+v by %v", s.Request, h.Handle)
	_, kept := rows.GetAnswer(w.db, s.Session, s.Seq)
	require.False(w.rt, read && h.over && !kept, "%+v was read through a closed handle", s.Request)
	if stat, ok := r.Detail.(api.NodeStat); ok {
		require.Equal(w.rt, h.Node.Instance, stat.Stat.Instance)
	}
}

// judgeToken checks a token that an Open or a SetSequencer gives out.
func (w *twin) judgeToken(s *sent, o api.Opened) {
	h, v := w.sealer.Unseal(o.Token)
	require.Equal(w.rt, handle.Good, v)
	require.Equal(w.rt, s.Session, h.Session)
	if s.on != nil {
		require.Equal(w.rt, s.on.ID, h.ID)
		if _, known := w.handles[h.ID]; known && !s.on.closing {
			s.on.Fence = h.Fence
		}
		return
	}
	require.Equal(w.rt, o.Node, h.Node)
	require.Equal(w.rt, w.guard(), h.ID.Epoch)
	if w.handles[h.ID] == nil {
		w.handles[h.ID] = &open{Handle: h, live: true, released: map[api.Acquisition]bool{}}
	}
}

// take1 does what a client does with an answer.
func (w *twin) take1(s *sent, r api.Result) {
	switch {
	case r.Code == api.NoSession, r.Code.IsDefinite():
		s.over = true
	default:
		return
	}
	switch d := r.Detail.(type) {
	case api.Opened:
		h, _ := w.sealer.Unseal(d.Token)
		if o := w.handles[h.ID]; !o.forgot {
			o.told, o.token = true, d.Token
		}
	case api.Held:
		_, code := tree.Stat(w.db, s.on.Node) // a lock goes with its node
		if h := s.on; code == api.OK && !s.given && !s.dropped && !h.closing && !h.forgot && !h.released[d.Acquisition] {
			h.holds, h.mode = d.Acquisition, s.Op.(api.Acquire).Mode
		}
	}
}

// watch takes in an applied command, before Ops is told.
func (w *twin) watch(a command.Applied) {
	w.rt.Logf("  apply %d: %T %v %v, epoch %d", a.Number, a.Command, a.Verdict, a.Result.Code, w.guard())
	for _, e := range a.Effects {
		switch e := e.(type) {
		case command.SessionEnded:
			w.clients[e.Session].ended = true
			for _, h := range w.open() {
				if h.Session == e.Session {
					h.live, h.maybe, h.holds, h.closing = false, false, 0, true
				}
			}
		case command.TreeChanged:
			if gone, ok := e.Effect.(tree.Deleted); ok {
				w.deleted(a, gone.Node)
			}
		case command.LockChanged:
			w.lockChanged(e.Effect)
		}
	}
}

func (w *twin) deleted(a command.Applied, n api.Ref) {
	delete(w.until, n)
	_, swept := a.Command.(command.Sweep)
	for _, h := range w.open() {
		if h.Node == n {
			require.False(w.rt, swept && h.live, "%v was swept; %v", n, h.Handle)
			require.Zero(w.rt, h.holds, "%v was deleted, and %v believes that it holds its lock", n, h.Handle)
		}
	}
}

func (w *twin) lockChanged(e lock.Effect) {
	switch e := e.(type) {
	case lock.Granted:
		require.False(w.rt, w.now.Before(w.until[e.Lock]), "%v was granted within its lock-delay", e.Lock)
		if h := w.handles[e.Owner.Handle]; h != nil {
			require.False(w.rt, h.over, "%v was granted to a closed handle", e.Lock)
		}
	case lock.Freed:
		if h := w.handles[e.Owner.Handle]; h != nil && e.Failed && h.Delay > 0 {
			if end := w.now.Add(h.Delay.Duration()); end.After(w.until[e.Lock]) {
				w.until[e.Lock] = end
			}
		}
	}
}

// hear makes a client take the events that wait for it, and acknowledge them.
func (w *twin) hear(c *client) {
	events, last := w.ops.TakeEvents(c.id)
	for _, e := range events {
		if e.Kind == api.EventDropLocks {
			w.dropLocks(c, e.Node)
		}
	}
	w.ops.AckEvents(w.at(), c.id, last)
	w.take()
}

// dropLocks does what a client does after EventDropLocks: it no longer counts on a lock of the node, nor on
// one whose answer is still to come.
func (w *twin) dropLocks(c *client, n api.Ref) {
	for _, h := range w.open() {
		if h.Session == c.id && h.Node == n {
			h.holds = 0
		}
	}
	for _, s := range w.calls(func(s *sent) bool { return s.Session == c.id && !s.over && s.on != nil && s.on.Node == n }) {
		s.dropped = true
	}
}

// invariant requires that a handle whose client believes that it holds a lock does hold it.
func (w *twin) invariant() {
	for _, h := range w.open() {
		if h.holds == 0 {
			continue
		}
		hold, ok := lock.GetHold(w.db, h.Node, lock.Owner{Session: h.Session, Handle: h.ID})
		require.True(w.rt, ok && hold.Acquisition == h.holds && hold.Mode == h.mode, "%v believes that it holds", h.Handle)
	}
}
