package nodeops_test

import (
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

func (w *caching) actOpen(t *rapid.T) {
	c := pick(t, "client", w.alive())
	p := rapid.SampledFrom(cachePaths).Draw(t, "path")
	o := api.Open{Path: p[1:], Rights: api.RightRead | api.RightWrite, Create: rapid.SampledFrom([]api.Creation{api.CreateNever, api.CreateNever, api.CreateMay, api.CreateMust}).Draw(t, "create")}
	if o.Create != api.CreateNever {
		o.Kind = api.File
		if p == "/d" {
			o.Kind = api.Directory
		}
		o.Ephemeral = rapid.Bool().Draw(t, "ephemeral")
	}
	w.call(c, p, o)
}

// opened picks a client, and a node that it has open.
func (w *caching) opened(t *rapid.T) (*cacher, string, api.Token) {
	c := pick(t, "client", w.alive())
	var paths []string
	for _, p := range cachePaths {
		if c.tokens[p] != "" {
			paths = append(paths, p)
		}
	}
	p := pick(t, "path", paths)
	return c, p, c.tokens[p]
}

func (w *caching) actRead(t *rapid.T) {
	c, p, h := w.opened(t)
	w.call(c, p, pick(t, "op", []api.Op{api.GetContents{Handle: h}, api.GetStat{Handle: h}, api.ReadDir{Handle: h}, api.ReadDir{Handle: h, Most: 1}}))
}

func (w *caching) actChange(t *rapid.T) {
	c, p, h := w.opened(t)
	text := rapid.SampledFrom([]string{"ann\n", "bob\n", "x"}).Draw(t, "contents")
	op := pick(t, "op", []api.Op{
		api.SetContents{Handle: h, Contents: text}, api.SetContents{Handle: h, Contents: text}, api.DeleteNode{Handle: h},
		api.SetACL{Handle: h, Names: api.ACLNames{Read: "all", Write: "bob", Change: "all"}}, api.CloseHandle{Handle: h},
	})
	if _, closes := op.(api.CloseHandle); closes {
		delete(c.tokens, p)
	}
	w.call(c, p, op)
}

// waiting returns the calls that their clients wait for.
func (w *caching) waiting() (all []*cacheCall) {
	for _, c := range w.cachers {
		for seq := range c.next {
			if s := c.sent[seq+1]; !s.done {
				all = append(all, s)
			}
		}
	}
	return all
}

// actCopy delivers a copy of any request, even of a call that is over.
func (w *caching) actCopy(t *rapid.T) {
	c := pick(t, "client", w.cachers)
	if c.next == 0 {
		t.Skip("the client has sent no request yet")
	}
	w.deliver(c.sent[api.Seq(rapid.IntRange(1, int(c.next)).Draw(t, "call"))])
}

// actLateCopy delivers a request of a call that its client has given up, and that the cell may still execute.
func (w *caching) actLateCopy(t *rapid.T) {
	var late []*cacheCall
	for _, c := range w.alive() {
		for seq := c.seen + 1; seq <= c.next; seq++ {
			if s := c.sent[seq]; s.done && len(touched(s.path, s.Op)) > 0 {
				late = append(late, s)
			}
		}
	}
	w.deliver(pick(t, "call", late))
}

func (w *caching) actGiveUp(t *rapid.T) {
	s := pick(t, "call", w.waiting())
	w.of(s.Session).finish(s)
}

func (w *caching) actAnswer(t *rapid.T) {
	if len(w.answers) == 0 {
		t.Skip("no answer is on its way")
	}
	w.receive(w.answers[len(w.answers)-1])
}

func (w *caching) actLateAnswer(t *rapid.T) { w.receive(pick(t, "answer", w.answers)) }

// actTold puts the events of an answer to a KeepAlive on their way to a client.
func (w *caching) actTold(t *rapid.T) {
	c := pick(t, "client", w.cachers)
	if c.ended {
		t.Skip("the client's session has ended")
	}
	events, last := w.ops.TakeEvents(c.id)
	w.told = append(w.told, toldEvents{c, events, last})
}

// actTake delivers events of an answer to their client, perhaps not for the first time.
func (w *caching) actTake(t *rapid.T) { w.takeAll(pick(t, "told", w.told)) }

// takeAll takes each event once, in order.
func (w *caching) takeAll(all toldEvents) {
	first := all.last - api.EventNumber(len(all.events)) + 1
	for i, e := range all.events {
		if first+api.EventNumber(i) == all.to.taken+1 {
			all.to.taken++
			all.to.take(e)
		}
	}
}

func (c *cacher) take(e api.Event) {
	switch e.Kind {
	case api.EventDrop:
		c.drop(e.Node.Path)
		c.drops = e.Drop
	case api.EventDropAll:
		clear(c.cache)
		c.drops = e.Drop
	}
}

// actAck delivers an acknowledgement, perhaps a late one.
func (w *caching) actAck(t *rapid.T) {
	c := pick(t, "client", w.cachers)
	if !c.ended {
		through := int(c.taken)
		w.ops.AckEvents(w.at(), c.id, api.EventNumber(rapid.IntRange(max(0, through-2), through).Draw(t, "through")))
		w.take()
	}
}

// actLeaseEnds ends the lease of a client, as its own clock tells it first. Its earlier calls may still be
// answered.
func (w *caching) actLeaseEnds(t *rapid.T) {
	if len(w.alive()) > 1 && rapid.IntRange(0, 3).Draw(t, "rarely") == 0 {
		pick(t, "client", w.alive()).over = true
	}
}

// actSessionEnds ends a session whose lease is over.
func (w *caching) actSessionEnds(t *rapid.T) {
	for _, c := range w.cachers {
		if c.over && !c.ended {
			c.ended = true
			w.upkeep(command.Expire{Guard: w.guard(), Session: c.id})
			w.join()
			return
		}
	}
	t.Skip("no session is over that has not ended")
}

func (w *caching) actApply(t *rapid.T) {
	if len(w.log) == 0 {
		t.Skip("no command is proposed")
	}
	w.step()
}

// settle lets each client take and acknowledge its events, and delivers each call again. Then no call waits
// at the barrier.
func (w *caching) settle() {
	w.authority = true
	for range 20 {
		w.drain()
		for _, c := range w.cachers {
			w.settleClient(c)
		}
		w.isSo()
		w.pass(time.Minute)
	}
	w.drain()
	require.Zero(w.rt, w.ops.Status().Barred, "calls wait for clients that have said all")
	require.Zero(w.rt, w.ops.Status().Caches.Held, "paths are held for no change")
}

func (w *caching) settleClient(c *cacher) {
	if c.ended {
		return
	}
	events, last := w.ops.TakeEvents(c.id)
	w.takeAll(toldEvents{c, events, last})
	w.ops.AckEvents(w.at(), c.id, c.taken)
	w.world.take()
}

// actGiveUpEarly makes a client give up a change before any copy of it reaches the cell, and read on. Since
// it still waits for an earlier call, its AckedThrough does not cover the change, and a late copy of it is
// executed.
func (w *caching) actGiveUpEarly(t *rapid.T) {
	c, p, h := w.opened(t)
	w.prepare(c, p, api.GetStat{Handle: h})
	c.finish(w.prepare(c, p, api.SetContents{Handle: h, Contents: rapid.SampledFrom([]string{"y", "z"}).Draw(t, "contents")}))
	w.call(c, p, api.GetContents{Handle: h})
	w.actAnswer(t)
}

// actCross gives up a change after a client was told to drop what it touches. That client reads the path
// again, and takes the drop before it gets the answer.
func (w *caching) actCross(t *rapid.T) {
	c, p, h := w.opened(t)
	other := pick(t, "other client", w.alive())
	if other.tokens[p] == "" {
		t.Skip("the other client does not have the node open")
	}
	w.call(other, p, api.GetContents{Handle: other.tokens[p]})
	w.actAnswer(t)
	w.call(c, p, api.SetContents{Handle: h, Contents: "given up"})
	if s := c.sent[c.next]; !s.done {
		c.finish(s)
	}
	w.call(c, p, api.GetStat{Handle: h}) // tells the cell that the change is given up
	w.call(other, p, api.GetContents{Handle: other.tokens[p]})
	events, last := w.ops.TakeEvents(other.id)
	w.told = append(w.told, toldEvents{other, events, last})
	w.takeAll(w.told[len(w.told)-1])
	w.actAnswer(t)
}
