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

// cachedWork is a thread of the workload for caches: names and configuration are read again and
// again, and seldom written.
type cachedWork struct {
	*lockWork
	acls *rightsWork
	part part
	told bool      // part is drawn
	ties *sim.Draw // when it ties a directory to a sequencer, and what it opens below
}

// part is what a program does mostly.
type part int

const (
	readsFile   part = iota // reads the contended file
	readsNames              // reads which nodes there are in directories
	looksFor                // opens what is not there as a rule
	registers               // makes ephemeral nodes that others look for, and closes them
	writesFile              // writes the contended file, and at times makes it anew
	opensAgain              // opens and closes nodes, and locks some
	guards                  // writes the ACL files of nodes that others open again
	partsBehind             // how many there are
)

// parts are drawn by these weights: of many programs, few write.
var partWeights = [partsBehind]uint32{6, 2, 2, 2, 2, 3, 1}

func (p *cachedWork) turn(ctx context.Context) {
	if !p.told {
		p.part, p.told = part(p.caching.Weighted(partWeights[:])), true
		p.ties = p.rt.Env().World().Draw("client.ties", uint64(p.id))
	}
	if p.ties.Chance(1, 24) {
		p.opensTied(ctx)
		return
	}
	if p.caching.Chance(1, 5) { // no program does one thing only
		p.does(ctx, part(p.caching.Weighted(partWeights[:])))
		return
	}
	p.does(ctx, p.part)
}

func (p *cachedWork) does(ctx context.Context, what part) {
	switch what {
	case readsFile:
		p.reads(ctx)
	case readsNames:
		p.lists(ctx)
	case looksFor:
		p.openAs(ctx, p.register(), manner{create: client.CreateNever, rights: client.Read})
	case registers:
		p.comes(ctx)
	case writesFile:
		p.writes(ctx)
	case opensAgain:
		p.again(ctx)
	case guards:
		p.acls.editACL(ctx)
	}
}

// register is the path of an ephemeral node that may be there.
func (p *cachedWork) register() string {
	return fmt.Sprintf("%s/r%d", model.Parent(HotNode), p.caching.Int(4))
}

// reads reads the contended file a few times, with pauses.
func (p *cachedWork) reads(ctx context.Context) {
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
			return // pauses of many programs are long, and after healing a minute is for all that is left
		}
	}
}

// pause is between two reads of a turn: short at times, for a read to meet a write.
func (p *cachedWork) pause() time.Duration {
	if p.caching.Chance(1, 2) {
		return p.caching.Duration(0, 5*time.Millisecond)
	}
	return p.caching.Duration(0, p.all.plan.Calls.Think)
}

// lists reads the names in the directory of the contended file, and at times of others.
func (p *cachedWork) lists(ctx context.Context) {
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

// comes makes an ephemeral node that others look for, or lets it go.
func (p *cachedWork) comes(ctx context.Context) {
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

// writes writes the contended file, and seldom takes it away, for the next one to make it anew.
func (p *cachedWork) writes(ctx context.Context) {
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
		if p.has(HotNode) == o && p.caching.Chance(1, 3) { // what it has written it reads
			p.contents(ctx, o)
		}
	}
}

// again opens what it has just closed.
func (p *cachedWork) again(ctx context.Context) {
	path := p.choose.path()
	how := manner{create: client.CreateNever, rights: client.Read}
	if p.caching.Chance(1, 2) {
		how.rights = client.Read | client.Write
	}
	if p.caching.Chance(1, 2) { // whether it may depends on an ACL file
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

// tryLock takes the lock of a node if it is free, and gives it back as a rule.
func (p *cachedWork) tryLock(ctx context.Context, o *opened) {
	if o.lock == nil {
		p.take(ctx, o, client.Exclusive, false)
	}
	if o.lock != nil && p.has(o.path) == o && p.caching.Chance(2, 3) { // or with its handle
		p.release(ctx, o)
	}
}

// cacheOf is the cache that a client keeps.
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
