package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/state/command"
)

// put proposes the command that is to decide a call.
func (o *Ops) put(c *calls.Call, a calls.Attempt, deed command.NodeOp) {
	o.calls.Propose(c, a)
	o.count.Proposed++
	o.propose(o.act(c, deed))
}

func (o *Ops) act(c *calls.Call, deed command.NodeOp) command.NodeCommand {
	return command.NodeCommand{Guard: o.epoch, Session: c.Session, Seq: c.Seq, AckedThrough: c.Request.Seen, Op: deed}
}

// drop makes a call that was under way Undecided. If it was a proposed Open, its path is doubted: no
// handle may have the node open now.
func (o *Ops) drop(c *calls.Call) {
	opens := c.State == calls.Proposed && c.Kind == calls.Opens
	o.calls.Decide(c)
	o.barrier.leave(keyOf(c))
	if opens {
		o.doubted.add(c.Path)
	}
}

// take returns the call of a command that was applied or that the log did not take, and makes it
// Undecided; nil if the call is no longer Proposed.
func (o *Ops) take(s api.SessionID, seq api.Seq) *calls.Call {
	c := o.calls.Of(s, seq)
	if c == nil || c.State != calls.Proposed {
		return nil
	}
	o.drop(c)
	return c
}

// reply answers the newest duplicate of a call, if that still waits for an answer.
func (o *Ops) reply(c *calls.Call, r api.Result) {
	if to, ok := o.calls.Reply(c, r.Code != api.Parked); ok {
		o.out.Replies = append(o.out.Replies, Reply{To: to, Session: c.Session, Seq: c.Seq, Result: r})
	}
}

// tell gives a call its final answer, which stands in no row. A definite answer is kept for later
// duplicates: if the call were judged again, it might be executed although its client believes that it
// was not.
func (o *Ops) tell(c *calls.Call, r api.Result) {
	if r.Code.IsDefinite() && c.Seq > o.calls.Acked(c.Session) {
		o.calls.Keep(c, r)
	}
	o.reply(c, r)
}
