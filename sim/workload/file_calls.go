package workload

import (
	"context"
	"errors"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/model"
)

// file makes one call on a node and records it in the history. ok reports whether the call has a
// definite answer that the model knows.
func (p *fileWork) file(ctx context.Context, in linearizability.FileInput, do func(context.Context) (linearizability.FileOutput, error)) (out linearizability.FileOutput, ok bool) {
	ctx, cancel := p.traced(ctx)
	defer cancel()
	f := p.begin(p.id, in)
	trail, taken := p.trail, p.watchRoom()
	out, err := do(ctx)
	if !p.rt.Env().Dead() {
		taken(trail, err)
		p.onCallEnd(p.trail)
	}
	return f.end(out, err)
}

// traced returns the context of the call that begins now. The context records the call id in
// p.trail, and ends when the patience of the program does.
func (p *thread) traced(ctx context.Context) (context.Context, context.CancelFunc) {
	p.trail, p.began = &client.CallID{}, p.all.world.Now()
	p.latest = p.trail
	return p.rt.WithTimeout(client.WithCallID(ctx, p.trail), p.patience())
}

// fileCall is a call on a node that is under way.
type fileCall struct {
	p       *fileWork
	id      int64 // the process in the history
	in      linearizability.FileInput
	at      int // the number of the call in the history
	reading Reading
}

// begin records that process id of the history begins a call.
func (p *fileWork) begin(id int64, in linearizability.FileInput) fileCall {
	b := p.all.nodes
	return fileCall{p: p, id: id, in: in, at: b.Begins(id, in, p.trail), reading: p.all.read.Begins(p.client)}
}

// end records the outcome of the call.
func (f fileCall) end(out linearizability.FileOutput, err error) (linearizability.FileOutput, bool) {
	p, c, b := f.p, f.p.all, f.p.all.nodes
	if p.rt.Env().Dead() {
		return out, false
	}
	code, known := fileCode(err)
	switch out.Code = code; {
	case known:
		b.OK(f.at, out)
	case errors.Is(err, client.ErrOutcomeUnknown):
		b.Unknown(f.at)
	default:
		b.Failed(f.at)
	}
	if known {
		f.reading.Ends(f.in, out, *p.trail, p.asked, p.isHit())
	}
	if x := c.witness.Untold(f.in, out, p.isLockless(f.in)); known && !p.just && x != (model.Finding{}) {
		c.world.Break(x.ID, "what client %d was answered to operation %d on %s %s", f.id, f.in.Op, f.in.Path, x.Text)
	}
	p.shut = c.witness.IsForgetful(p.trail.Session)
	if c.events.Wanted() {
		p.said = saidOfNode(f.in, out, known)
	}
	p.answered(err, c.isContended(f.in.Path), "a call on "+f.in.Path)
	return out, known
}

// answered counts a call that has a definite answer. After healing each call must have one (L1),
// unless the session had ended. ErrClosed is such an answer only if the handle may be closed:
// another program has the handle, too, or the session has closed more handles of earlier epochs
// than a master remembers, so that the master accepts no others (handle.Limits).
func (p *thread) answered(err error, hot bool, what string) {
	c := p.all
	p.calls++
	_, known := fileCode(err)
	known = known || errors.Is(err, client.ErrLockHeld) || errors.Is(err, client.ErrLockDelayed) ||
		errors.Is(err, client.ErrNotHeld) || errors.Is(err, client.ErrStaleSequencer) ||
		errors.Is(err, client.ErrPermission) || errors.Is(err, client.ErrPoisoned) || errors.Is(err, client.ErrInvalid) ||
		errors.Is(err, client.ErrTooLarge) || errors.Is(err, client.ErrQuota) ||
		p.shut && errors.Is(err, client.ErrClosed)
	p.shut = false
	if c.events.Wanted() {
		took := time.Duration(-1)
		if p.began >= 0 {
			took = c.world.Now() - p.began
		}
		c.publish(event.CallEnded{Client: p.rt.Env().Self(), Program: event.ProgramID(p.id), Call: what, Trail: p.latest, Took: took, Err: err, Asked: p.said.asked, Got: p.said.got})
		p.said = said{}
	}
	p.began = -1
	p.onOutcome(err)
	p.crowded = p.all.plan.Calls.Narrow && errors.Is(err, client.ErrCrowded) || errors.Is(err, client.ErrBusy)
	if errors.Is(err, client.ErrCrowded) && !p.all.plan.Calls.Narrow {
		c.world.Break("S14", "%s found no room, in a cell that has plenty: %v", what, err)
	}
	text := "ok"
	if err != nil {
		text = err.Error()
	}
	c.world.Result(p.rt.Env().Self(), []byte(text))
	switch {
	case known:
		c.Completed++
		if hot {
			c.Hot++
		}
	case p.strict && !p.expired && !p.crowded:
		c.world.Break("L1", "%s after healing had no answer: %v", what, err)
	}
}

// fileCodes maps errors of package client to answers of the model.
var fileCodes = []struct {
	err  error
	code linearizability.FileCode
}{
	{client.ErrNotFound, linearizability.FileNotFound}, {client.ErrExists, linearizability.FileExists},
	{client.ErrGone, linearizability.FileGone}, {client.ErrNotEmpty, linearizability.FileNotEmpty},
	{client.ErrNotDirectory, linearizability.FileNotDirectory}, {client.ErrIsDirectory, linearizability.FileIsDirectory},
	{client.ErrConflict, linearizability.FileConflict},
}

func fileCode(err error) (code linearizability.FileCode, known bool) {
	if err == nil {
		return linearizability.FileOK, true
	}
	for _, f := range fileCodes {
		if errors.Is(err, f.err) {
			return f.code, true
		}
	}
	return 0, false
}

// drop records that a call was not made after all.
func (f fileCall) drop() {
	if p, b := f.p, f.p.all.nodes; !p.rt.Env().Dead() {
		b.Failed(f.at)
	}
}
