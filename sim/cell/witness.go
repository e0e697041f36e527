package cell

import (
	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/agreement"
	"github.com/chubbycell/chubby/sim/check/events"
	"github.com/chubbycell/chubby/sim/conformance/clients"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/workload"
)

// witness tells the checkers what client programs hear (Witness).
type witness struct{ c *Cell }

func (w witness) Dial(l *workload.Line, cfg client.Config) (cl *client.Client, hangUp func()) {
	return w.c.promises.Dial(l, cfg)
}

// life is what is known of a client; nil: it has no witness.
func (w witness) life(cl *client.Client) *clients.Life {
	if x := w.c.promises.Of(cl); x != nil {
		return x.Life
	}
	return nil
}

func (w witness) OnCallEnd(cl *client.Client, trail *client.CallID) {
	if l := w.life(cl); l != nil {
		l.OnCallEnd(trail)
	}
}

func (w witness) OnOutcome(cl *client.Client, late bool, err error) {
	w.c.suffix.OnCallEnd(cl, late, err, w.life(cl))
}

func (w witness) OnHandleGot(open model.Call, rights client.Rights) api.HandleID {
	id := w.c.handles.Opened[open]
	w.c.handles.OnHandleGot(id, rights)
	return id
}

func (w witness) OnHandleClose(cl *client.Client, h *client.Handle) {
	if l := w.life(cl); l != nil {
		l.OnHandleClose(h)
	}
}

func (w witness) LockTurns(cl *client.Client, h *client.Handle) workload.LockTurns {
	if l := w.life(cl); l != nil {
		return lockTurns{l.LockQueue(h)}
	}
	return nil
}

func (w witness) Tidies(rt *sim.Runtime, cl *client.Client, known int) { w.c.tidies(rt, cl, known) }
func (w witness) HasLost(cl *client.Client) bool                       { return w.c.suffix.HasLost(cl) }
func (w witness) IsForgetful(s api.SessionID) bool                     { return w.c.handles.Room.Over[s] }
func (w witness) Stands(n api.Ref) bool                                { return w.c.rights.At(n) != nil }
func (w witness) Untied(k model.Call) model.Finding                    { return w.c.handles.LooseFinding(k) }

func (w witness) Untold(in linearizability.FileInput, out linearizability.FileOutput) model.Finding {
	return agreement.Untold(in, out)
}

// lockTurns are those of a handle that programs share.
type lockTurns struct{ *clients.LockQueue }

func (t lockTurns) SetLock(l *client.Lock) { t.LockQueue.SetLock(l) }

// watching tells the checker of events what handles hear (workload.Watching).
type watching struct{ *events.Checker }

func (w watching) Opened(s api.SessionID, n api.Ref, id api.HandleID, mask client.EventMask, stat client.Stat) workload.Watch {
	return w.Checker.Opened(s, n, id, mask, stat)
}

// known is what the hostile client gets to know (adversary.Facts).
type known struct{ c *Cell }

func (k known) Given(t api.Token) *model.Grip          { return k.c.handles.Given[t] }
func (k known) OpenedBy(s api.SessionID) api.Principal { return k.c.rights.Opened[s] }
func (k known) LastNumber() api.Number                 { return k.c.watch.Numbered }
