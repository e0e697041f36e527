package workload

import (
	"context"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// Watching is told of handles that hear of events.
type Watching interface {
	// Opened is told of a new handle that asked for events, with the metadata that its program
	// was given.
	Opened(s api.SessionID, n api.Ref, id api.HandleID, mask client.EventMask, stat client.Stat) Watch
	// OnHandleGot is told of each handle that a program was given. hears says that it is to hear that
	// another handle waits for its lock: the program asked for that, or to keep the lock after a Release.
	OnHandleGot(id api.HandleID, hears bool)
}

// Watch is told what one handle hears, and knows what it has yet to hear.
type Watch interface {
	// Hears is told of an event that the program has taken.
	Hears(e client.Event)
	// AsksContents is told that the file is read now; the function is told what was found.
	AsksContents() (found func(client.ContentGen))
	// Ends is told that no event is to be expected any more.
	Ends()
	// Owed is what the handle has yet to hear; empty: nothing.
	Owed() string
	// Misses is told that what is owed has not come for so long.
	Misses(after string)
}

// listener hears of events on nodes that a program has open.
type listener struct {
	*thread
	picks *sim.Draw // which handles hear, and of what
	heard int       // how many handles did
}

// wants draws which events a handle asks for; mostly none.
func (p *listener) wants() client.EventMask {
	w := &p.all.plan.Watch
	if w.Share == 0 || !p.picks.Chance(w.Share, 4) {
		return 0
	}
	return client.EventMask(p.picks.Between(1, int64(client.WantFailover)<<1-1))
}

// listen takes the events of a handle in a coroutine of its own, at times slowly, and reads the
// file again after some of them.
func (p *listener) listen(o *opened, mask client.EventMask) {
	w := p.all.watching.Opened(o.session, o.Ref(), o.id, mask, o.stat)
	o.watch = w
	slow := p.picks.Chance(1, 3)
	d := p.rt.Env().World().Draw("client.watch", uint64(p.id)<<16|uint64(p.heard))
	p.heard++
	odds := uint64(1)
	if p.all.plan.Workload == plan.Cached { // a read at once after a write meets the next one
		odds = 3
	}
	p.rt.Go(fmt.Sprintf("events of %s", o.path), func() {
		ctx := context.Background()
		for {
			if slow && !p.all.Finale && p.rt.Sleep(ctx, d.Duration(0, p.all.plan.Watch.Slow)) != nil {
				return
			}
			e, err := o.h.Events().Next(ctx)
			if p.rt.Env().Dead() {
				return
			}
			if err != nil {
				w.Ends()
				return
			}
			w.Hears(e)
			p.all.world.Result(p.rt.Env().Self(), []byte(e.Kind.String()+e.Child))
			if d.Chance(odds, 4) {
				p.readsAfter(ctx, o, w)
			}
		}
	})
}

// readsAfter reads the file after an event: it must find what that tells of.
func (p *listener) readsAfter(ctx context.Context, o *opened, w Watch) {
	ctx, cancel := p.rt.WithTimeout(ctx, p.all.patience())
	defer cancel()
	found, late := w.AsksContents(), p.all.witness.HasLost(p.client)
	_, s, err := o.h.Contents(ctx)
	if p.rt.Env().Dead() {
		return
	}
	p.all.witness.OnOutcome(p.client, late, err)
	if err == nil {
		found(s.Content)
	}
}

// hearingPatience is how long after healing, and after the last calls, a handle may have something
// yet to hear: an answer to a KeepAlive that was lost just before is missed by its client after
// three quarters of the longest lease, which is 20 s.
const hearingPatience = 30 * time.Second

// hearsAll waits after healing until the handles of a program, nodes, have heard all that has happened
// (S13).
func (p *listener) hearsAll(ctx context.Context, nodes []*opened) {
	world := p.all.world
	until := world.Now() + hearingPatience
	for _, o := range nodes {
		if o.watch == nil {
			continue
		}
		for o.watch.Owed() != "" && world.Now() < until && !p.all.witness.HasLost(p.client) {
			if p.rt.Sleep(ctx, 50*time.Millisecond) != nil {
				return
			}
		}
		if !p.rt.Env().Dead() && !p.all.witness.HasLost(p.client) {
			o.watch.Misses(hearingPatience.String())
		}
	}
}
