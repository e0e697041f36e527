package workload

import (
	"context"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
)

// registryWork is a thread of the workload of a service registry (CHU §2.5, §4.1). A server makes an
// ephemeral child of one directory, and keeps it until it closes it, its session ends or its machine
// crashes. A watcher has the directory open, with events, lists it
// after each of them, and reads the addresses of servers.
type registryWork struct {
	*lockWork
	picks   *sim.Draw // decides all that this workload does; nil: not drawn yet
	watches bool      // it is a watcher
}

// registrySlots is how many names servers use. Several servers want the same name.
const registrySlots = 6

// isContended reports whether most programs of the workload use the node.
func (c *Programs) isContended(path string) bool {
	return path == HotNode || c.plan.Workload == plan.Registry && path == model.Parent(HotNode)
}

func (p *registryWork) turn(ctx context.Context) {
	if p.picks == nil {
		p.picks = p.rt.Env().World().Draw("client.registry", uint64(p.id))
		p.watches = p.picks.Chance(1, 2)
	}
	if watches := p.watches != p.picks.Chance(1, 8); watches { // no program does one thing only
		p.watch(ctx)
		return
	}
	p.serve(ctx)
}

// slot draws the path of a server. A server usually wants the same one again.
func (p *registryWork) slot() string {
	n := int(p.id>>8+p.id) % registrySlots
	if p.picks.Chance(1, 3) {
		n = p.picks.Int(registrySlots)
	}
	return fmt.Sprintf("%s/s%d", model.Parent(HotNode), n)
}

// serve registers a server, or changes or ends its registration.
func (p *registryWork) serve(ctx context.Context) {
	path := p.slot()
	o := p.has(path)
	if o == nil {
		create := client.CreateMay
		if p.picks.Chance(1, 3) { // it serves only if no other server does
			create = client.CreateMust
		}
		p.openAs(ctx, path, manner{create: create, ephemeral: true, rights: allRights})
		return
	}
	switch p.picks.Weighted([]uint32{4, 3, 1, 2, 1}) {
	case 0: // it stays for a while
	case 1:
		p.closeHandle(o)
	case 2:
		p.remove(ctx, o)
	case 3:
		p.setContents(ctx, o, 0)
	case 4:
		p.parting = p.isLast() // its session ends, or its machine vanishes, while it is registered
	}
}

// watch lists the directory, then again after each event of a few.
func (p *registryWork) watch(ctx context.Context) {
	path := model.Parent(HotNode)
	o := p.has(path)
	if o == nil || o.watch == nil {
		events := client.WantChildren | client.WantInvalid
		p.openAs(ctx, path, manner{create: client.CreateMay, rights: client.Read, events: events})
		if o = p.has(path); o == nil {
			return
		}
		p.listAll(ctx, o)
	}
	for range 1 + p.picks.Int(5) {
		if p.has(path) != o || p.all.Finale || p.expired {
			return
		}
		if o.news.count == 0 && !p.awaitNews(ctx, o) {
			return
		}
		o.news.count = 0
		p.all.Relisted++
		p.listAll(ctx, o)
		if p.picks.Chance(1, 3) {
			p.lookUp(ctx)
		}
	}
}

// lookUp reads the address of a server, if the server is registered.
func (p *registryWork) lookUp(ctx context.Context) {
	path := p.slot()
	if p.has(path) != nil { // its own registration
		return
	}
	p.openAs(ctx, path, manner{create: client.CreateNever, rights: client.Read})
	o := p.has(path)
	for range 1 + p.picks.Int(2) {
		if o == nil || p.has(path) != o {
			return
		}
		p.contents(ctx, o)
	}
	if p.has(path) == o {
		p.closeHandle(o)
	}
}

// awaitNews waits until the handle has received an event, but not for long. It reports whether one came.
func (p *registryWork) awaitNews(ctx context.Context, o *opened) bool {
	ctx, cancel := p.rt.WithTimeout(ctx, max(p.all.plan.Calls.Think, 100*time.Millisecond))
	defer cancel()
	_, err := p.rt.Wait(ctx, o.news.came)
	return err == nil
}

// listAll lists the directory: usually the names alone, which may be cached, and again after a moment, so that
// they are. At times it asks the master, or lists the metadata of all children too.
func (p *registryWork) listAll(ctx context.Context, o *opened) {
	switch p.picks.Int(6) {
	case 0:
		p.readDir(ctx, o)
	case 1:
		p.names(client.Uncached(ctx), o)
	default:
		p.names(ctx, o)
	}
	for range p.picks.Int(3) {
		if p.has(o.path) != o || p.rt.Sleep(ctx, p.picks.Duration(0, 20*time.Millisecond)) != nil {
			return
		}
		p.names(ctx, o)
	}
}
