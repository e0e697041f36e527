package session_test

import (
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/replica/api"
)

// modelLocks are the locks of a model cell, which are replicated, and its master's tables of
// handles and waiting Acquires, which are not. A token is "EPOCH-NUMBER-PATH".
type modelLocks struct {
	number  int
	holds   map[string]modelHold // by path
	open    map[api.Token]bool   // handles of the present epoch
	closed  map[api.Token]bool   // handles of older ones that were closed in this one
	opened  map[api.Seq]api.Token
	waiting []api.Request
	void    map[api.Seq]bool // Acquires whose CancelAcquire has a definite answer
}

type modelHold struct {
	session     api.SessionID
	token       api.Token
	acquisition api.Acquisition
}

func newModelLocks() modelLocks {
	l := modelLocks{holds: map[string]modelHold{}, void: map[api.Seq]bool{}}
	l.forgetHandles()
	return l
}

func (l *modelLocks) forgetHandles() {
	l.open, l.closed, l.opened, l.waiting = map[api.Token]bool{}, map[api.Token]bool{}, map[api.Seq]api.Token{}, nil
}

func pathOf(t api.Token) string { return string(t[strings.LastIndex(string(t), "-")+1:]) }

// recreate opens a handle of an older epoch again, if it was not closed.
func (l *modelLocks) recreate(t api.Token) {
	if !l.closed[t] {
		l.open[t] = true
	}
}

// closeHandle removes a handle from the table for good.
func (l *modelLocks) closeHandle(t api.Token) {
	delete(l.open, t)
	l.closed[t] = true
}

// failUnpresented frees what is held by handles that were not presented.
func (l *modelLocks) failUnpresented(s api.SessionID) {
	for path, h := range l.holds {
		if h.session == s && !l.open[h.token] {
			delete(l.holds, path)
		}
	}
}

func (l *modelLocks) freeSession(s api.SessionID) {
	for path, h := range l.holds {
		if h.session == s {
			delete(l.holds, path)
		}
	}
}

func (l *modelLocks) free(path string, a api.Acquisition) bool {
	if h, held := l.holds[path]; !held || h.acquisition != a {
		return false
	}
	delete(l.holds, path)
	return true
}

// receiveHandle returns what the master answers at once: the handle is closed, or another
// handle holds the lock and the Acquire waits.
func (c *modelCell) receiveHandle(q api.Request) (api.Result, bool) {
	l := &c.locks
	t := api.HandleOf(q.Op)
	s := c.sessions[q.Session]
	if t == "" || s == nil || q.Seq <= s.seen {
		return api.Result{}, false
	}
	if _, answered := s.answers[q.Seq]; answered {
		return api.Result{}, false
	}
	if !l.open[t] {
		if strings.HasPrefix(string(t), fmt.Sprintf("%d-", c.epoch)) || l.closed[t] {
			if _, closes := q.Op.(api.CloseHandle); closes {
				return api.Result{}, false
			}
			for _, p := range c.log {
				if p.q.Seq == q.Seq {
					return api.Result{}, false // a duplicate may still be executed
				}
			}
			if o, cancels := q.Op.(api.CancelAcquire); cancels {
				l.void[o.Call] = true
			}
			return api.Result{Code: api.HandleClosed}, true
		}
		l.recreate(t)
	}
	if o, ok := q.Op.(api.Acquire); ok && o.Wait {
		if h, held := l.holds[pathOf(t)]; held && h.token != t {
			l.wait(q)
			return api.Result{Code: api.Parked}, true
		}
	}
	return api.Result{}, false
}

func (l *modelLocks) wait(q api.Request) {
	l.leave(q.Seq)
	l.waiting = append(l.waiting, q)
}

func (l *modelLocks) leave(seq api.Seq) {
	for i, q := range l.waiting {
		if q.Seq == seq {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			return
		}
	}
}

// wakeWaiters proposes the waiting Acquires whose locks are free.
func (c *modelCell) wakeWaiters() {
	for _, q := range append([]api.Request(nil), c.locks.waiting...) {
		if _, held := c.locks.holds[pathOf(api.HandleOf(q.Op))]; !held && c.master != 0 {
			c.locks.leave(q.Seq)
			c.log = append(c.log, proposal{q: q, at: c.master, guard: c.epoch})
		}
	}
}

// executeOnHandle executes a call on files and locks.
func (c *modelCell) executeOnHandle(s *modelSession, q api.Request) api.Result {
	l := &c.locks
	l.number++
	ok := api.Result{Code: api.OK}
	path := ""
	if t := api.HandleOf(q.Op); t != "" {
		path = pathOf(t)
	}
	switch o := q.Op.(type) {
	case api.Open:
		ok.Detail = api.Opened{}
	case api.Acquire:
		h, held := l.holds[path]
		switch {
		case !held:
			h = modelHold{q.Session, o.Handle, api.Acquisition(l.number)}
			l.holds[path] = h
		case h.token != o.Handle && o.Wait:
			l.wait(q)
			return api.Result{Code: api.Parked}
		case h.token != o.Handle:
			return api.Result{Code: api.LockHeld}
		}
		ok.Detail = api.Held{Gen: 1, Acquisition: h.acquisition}
	case api.Release:
		if !l.free(path, o.Acquisition) {
			return api.Result{Code: api.NotHeld}
		}
	case api.CancelAcquire:
		l.leave(o.Call)
		l.void[o.Call] = true
		if r, answered := s.answers[o.Call]; answered {
			if held, ok := r.Detail.(api.Held); ok {
				l.free(path, held.Acquisition)
			}
		} else if o.Call > s.seen {
			s.answers[o.Call] = api.Result{Code: api.Cancelled}
		}
	case api.CloseHandle:
		if h, held := l.holds[path]; held && h.token == o.Handle {
			delete(l.holds, path)
		}
		l.closeHandle(o.Handle)
	}
	return ok
}

// addToken adds to an answer what only the present master knows: the token of a handle.
func (c *modelCell) addToken(q api.Request, r api.Result) api.Result {
	o, opens := q.Op.(api.Open)
	if !opens || r.Code != api.OK {
		return r
	}
	l := &c.locks
	t, again := l.opened[q.Seq]
	if !again {
		l.number++
		t = api.Token(fmt.Sprintf("%d-%d-%s", c.epoch, l.number, o.Path))
		l.opened[q.Seq], l.open[t] = t, true
	}
	opened := api.Opened{Token: t}
	opened.Stat.Ephemeral = o.Ephemeral
	r.Detail = opened
	return r
}
