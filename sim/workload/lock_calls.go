package workload

import (
	"context"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/model"
)

// locked makes a call on a lock and records it in the history; for a Release, with the grant that
// it gives back. sent reports whether the client asked the cell: it need not if its handles keep
// locks.
func (p *lockWork) locked(ctx context.Context, o *opened, in linearizability.LockInput, do func(context.Context) (linearizability.LockOutput, error)) (at int, sent bool) {
	b := p.all.holdings
	trail := &client.CallID{}
	p.latest = trail
	at = b.Begins(p.id, in, trail)
	if t := p.Turns(o); t != nil && (in.Op == linearizability.LockAcquire || in.Op == linearizability.LockTry) {
		t.OnAcquire(trail)
		defer t.OnAcquireEnd(trail)
	}
	out, err := do(client.WithCallID(ctx, trail))
	p.checkTied(o, trail)
	p.shut = p.mayBeShut(o)
	if in.Op == linearizability.LockRelease {
		b.Frees(at, o.granted)
	}
	if sent = trail.Session != 0; !sent && err == nil {
		b.Withdraw(at)
	}
	mistaken := in.Op == linearizability.LockCheckSequencer && o.fenced && err != nil // perhaps because of the sequencer of the handle itself
	if sent && !mistaken && !p.rt.Env().Dead() {
		b.Ends(at, err, out)
		if in.Op != linearizability.LockAcquire { // an Acquire that waits may be withdrawn, and then its answer is void
			p.onCallEnd(trail)
		}
	}
	return at, sent
}

// onLock describes a call on the lock of an open node to the history.
func (o *opened) onLock(op linearizability.LockOp) linearizability.LockInput {
	return linearizability.LockInput{
		Op: op, Path: o.path, Instance: uint64(o.stat.Instance),
		Handle: model.Owner{Session: o.session, Handle: o.id}.String(),
	}
}

// checking describes a CheckSequencer to the history.
func checking(sequencer string) linearizability.LockInput {
	s, err := api.ParseSequencerText(sequencer)
	if err != nil {
		panic(err) // the client itself made the sequencer
	}
	return linearizability.LockInput{
		Op: linearizability.LockCheckSequencer, Path: s.Node.Path.String(), Instance: uint64(s.Node.Instance),
		Shared: s.Mode == api.Shared, Gen: uint64(s.Gen),
	}
}

func generationIn(sequencer string) uint64 { return checking(sequencer).Gen }

// Turns returns the LockTurns of a handle that programs may share, or nil if none share handles.
func (p *lockWork) Turns(o *opened) LockTurns {
	if p.all.plan.Calls.Share == 0 {
		return nil
	}
	return p.all.witness.LockTurns(p.client, o.h)
}
