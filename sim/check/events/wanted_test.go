package events_test

import (
	"testing"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/check/events"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// hall is a lock that sessions 7 and 8 hold, and replica 1, the master of epoch 3. Session 9
// waits for the lock.
type hall struct {
	worldtest.World
	c     *events.Wanted
	at    time.Time
	given map[api.Token]*model.Grip
	held  []api.SessionID
	id    uint64
}

// handleIn returns the handle of a session; that of session 8 is of an earlier epoch.
func handleIn(s api.SessionID) api.HandleID {
	e := api.Epoch(3)
	if s == 8 {
		e = 2
	}
	return api.HandleID{Epoch: e, Counter: uint64(s)}
}

func (h *hall) EachHold(_ api.Ref, f func(model.Owner, api.Mode, api.Acquisition)) {
	for _, s := range h.held {
		f(model.Owner{Session: s, Handle: handleIn(s)}, api.Shared, api.Acquisition(s))
	}
}

func newHall(t *testing.T) *hall {
	h := &hall{World: worldtest.New(t), given: map[api.Token]*model.Grip{}, held: []api.SessionID{7, 8}, at: time.Unix(100, 0)}
	h.c = events.NewWanted(h.World.World, h)
	for s := api.SessionID(7); s <= 9; s++ {
		h.given[token(s)] = &model.Grip{ID: handleIn(s), Session: s, Node: node}
		h.c.OnHandleGot(handleIn(s), s != 9)
	}
	h.acts(true)
	return h
}

func token(s api.SessionID) api.Token { return api.Token(rune('a' + s)) }

func (h *hall) acts(sure bool) { h.c.OnActed(1, 3, h.at, false, sure) }

// pass makes the master act ten times a second.
func (h *hall) pass(d time.Duration) {
	for ; d > 0; d -= 100 * time.Millisecond {
		h.at = h.at.Add(100 * time.Millisecond)
		h.acts(true)
	}
}

func (h *hall) asks(s api.SessionID, seq api.Seq, op api.Op) {
	h.id++
	h.c.OnRequest(1, api.Request{ID: h.id, Session: s, Seq: seq, Epoch: 3, Op: op}, h.given)
}

func (h *hall) waits() {
	h.asks(9, 4, api.Acquire{Handle: token(9), Mode: api.Exclusive, Wait: true})
	h.c.OnReply(1, api.Reply{Session: 9, Seq: 4, Epoch: 3, Result: api.Result{Code: api.Parked}})
}

// hear sends a KeepAlive of a session, which is answered at once, with a lease of 12 s.
func (h *hall) hear(s api.SessionID, all ...api.Event) {
	h.keepAlive(s)
	l := api.Leased{Lease: 12 * time.Second, Events: all}
	h.c.OnReply(1, api.Reply{ID: h.id, Session: s, Epoch: 3, Result: api.Result{Code: api.OK, Detail: l}})
}

func (h *hall) keepAlive(s api.SessionID, tokens ...api.Token) {
	h.asks(s, 0, api.KeepAlive{Tokens: tokens})
	h.acts(true)
}

func wanted(s api.SessionID) api.Event {
	return api.Event{Kind: api.EventLockWanted, Node: node, Acquisition: api.Acquisition(s)}
}

// The master tells each holder at once that its lock is wanted; otherwise S13 breaks. It owes
// nothing to a holder that it does not know of, or that is about to release the lock.
func TestAHolderHearsThatItsLockIsWanted(t *testing.T) {
	again := api.Event{Kind: api.EventReadAgain, Node: node}
	other := api.Event{Kind: api.EventContents, Node: node}
	for name, x := range map[string]struct {
		play func(h *hall)
		id   string
	}{
		"told at once":          {func(h *hall) { h.waits(); h.hear(7, wanted(7)); h.pass(9 * time.Second); h.hear(7) }, ""},
		"told to read again":    {func(h *hall) { h.waits(); h.hear(7, again); h.pass(9 * time.Second); h.hear(7) }, ""},
		"a client that is away": {func(h *hall) { h.waits(); h.pass(9 * time.Second) }, ""},
		"it may be under way":   {func(h *hall) { h.waits(); h.pass(9 * time.Second); h.hear(7, other) }, ""},
		"not told":              {func(h *hall) { h.waits(); h.hear(7); h.pass(2 * time.Second); h.hear(7) }, "S13"},
		"told of another hold":  {func(h *hall) { h.waits(); h.hear(7, wanted(6)); h.pass(2 * time.Second); h.hear(7) }, "S13"},
		"told of one before":    {func(h *hall) { h.hear(7, wanted(7)); h.waits(); h.pass(2 * time.Second); h.hear(7) }, "S13"},
		"while a KeepAlive waits of a session that was dismissed": {func(h *hall) {
			h.hear(7)
			h.waits()
			h.c.OnDismissed(7, 3)
			h.keepAlive(7)
			h.pass(9 * time.Second)
		}, ""},
		"that was dismissed in an earlier epoch": {func(h *hall) {
			h.hear(7)
			h.waits()
			h.c.OnDismissed(7, 2)
			h.keepAlive(7)
			h.pass(2 * time.Second)
		}, "S13"},
		"while a KeepAlive waits": {func(h *hall) { h.hear(7); h.waits(); h.keepAlive(7); h.pass(2 * time.Second) }, "S13"},
		"a KeepAlive that waits for long": {func(h *hall) {
			h.hear(7)
			h.keepAlive(7)
			h.pass(20 * time.Second)
			h.waits()
			h.keepAlive(7)
			h.pass(2 * time.Second)
		}, "S13"},
		"a KeepAlive after the lease": {func(h *hall) {
			h.hear(7)
			h.waits()
			h.pass(12 * time.Second)
			h.keepAlive(7)
			h.pass(9 * time.Second)
		}, ""},
		"a master in doubt": {func(h *hall) {
			h.hear(7)
			h.waits()
			h.keepAlive(7)
			for range 9 {
				h.pass(500 * time.Millisecond)
				h.acts(false)
			}
		}, ""},
		"a pause": {func(h *hall) {
			h.waits()
			h.at = h.at.Add(time.Minute)
			h.acts(true)
			h.hear(7)
		}, ""},
		"withdrawn": {func(h *hall) {
			h.waits()
			h.asks(9, 5, api.CancelAcquire{Handle: token(9), Call: 4})
			h.pass(2 * time.Second)
			h.hear(7)
		}, ""},
		"answered": {func(h *hall) {
			h.waits()
			h.c.OnReply(1, api.Reply{Session: 9, Seq: 4, Epoch: 3, Result: api.Result{Code: api.Gone}})
			h.pass(2 * time.Second)
			h.hear(7)
		}, ""},
		"a session that is over": {func(h *hall) {
			h.waits()
			h.c.OnCommand(&command.Applied{Effects: []command.Effect{command.SessionEnded{Session: 9}}})
			h.pass(2 * time.Second)
			h.hear(7)
		}, ""},
		"gives the lock back": {func(h *hall) {
			h.waits()
			h.pass(900 * time.Millisecond)
			h.held = nil
			h.pass(2 * time.Second)
			h.hear(7)
		}, ""},
		"gives the lock back, and the log is slow": {func(h *hall) {
			h.hear(7)
			h.asks(7, 1, api.Release{Handle: token(7), Acquisition: 7})
			h.waits()
			h.keepAlive(7)
			h.pass(9 * time.Second)
			h.hear(7)
		}, ""},
		"closes its handle, and the log is slow": {func(h *hall) {
			h.hear(7)
			h.asks(7, 1, api.CloseHandle{Handle: token(7)})
			h.waits()
			h.keepAlive(7)
			h.pass(9 * time.Second)
			h.hear(7)
		}, ""},
		"a Release that was refused": {func(h *hall) {
			h.hear(7)
			h.waits()
			h.asks(7, 1, api.Release{Handle: token(7), Acquisition: 7})
			h.c.OnReply(1, api.Reply{Session: 7, Seq: 1, Epoch: 3, Result: api.Result{Code: api.Busy}})
			h.keepAlive(7)
			h.pass(2 * time.Second)
		}, "S13"},
		"a late copy of an earlier Release": {func(h *hall) {
			h.hear(7)
			h.waits()
			h.asks(7, 1, api.Release{Handle: token(7), Acquisition: 6})
			h.keepAlive(7)
			h.pass(2 * time.Second)
		}, "S13"},
		"of before the epoch": {func(h *hall) { h.waits(); h.pass(2 * time.Second); h.hear(8) }, ""},
		"presented, and not told": {func(h *hall) {
			h.hear(8)
			h.keepAlive(8, token(8))
			h.waits()
			h.pass(2 * time.Second)
		}, "S13"},
		"does not ask for it": {func(h *hall) {
			h.c.OnHandleGot(handleIn(7), false)
			h.waits()
			h.pass(2 * time.Second)
			h.hear(7)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHall(t)
			x.play(h)
			h.Is(x.id)
		})
	}
}
