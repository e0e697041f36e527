package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/state/command"
)

// put proposes what is to be done for a call.
func (o *Ops) put(c *calls.Call, a calls.Attempt, deed command.NodeOp) {
	o.calls.Propose(c, a)
	o.count.Proposed++
	o.propose(o.act(c, deed))
}

func (o *Ops) act(c *calls.Call, deed command.NodeOp) command.NodeCommand {
	return command.NodeCommand{Guard: o.epoch, Session: c.Session, Seq: c.Seq, AckedThrough: c.Request.Seen, Op: deed}
}

// drop says that nothing decides a call any more that was under way. Where it was an Open
// that was proposed, the node at its path may now be open by no handle.
func (o *Ops) drop(c *calls.Call) {
	opens := c.State == calls.Proposed && c.Kind == calls.Opens
	o.calls.Decide(c)
	o.barrier.leave(keyOf(c))
	if opens {
		o.doubted.add(c.Path)
	}
}

// take ends the attempt of a call whose command was applied, or not taken by the log; nil
// if the call is not under way any more.
func (o *Ops) take(s api.SessionID, seq api.Seq) *calls.Call {
	c := o.calls.Of(s, seq)
	if c == nil || c.State != calls.Proposed {
		return nil
	}
	o.drop(c)
	return c
}

// reply answers the newest duplicate of a call, if it has no answer yet.
func (o *Ops) reply(c *calls.Call, r api.Result) {
	if to, ok := o.calls.Reply(c, r.Code != api.Parked); ok {
		o.out.Replies = append(o.out.Replies, Reply{To: to, Session: c.Session, Seq: c.Seq, Result: r})
	}
}

// tell answers a call for good. Duplicates are told the same: the call must not be judged
// again, for by then it might be executed, while its client believes otherwise.
func (o *Ops) tell(c *calls.Call, r api.Result) {
	if r.Code.IsDefinite() && c.Seq > o.calls.Acked(c.Session) {
		o.calls.Keep(c, r)
	}
	o.reply(c, r)
}
