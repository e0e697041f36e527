package client_test

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// lock is a lock that is held, or was.
type lock struct {
	gen     api.LockGen
	holders []hold
}

type hold struct {
	token       api.Token
	mode        api.Mode
	acquisition api.Acquisition
}

func (c *cell) lockOf(path string) *lock {
	if c.locks[path] == nil {
		c.locks[path] = &lock{}
	}
	return c.locks[path]
}

// executeOnLock executes an op on a lock.
func (c *cell) executeOnLock(t api.Token, h *handle, n *node, op api.Op) api.Result {
	l := c.lockOf(pathOf(h.node))
	i := slices.IndexFunc(l.holders, func(x hold) bool { return x.token == t })
	ok := api.Result{Code: api.OK}
	switch o := op.(type) {
	case api.Acquire:
		r := c.acquire(l, t, o)
		if r.Code == api.Parked || r.Code == api.LockHeld {
			c.tellWanted(h.node, o.Mode)
		}
		return r
	case api.Release:
		if i < 0 || l.holders[i].acquisition != o.Acquisition {
			return api.Result{Code: api.NotHeld}
		}
		l.holders = slices.Delete(l.holders, i, i+1)
	case api.CancelAcquire:
		c.cancel(t, h, o)
	case api.GetSequencer:
		if i < 0 {
			return api.Result{Code: api.NotHeld}
		}
		ok.Detail = api.Sequenced{Sequencer: api.Sequencer{Node: h.node, Mode: l.holders[i].mode, Gen: l.gen}}
	case api.SetSequencer:
		if code := c.check(h.node, o.Sequencer); code != api.OK {
			return api.Result{Code: code}
		}
		named := t + "+"
		h.fence = o.Sequencer
		next := *h
		next.own = o.Sequencer
		c.handles[named] = &next
		ok.Detail = api.Opened{Token: named}
	case api.CheckSequencer:
		ok.Code = c.check(h.node, o.Sequencer)
	}
	return ok
}

func (c *cell) acquire(l *lock, t api.Token, o api.Acquire) api.Result {
	for _, x := range l.holders {
		switch {
		case x.token == t && x.mode == o.Mode:
			return api.Result{Code: api.OK, Detail: api.Held{Gen: l.gen, Acquisition: x.acquisition}}
		case x.token == t:
			return api.Result{Code: api.LockOther}
		case x.mode.HasConflict(o.Mode) && o.Wait:
			return api.Result{Code: api.Parked}
		case x.mode.HasConflict(o.Mode):
			return api.Result{Code: api.LockHeld}
		}
	}
	if len(l.holders) == 0 {
		l.gen = api.LockGen(c.number)
	}
	l.holders = append(l.holders, hold{t, o.Mode, api.Acquisition(c.number)})
	return api.Result{Code: api.OK, Detail: api.Held{Gen: l.gen, Acquisition: api.Acquisition(c.number)}}
}

// check validates a sequencer.
func (c *cell) check(node api.Ref, text string) api.Code {
	s, err := api.ParseSequencer(text)
	if err != nil {
		return api.Invalid
	}
	l := c.lockOf(pathOf(s.Node))
	if l.gen != s.Gen || len(l.holders) == 0 || l.holders[0].mode != s.Mode {
		return api.StaleSequencer
	}
	return api.OK
}

func (c *cell) cancel(t api.Token, h *handle, o api.CancelAcquire) {
	c.waiting = slices.DeleteFunc(c.waiting, func(r request) bool { return r.q.Session == h.session && r.q.Seq == o.Call })
	answers := c.sessions[h.session]
	if held, ok := answers[o.Call].Detail.(api.Held); ok {
		l := c.lockOf(pathOf(h.node))
		l.holders = slices.DeleteFunc(l.holders, func(x hold) bool { return x.token == t && x.acquisition == held.Acquisition })
	} else if _, answered := answers[o.Call]; !answered {
		answers[o.Call] = api.Result{Code: api.Cancelled}
	}
}

// freeHandle frees what a handle holds, and ends its waiting.
func (c *cell) freeHandle(t api.Token) {
	for _, l := range c.locks {
		l.holders = slices.DeleteFunc(l.holders, func(x hold) bool { return x.token == t })
	}
	c.waiting = slices.DeleteFunc(c.waiting, func(r request) bool {
		waits := r.q.Op.(api.Acquire).Handle == t
		if waits {
			c.answer(r, api.Result{Code: api.HandleClosed})
		}
		return waits
	})
}

// failUnpresented frees what is held by handles that a new master was not shown.
func (c *cell) failUnpresented(id api.SessionID) {
	for t, h := range c.handles {
		if h.session == id && !h.open {
			c.freeHandle(t)
		}
	}
	c.wake()
}

// wait parks an Acquire in place of an earlier duplicate.
func (c *cell) wait(r request) {
	same := func(x request) bool { return x.q.Session == r.q.Session && x.q.Seq == r.q.Seq }
	if i := slices.IndexFunc(c.waiting, same); i >= 0 {
		c.waiting[i] = r
		return
	}
	c.waiting = append(c.waiting, r)
}

// wake grants locks to waiting Acquires.
func (c *cell) wake() {
	for i := 0; i < len(c.waiting); i++ {
		r := c.waiting[i]
		res := c.executeOnNode(r.q)
		if res.Code == api.Parked {
			continue
		}
		c.waiting = slices.Delete(c.waiting, i, i+1)
		i--
		c.sessions[r.q.Session][r.q.Seq] = res
		c.answer(r, res)
	}
}

// holders are the handles that hold the lock of a file, and the number of the grant.
func (c *cell) holders(path string) []hold {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.lockOf(path).holders)
}
