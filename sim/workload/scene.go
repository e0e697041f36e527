package workload

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
)

// scene is a program as the turns of an extension see it (scenario.Program).
type scene struct {
	p      *program
	ctx    context.Context
	healed bool // the safety phase was over when the turn began: each call of it must succeed
}

func (t *scene) Client() *client.Client { return t.p.client }
func (t *scene) Draw() *sim.Draw        { return t.p.draws }
func (t *scene) ID() int64              { return t.p.id }
func (t *scene) Now() time.Time         { return t.p.rt.Now() }
func (t *scene) Role() string           { return t.p.role }
func (t *scene) State() any             { return t.p.state }
func (t *scene) SetState(s any)         { t.p.state = s }
func (t *scene) Healed() bool           { return t.p.all.Finale }
func (t *scene) World() *sim.World      { return t.p.all.world }

func (t *scene) Sleep(ctx context.Context, d time.Duration) error { return t.p.rt.Sleep(ctx, d) }

func (t *scene) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return t.p.rt.WithTimeout(ctx, d)
}

// Done counts a call. A refusal is an answer; an unknown outcome is none.
func (t *scene) Done(call string, contended bool, err error) {
	p, c := t.p, t.p.all
	if p.rt.Env().Dead() {
		return
	}
	p.calls++
	p.expired = p.expired || errors.Is(err, client.ErrSessionExpired)
	text := "ok"
	if err != nil {
		text = err.Error()
	}
	c.world.Result(p.rt.Env().Self(), []byte(call+": "+text))
	if c.events.Wanted() {
		c.publish(event.CallEnded{Client: p.rt.Env().Self(), Program: event.ProgramID(p.id), Role: p.role, Call: call, Took: -1, Err: err})
	}
	unanswered := errors.Is(err, client.ErrOutcomeUnknown) || errors.Is(err, client.ErrWithdrawn) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	if unanswered {
		c.Unknown++
	}
	switch {
	case !unanswered && !p.expired:
		c.Completed++
		if contended {
			c.Hot++
		}
	case unanswered && t.healed && !p.expired: // a call that began before healing may have been lost to a fault
		c.world.Break("L1", "%s after healing had no answer: %v", call, err)
	}
}

// Note publishes a text that is no call.
func (t *scene) Note(text string) {
	if c := t.p.all; c.events.Wanted() && !t.p.rt.Env().Dead() {
		c.publish(event.Noted{Client: t.p.rt.Env().Self(), Program: event.ProgramID(t.p.id), Role: t.p.role, Text: text})
	}
}

// IsOfScene reports whether a call on a stack (sim.Blocked) is a method that this package gives to
// turns of an extension. A report should name the line of the extension that made the call instead.
func IsOfScene(call string) bool { return strings.HasPrefix(call, "workload.(*scene).") }

// finaleOfAdded makes the last turns of a program of an extension.
func (p *program) finaleOfAdded(ctx context.Context) {
	ctx, cancel := p.rt.WithTimeout(ctx, finalePatience)
	defer cancel()
	p.turn(p, ctx)
}
