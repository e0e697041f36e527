package workload

import (
	"context"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// cachedWork is a thread of the workload for caches, which reads names and configuration again and
// again, and seldom writes them.
type cachedWork struct {
	*lockWork
	acls  *rightsWork
	part  part
	drawn bool      // part has been drawn
	ties  *sim.Draw // decide when it ties a directory to a sequencer, and what it opens below
}

// part is the kind of work that a program does most of the time.
type part int

const (
	readsFile  part = iota // reads the contended file
	readsNames             // reads the names in directories
	looksFor               // opens nodes that usually do not exist
	registers              // makes ephemeral nodes that other programs open, and closes them
	writesFile             // writes the contended file, and at times deletes and makes it again
	opensAgain             // opens and closes nodes, and locks some
	guards                 // writes the ACL files of nodes that other programs open again
	partCount              // the number of parts
)

// partWeights are the weights by which parts are drawn: few programs write.
var partWeights = [partCount]uint32{6, 2, 2, 2, 2, 3, 1}

func (p *cachedWork) turn(ctx context.Context) {
	if !p.drawn {
		p.part, p.drawn = part(p.caching.Weighted(partWeights[:])), true
		p.ties = p.rt.Env().World().Draw("client.ties", uint64(p.id))
	}
	if p.ties.Chance(1, 24) {
		p.openTied(ctx)
		return
	}
	if p.caching.Chance(1, 5) { // no program does one thing only
		p.do(ctx, part(p.caching.Weighted(partWeights[:])))
		return
	}
	p.do(ctx, p.part)
}

func (p *cachedWork) do(ctx context.Context, what part) {
	switch what {
	case readsFile:
		p.readHot(ctx)
	case readsNames:
		p.readNames(ctx)
	case looksFor:
		p.openAs(ctx, p.register(), manner{create: client.CreateNever, rights: client.Read})
	case registers:
		p.toggleRegister(ctx)
	case writesFile:
		p.writeHot(ctx)
	case opensAgain:
		p.openAgain(ctx)
	case guards:
		p.acls.editACL(ctx)
	}
}

// register draws the path of an ephemeral node that may exist.
func (p *cachedWork) register() string {
	return fmt.Sprintf("%s/r%d", model.Parent(HotNode), p.caching.Int(4))
}

// readHot reads the contended file a few times, with pauses.
func (p *cachedWork) readHot(ctx context.Context) {
	o := p.has(HotNode)
	if o == nil {
		p.openAs(ctx, HotNode, manner{create: client.CreateMay, rights: client.Read | client.Write})
		return
	}
	for range 1 + p.caching.Int(4) {
		if p.caching.Chance(1, 4) {
			p.stat(ctx, o)
		} else {
			p.contents(ctx, o)
		}
		if p.has(HotNode) != o || p.rt.Sleep(ctx, p.pause()) != nil || p.all.Finale {
			return // with many programs, pauses are long; after healing, all that is left must end within a minute
		}
	}
}

// pause draws the time between two reads of a turn. Some pauses are short, so that a read meets a
// write.
func (p *cachedWork) pause() time.Duration {
	if p.caching.Chance(1, 2) {
		return p.caching.Duration(0, 5*time.Millisecond)
	}
	return p.caching.Duration(0, p.all.plan.Calls.Think)
}

// readNames reads the names in the directory of the contended file, and at times in other
// directories.
func (p *cachedWork) readNames(ctx context.Context) {
	path := model.Parent(HotNode)
	if p.caching.Chance(1, 4) {
		path = p.choose.dir()
	}
	o := p.has(path)
	switch {
	case o == nil:
		p.openAs(ctx, path, manner{create: client.CreateMay, rights: client.Read})
	case p.caching.Chance(1, 6):
		p.readDir(ctx, o)
	case p.caching.Chance(1, 4):
		p.stat(ctx, o)
	default:
		p.names(ctx, o)
	}
}

// toggleRegister makes an ephemeral node that other programs open, or deletes or closes it.
func (p *cachedWork) toggleRegister(ctx context.Context) {
	path := p.register()
	if o := p.has(path); o != nil {
		if p.caching.Chance(1, 4) {
			p.remove(ctx, o)
			return
		}
		p.closeHandle(o)
		return
	}
	p.openAs(ctx, path, manner{create: client.CreateMay, ephemeral: true, rights: allRights})
}

// writeHot writes the contended file. Seldom it deletes the file instead, which the next program
// makes again.
func (p *cachedWork) writeHot(ctx context.Context) {
	o := p.has(HotNode)
	switch {
	case o == nil || o.rights != allRights:
		p.openAs(ctx, HotNode, manner{create: client.CreateMay, rights: allRights})
	case p.caching.Chance(1, 12):
		p.remove(ctx, o)
	case p.caching.Chance(1, 12):
		p.setACL(ctx, o)
	default:
		for range p.caching.Int(5) { // a read that follows one write meets the next
			if p.setContents(ctx, o, 0); p.has(HotNode) != o {
				return
			}
		}
		p.setContents(ctx, o, p.choose.generation(o))
		if p.has(HotNode) == o && p.caching.Chance(1, 3) { // it reads what it has written
			p.contents(ctx, o)
		}
	}
}

// openAgain opens a node, closes it and opens it again.
func (p *cachedWork) openAgain(ctx context.Context) {
	path := p.choose.path()
	how := manner{create: client.CreateNever, rights: client.Read}
	if p.caching.Chance(1, 2) {
		how.rights = client.Read | client.Write
	}
	if p.caching.Chance(1, 2) { // an ACL file decides whether it may
		n := p.caching.Int(aclFiles)
		path, how.create, how.rights = fmt.Sprintf("%s/g%d", model.Parent(HotNode), n), client.CreateMay, client.Read
		how.names = client.ACLNames{Read: api.ACLName(aclFile(n))}
	}
	p.openAs(ctx, path, how)
	o := p.has(path)
	if o == nil {
		if p.caching.Chance(1, 2) {
			p.openAs(ctx, path, manner{create: client.CreateMay, rights: allRights})
		}
		return
	}
	switch p.caching.Int(4) {
	case 0:
		p.stat(ctx, o)
	case 1:
		if how.rights&client.Write != 0 {
			p.tryLock(ctx, o)
		}
	case 2:
		if p.rt.Sleep(ctx, p.caching.Duration(0, 100*time.Millisecond)) != nil {
			return
		}
	}
	if p.has(path) == o && p.caching.Chance(3, 4) {
		p.closeHandle(o)
	}
}

// tryLock takes the lock of a node if it is free, and usually releases it.
func (p *cachedWork) tryLock(ctx context.Context, o *opened) {
	if o.lock == nil {
		p.take(ctx, o, client.Exclusive, false)
	}
	if o.lock != nil && p.has(o.path) == o && p.caching.Chance(2, 3) { // otherwise the lock goes with its handle
		p.release(ctx, o)
	}
}

// cacheOf sets how large a cache a client keeps.
func (c *Programs) cacheOf(d *sim.Draw, cfg *client.Config) {
	x := &c.plan.Caches
	if cfg.Cache.Off = !x.On; !x.On {
		return
	}
	cfg.Cache.Handles, cfg.Cache.Idle = x.Handles, x.Idle
	if x.Small && d.Chance(1, 2) {
		cfg.Cache.Entries, cfg.Cache.Bytes = int(d.LogUniform(1, 16)), int(d.LogUniform(300, 1<<14))
	}
}
