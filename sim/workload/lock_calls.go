package workload

import (
	"context"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/model"
)

// locked makes a call on a lock and keeps the books of it: for a Release, of which
// grant it gives back. sent says that the client asked the cell: it need not where it keeps locks.
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
	p.tied(o, trail)
	p.shut = p.mayBeShut(o)
	if in.Op == linearizability.LockRelease {
		b.Frees(at, o.granted)
	}
	if sent = trail.Session != 0; !sent && err == nil {
		b.Withdraw(at)
	}
	mistaken := in.Op == linearizability.LockCheckSequencer && o.fenced && err != nil // perhaps for the handle's own
	if sent && !mistaken && !p.rt.Env().Dead() {
		b.Ends(at, err, out)
		if in.Op != linearizability.LockAcquire { // one that waits may be withdrawn: what answers it then is void
			p.hears(trail)
		}
	}
	return at, sent
}

// onLock is a call about the lock of a node that is open.
func (o *opened) onLock(op linearizability.LockOp) linearizability.LockInput {
	return linearizability.LockInput{
		Op: op, Path: o.path, Instance: uint64(o.stat.Instance),
		Handle: model.Owner{Session: o.session, Handle: o.id}.String(),
	}
}

// checking is a CheckSequencer.
func checking(sequencer string) linearizability.LockInput {
	s, err := api.ParseSequencerText(sequencer)
	if err != nil {
		panic(err) // a client has made it
	}
	return linearizability.LockInput{
		Op: linearizability.LockCheckSequencer, Path: s.Node.Path.String(), Instance: uint64(s.Node.Instance),
		Shared: s.Mode == api.Shared, Gen: uint64(s.Gen),
	}
}

func generationIn(sequencer string) uint64 { return checking(sequencer).Gen }

// Turns are those of a handle that programs share, or may; nil where none do.
func (p *lockWork) Turns(o *opened) LockTurns {
	if p.all.plan.Calls.Share == 0 {
		return nil
	}
	return p.all.witness.LockTurns(p.client, o.h)
}
