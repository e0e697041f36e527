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

// Watching is told of handles that receive events.
type Watching interface {
	// Opened is called for each new handle that asked for events, with the metadata that the Open
	// returned.
	Opened(s api.SessionID, n api.Ref, id api.HandleID, mask client.EventMask, stat client.Stat) Watch
	// OnHandleGot is called for each handle that a program got. hears reports whether the handle
	// must receive an event when another handle waits for its lock: the program asked for such
	// events, or to keep the lock after a Release.
	OnHandleGot(id api.HandleID, hears bool)
}

// Watch is told which events one handle receives, and knows which it must still receive.
type Watch interface {
	// Hears is called for each event that the program has taken.
	Hears(e client.Event)
	// AsksContents is called when the program begins to read the file. If the read succeeds, found
	// is called with the content generation that it returned.
	AsksContents() (found func(client.ContentGen))
	// Ends is called when no more events are to be expected.
	Ends()
	// Owed describes the events that the handle must still receive, or returns "" if there are
	// none.
	Owed() string
	// Misses is called when owed events have not come; after says for how long.
	Misses(after string)
}

// listener takes the events of nodes that a program has open.
type listener struct {
	*thread
	picks *sim.Draw // decides which handles ask for which events
	count int       // how many handles have asked for events
}

// news counts the events of a handle that were taken since its program last looked.
type news struct {
	count int
	came  client.Signal // fires when the next event is taken
}

func (n *news) add(rt *sim.Runtime) {
	n.count++
	came := n.came
	n.came = rt.NewSignal()
	came.Fire()
}

// drawMask draws which events a handle asks for; usually none.
func (p *listener) drawMask() client.EventMask {
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
	o.watch, o.news = w, &news{came: p.rt.NewSignal()}
	slow := p.picks.Chance(1, 3)
	d := p.rt.Env().World().Draw("client.watch", uint64(p.id)<<16|uint64(p.count))
	p.count++
	odds := uint64(1)
	if p.all.plan.Workload == plan.Cached { // a read just after one write meets the next write
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
			o.news.add(p.rt)
			p.all.world.Result(p.rt.Env().Self(), []byte(e.Kind.String()+e.Child))
			if d.Chance(odds, 4) {
				p.readAfter(ctx, o, w)
			}
		}
	})
}

// readAfter reads the file after an event. It must find contents at least as new as the event says.
func (p *listener) readAfter(ctx context.Context, o *opened, w Watch) {
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

// hearingPatience is how long, after healing and after the last calls, events may still be missing.
// If an answer to a KeepAlive was lost just before, its client notices after three quarters of the
// longest lease, which is 20 s.
const hearingPatience = 30 * time.Second

// awaitEvents waits after healing until nodes, the handles of a program, have received all events
// (S13).
func (p *listener) awaitEvents(ctx context.Context, nodes []*opened) {
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
