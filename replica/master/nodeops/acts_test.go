package nodeops_test

import (
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

func (w *twin) actOpen(t *rapid.T) {
	c := pick(t, "client", w.alive())
	o := api.Open{
		Path:   rapid.SampledFrom([]string{"f", "e", "e", "d", "d/x"}).Draw(t, "path"),
		Rights: rapid.SampledFrom([]api.Rights{api.RightRead, api.RightRead | api.RightWrite}).Draw(t, "rights"),
		Create: rapid.SampledFrom([]api.Creation{api.CreateMay, api.CreateMay, api.CreateNever, api.CreateMust}).Draw(t, "create"),
		Delay:  rapid.SampledFrom([]api.LockDelay{0, 3000, 90_000}).Draw(t, "delay"),
	}
	if o.Create != api.CreateNever {
		o.Ephemeral, o.Kind = o.Path != "f", api.File
		if o.Path == "d" {
			o.Kind = api.Directory
		}
	}
	w.call(c.id, nil, o)
}

func (w *twin) actUse(t *rapid.T) {
	h := pick(t, "handle", w.usable())
	ops := []api.Op{
		api.GetStat{Handle: h.token}, api.GetContents{Handle: h.token}, api.ReadDir{Handle: h.token},
		api.SetContents{Handle: h.token, Contents: "x"}, api.GetSequencer{Handle: h.token}, api.DeleteNode{Handle: h.token},
	}
	w.call(h.Session, h, pick(t, "op", ops))
}

// actAcquire acquires by a handle none of whose Acquires is being cancelled: otherwise both Acquires
// could be granted with the same hold, which the cancellation releases.
func (w *twin) actAcquire(t *rapid.T) {
	h := pick(t, "handle", slices.DeleteFunc(w.usable(), func(h *open) bool {
		return w.waitsFor(h, func(op api.Op) bool { _, ok := op.(api.CancelAcquire); return ok })
	}))
	m := rapid.SampledFrom([]api.Mode{api.Exclusive, api.Shared}).Draw(t, "mode")
	w.call(h.Session, h, api.Acquire{Handle: h.token, Mode: m, Wait: rapid.IntRange(0, 3).Draw(t, "wait") > 0})
}

func (w *twin) actRelease(t *rapid.T) {
	h := pick(t, "handle", slices.DeleteFunc(w.usable(), func(h *open) bool { return h.holds == 0 }))
	a := h.holds
	h.holds, h.released[a] = 0, true
	w.call(h.Session, h, api.Release{Handle: h.token, Acquisition: a})
}

func (w *twin) actClose(t *rapid.T) {
	h := pick(t, "handle", w.usable())
	h.closing, h.holds = true, 0
	w.call(h.Session, h, api.CloseHandle{Handle: h.token})
}

func (w *twin) actPoison(t *rapid.T) {
	h := pick(t, "handle", w.usable())
	w.call(h.Session, h, api.Poison{Handle: h.token})
}

// actCancel gives up all Acquires of a handle by cancelling one of them: they share a hold, if they have
// one.
func (w *twin) actCancel(t *rapid.T) {
	s := pick(t, "acquire", w.calls(func(s *sent) bool {
		_, ok := s.Op.(api.Acquire)
		return ok && !s.over && !s.given && !w.clients[s.Session].ended
	}))
	for _, o := range w.calls(func(o *sent) bool { return o.on == s.on }) {
		o.given = true
	}
	s.on.released[s.on.holds], s.on.holds = true, 0
	w.call(s.Session, s.on, api.CancelAcquire{Handle: s.on.token, Call: s.Seq})
}

// actFence attaches the sequencer of a held lock to some handle.
func (w *twin) actFence(t *rapid.T) {
	h := pick(t, "handle", w.usable())
	q, ok := lock.GetSequencer(w.db, lock.Owner{Session: h.Session, Handle: h.ID})
	if !ok {
		t.Skip("the handle holds no lock")
	}
	to := pick(t, "to", w.usable())
	w.call(to.Session, to, api.SetSequencer{Handle: to.token, Sequencer: q.Encode()})
}

// actCopy repeats a call: any call of this epoch, or one of an earlier epoch whose client waits for the
// answer.
func (w *twin) actCopy(t *rapid.T) {
	w.send(pick(t, "call", w.calls(func(s *sent) bool {
		wanted := !s.over && (s.on == nil || !s.on.forgot && !s.on.over)
		return !w.clients[s.Session].ended && (s.epoch == w.guard() || wanted)
	})))
}

func (w *twin) actSession(*rapid.T) {
	if len(w.alive()) < 3 {
		w.join()
	}
}

func (w *twin) actExpire(t *rapid.T) {
	c := pick(t, "client", w.alive())
	if rapid.Bool().Draw(t, "fails") {
		w.upkeep(command.Expire{Guard: w.guard(), Session: c.id})
	} else {
		c.next++
		w.upkeep(command.Call{Guard: w.guard(), Session: c.id, Seq: c.next, AckedThrough: c.seen, Op: api.EndSession{}})
	}
}

func (w *twin) actHear(t *rapid.T) { w.hear(pick(t, "client", w.alive())) }

func (w *twin) actApply(t *rapid.T) {
	if len(w.log) == 0 {
		t.Skip("no command is proposed")
	}
	w.step()
}

func (w *twin) actApplySome(t *rapid.T) {
	for range rapid.IntRange(0, len(w.log)).Draw(t, "some") {
		w.step()
	}
}

func (w *twin) actTime(t *rapid.T) {
	w.moment(time.Duration(rapid.IntRange(1, 4000).Draw(t, "ms")) * time.Millisecond)
}

func (w *twin) actLongTime(*rapid.T) { w.moment(time.Minute) }

func (w *twin) moment(d time.Duration) {
	w.pass(d)
	w.swept = w.swept || !w.now.Before(w.serving.Add(w.cfg.SweepAfter))
}

// actFailover puts a new master in place of the old one. Clients present their handles on locks that
// they hold and on ephemeral nodes, except those that they have forgotten. Commands that the old master
// proposed may stand in the log behind the new epoch.
func (w *twin) actFailover(t *rapid.T) {
	late := slices.Clone(w.log)
	w.failover()
	w.began = w.number()
	w.swept = false
	for _, h := range w.open() {
		h.live, h.maybe, h.poisoned = false, false, false
	}
	for _, s := range w.calls(func(*sent) bool { return true }) {
		s.silent, s.parked = false, false
	}
	for _, d := range lock.Delays(w.db) {
		w.until[d.Lock] = w.now.Add(d.Length.Duration())
	}
	if rapid.Bool().Draw(t, "late") {
		for _, c := range late {
			w.apply(c)
		}
	}
	full := w.full
	w.full = false
	for _, c := range w.alive() {
		w.presents(t, c)
	}
	w.drain()
	require.True(t, w.ops.IsReady())
	w.full, w.serving = full, w.now
	w.ops.Serving(w.now)
}

func (w *twin) presents(t *rapid.T, c *client) {
	for _, h := range w.open() {
		asks := w.waitsFor(h, func(op api.Op) bool { _, ok := op.(api.Acquire); return ok })
		if h.Session != c.id || !h.told || h.closing || h.forgot || h.holds == 0 && !h.Ephemeral && !asks {
			continue
		}
		if rapid.IntRange(0, 5).Draw(t, "forgets") == 0 {
			h.forgot, h.holds = rapid.Bool().Draw(t, "for ever"), 0
			continue
		}
		if w.ops.Present(w.at(), c.id, h.token) == api.OK {
			h.live = true
		} else {
			h.forgot, h.holds = true, 0
		}
	}
	w.ops.EpochAcked(w.at(), c.id)
	w.take()
}
