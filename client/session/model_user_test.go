package session_test

import (
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// modelUser is what the callers hold. They follow the rule of Start: no second Acquire on a
// handle that holds the lock or is acquiring it.
type modelUser struct {
	handles []*modelHandle
	holds   map[*modelHandle]api.Acquisition // valid while the lease is
}

type modelHandle struct {
	token     api.Token
	ephemeral bool
	asking    bool
}

func newModelUser() modelUser { return modelUser{holds: map[*modelHandle]api.Acquisition{}} }

var modelPaths = []string{"a", "b", "c"}

// use makes a call on a handle or lock, or has another client make one.
func (w *model) use(pick func(int) int) {
	u := &w.user
	path := modelPaths[pick(len(modelPaths))]
	switch what := pick(12); {
	case what < 3 || len(u.handles) == 0:
		o := api.Open{Path: path, Rights: api.RightWrite}
		if pick(3) == 0 {
			o.Create, o.Kind, o.Ephemeral = api.CreateMay, api.File, true
		}
		w.begin(o)
	case what < 7:
		h := u.handles[pick(len(u.handles))]
		if _, holds := u.holds[h]; !holds && !h.asking {
			h.asking = true
			w.begin(api.Acquire{Handle: h.token, Mode: api.Exclusive, Wait: pick(3) > 0})
		}
	case what < 9:
		if h := u.handles[pick(len(u.handles))]; u.holds[h] != 0 {
			w.release(h)
		}
	case what < 10:
		if h := u.handles[pick(len(u.handles))]; !h.asking {
			u.handles = slices.DeleteFunc(u.handles, func(x *modelHandle) bool { return x == h })
			delete(u.holds, h)
			w.begin(api.CloseHandle{Handle: h.token})
		}
	case what < 11:
		if _, held := w.cell.locks.holds[path]; !held {
			w.cell.locks.holds[path] = modelHold{session: 999, token: "theirs"}
		}
	default:
		w.othersLeave(path)
	}
}

func (w *model) release(h *modelHandle) {
	a := w.user.holds[h]
	delete(w.user.holds, h)
	w.begin(api.Release{Handle: h.token, Acquisition: a})
}

func (w *model) othersLeave(path string) {
	if w.cell.locks.holds[path].session == 999 {
		delete(w.cell.locks.holds, path)
		w.cell.wakeWaiters()
	}
}

// releaseAll frees all locks, so that all waiting Acquires get their turn.
func (w *model) releaseAll() {
	for _, path := range modelPaths {
		w.othersLeave(path)
	}
	for _, h := range w.user.handles {
		if w.user.holds[h] != 0 {
			w.release(h)
		}
	}
	clear(w.user.holds)
}

// learn records what an answer granted.
func (u *modelUser) learn(c *modelCall, d session.Done) {
	switch o := c.op.(type) {
	case api.Open:
		if opened, ok := d.Result.Detail.(api.Opened); ok {
			u.handles = append(u.handles, &modelHandle{token: opened.Token, ephemeral: o.Ephemeral})
		}
	case api.Acquire:
		for _, h := range u.handles {
			if h.token == o.Handle {
				h.asking = false
				if held, ok := d.Result.Detail.(api.Held); ok {
					u.holds[h] = held.Acquisition
				}
			}
		}
	}
}

// checkHeld checks that the session is alive while the lease is valid, and that the cell agrees
// about its locks.
func (w *model) checkHeld() {
	s := w.m.Status()
	if s.State != session.Open || s.Lease != session.Valid || !w.now.Before(s.Bound) {
		return
	}
	lives := w.cell.sessions[s.Session]
	require.NotNil(w.t, lives, "the session is over, and valid for %v", s.Bound.Sub(w.now))
	if w.cell.master != 0 { // it could end the session now; clocks are read to the nanosecond
		over := w.cell.clock(w.cell.master) - lives.end
		require.LessOrEqual(w.t, over, 2*time.Nanosecond, "the lease is over, and valid for %v", s.Bound.Sub(w.now))
	}
	for _, h := range w.user.handles {
		a, holds := w.user.holds[h]
		if !holds {
			continue
		}
		w.watch.reached["held"]++
		have := w.cell.locks.holds[pathOf(h.token)]
		require.Equal(w.t, modelHold{s.Session, h.token, a}, have, "who believes to hold %s", pathOf(h.token))
	}
}

// checkNoLeftovers checks that the cell holds nothing that no caller knows of.
func (w *model) checkNoLeftovers() {
	s := w.m.Status()
	if s.State != session.Open {
		return
	}
	for path, h := range w.cell.locks.holds {
		require.NotEqual(w.t, s.Session, h.session, "%s is held, and no caller knows of it", path)
	}
	known := map[api.Token]bool{}
	for _, h := range w.user.handles {
		known[h.token] = true
	}
	for t := range w.cell.locks.open {
		require.True(w.t, known[t], "%s is open, and no caller knows of it", t)
	}
}
