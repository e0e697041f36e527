package workload

import (
	"context"
	"errors"
	"fmt"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim/model"
)

// openTied opens the contended file relative to a directory whose handle is tied to the sequencer
// of a lock, while the lock is held and afterwards. The client may have the file in its cache.
func (p *cachedWork) openTied(ctx context.Context) {
	dir := model.Parent(HotNode)
	p.openAs(ctx, dir, manner{create: client.CreateMay, rights: client.Read | client.Write})
	o := p.has(dir)
	if o == nil {
		return
	}
	if p.take(ctx, o, client.Exclusive, false); o.lock != nil {
		p.tie(ctx, o, o.lock.Sequencer())
	}
	file := manner{create: client.CreateNever, rights: client.Read}
	p.openAs(ctx, HotNode, file)
	if x := p.has(HotNode); x != nil && p.ties.Chance(3, 4) { // otherwise it stays open
		p.closeHandle(x)
	}
	below := file
	below.dir = o
	if p.has(dir) == o && p.ties.Chance(1, 2) {
		p.openAs(ctx, HotNode, below)
		p.openAs(ctx, HotNode, file)
	}
	if p.has(dir) == o && o.lock != nil {
		p.giveUp(ctx, o)
	}
	for range 1 + p.ties.Int(2) {
		if p.has(dir) != o {
			return
		}
		p.openAs(ctx, HotNode, below)
	}
	p.closeHandle(o)
}

// tie ties a handle to a sequencer.
func (p *lockWork) tie(ctx context.Context, o *opened, q string) {
	err := p.unrecorded(ctx, o, func(ctx context.Context) error { return o.h.SetSequencer(ctx, q) })
	o.tied = o.tied || err == nil
	o.fenced = o.fenced || o.tied || errors.Is(err, client.ErrOutcomeUnknown)
	switch {
	case err == nil:
		o.sequencer = q
	case !errors.Is(err, client.ErrInvalid): // the handle may be tied to q, or not
		o.sequencer = ""
	}
	p.answered(err, false, "set-sequencer")
	if errors.Is(err, client.ErrGone) {
		p.closeUseless(o, err)
	}
}

// judgeTied is called when a call by a handle begins. The function that it returns is called with
// the outcome. If the handle is tied to a sequencer that, by the log, was stale before the call
// began, the answer must reveal nothing of the node, not even from a cache (C6.16).
func (p *fileWork) judgeTied(o *opened) func(out linearizability.FileOutput, ok bool) {
	if o == nil || o.shared || o.sequencer == "" || !p.all.witness.IsStale(o.sequencer) {
		return func(linearizability.FileOutput, bool) {}
	}
	q := o.sequencer
	return func(out linearizability.FileOutput, ok bool) {
		p.all.Stale++
		if ok && !p.rt.Env().Dead() && (out.Code == linearizability.FileOK || out.Code == linearizability.FileNotFound) {
			how := fmt.Sprintf("in call %d of session %d", p.trail.Seq, p.trail.Session)
			if p.isHit() {
				how = "from its cache"
			}
			p.all.world.Break("S10", "client %d was answered, %s, by its handle of %s, which is tied to the sequencer %q, and that was stale before the call began", p.id, how, o.path, q)
		}
	}
}
