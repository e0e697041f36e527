package clients

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// hangs is what a client loses with its session: handles, and what became of calls
// that change something. It goes by what the client sends and is sent.
type hangs struct {
	handles int // open
	ended   int // calls that have their answer
	calls   map[api.Seq]sentCall
	fenced  api.Seq                    // no copy of a call up to here will be executed
	seen    api.Seq                    // the client waits for no call up to here
	refused map[api.Seq]bool           // tries to lock that were told that the lock is not to be had
	shut    map[api.HandleID]api.Epoch // closed, as a master of this epoch has said, the latest that the client knew then
	epoch   api.Epoch                  // the latest that the client has named
	vague   bool                       // an answer came that a client may not take for one, or that leaves a handle open
	at      time.Duration              // the last answer came, in true time
}

// sentCall is a call that has no answer.
type sentCall struct {
	op   api.Op
	seen api.Seq // of its first sending
}

func newHangs() hangs {
	return hangs{at: -1, calls: map[api.Seq]sentCall{}, refused: map[api.Seq]bool{}, shut: map[api.HandleID]api.Epoch{}}
}

// sends takes in a request.
func (h *hangs) sends(q api.Request) (f fault) {
	h.epoch = max(h.epoch, q.Epoch)
	if _, ends := q.Op.(api.EndSession); !ends { // that ends it all
		f = h.forgets(q.Seen)
	}
	if h.refused[q.Seq] && f == (fault{}) {
		f = faultf("L1", "asks again for call %d, which was a try, and was told that the lock is not to be had", q.Seq)
	}
	h.seen = max(h.seen, q.Seen)
	k, keeps := q.Op.(api.KeepAlive)
	switch {
	case f != (fault{}):
	case keeps:
		f = h.presents(k.Tokens)
	default:
		f = h.brings(q)
	}
	if _, again := h.calls[q.Seq]; again || q.Seq == 0 {
		return f
	}
	h.calls[q.Seq] = sentCall{q.Op, q.Seen}
	if _, closes := q.Op.(api.CloseHandle); closes {
		h.handles--
	}
	return f
}

// presents: a new master opens again what a client brings, and nobody would close what
// that has closed; an ephemeral node would not go while its session stands.
func (h *hangs) presents(tokens []api.Token) fault {
	for _, t := range tokens {
		if id, _, shut := h.closed(t); shut {
			return faultf("S15", "presents handle %v, which it has closed", id)
		}
	}
	return fault{}
}

// brings: nor does a call that was under way when its handle was closed go to a later
// master.
func (h *hangs) brings(q api.Request) fault {
	c, again := h.calls[q.Seq]
	if _, closes := q.Op.(api.CloseHandle); !again || c.op == nil || closes {
		return fault{}
	}
	if id, e, shut := h.closed(api.HandleOf(q.Op)); shut && e < q.Epoch {
		return faultf("S15", "asks a master of epoch %d for call %d, %T by handle %v, which one of epoch %d has closed", q.Epoch, q.Seq, q.Op, id, e)
	}
	return fault{}
}

// closed says that the handle of a token is, and in which epoch.
func (h *hangs) closed(t api.Token) (id api.HandleID, e api.Epoch, ok bool) {
	if k, is := ReadToken(t); is {
		e, ok = h.shut[k.ID]
		id = k.ID
	}
	return id, e, ok
}

// forgets: what gives something back is asked until there is an answer, whether or not
// its program waits, and what may get something until it is known, or cancelled, or the
// handle is closed by which it would have it. A client that says that it waits for no
// call up to one sends none of them again.
func (h *hangs) forgets(seen api.Seq) fault {
	for seq := h.seen + 1; seq <= seen; seq++ {
		delete(h.refused, seq)
		switch op := h.calls[seq].op.(type) {
		case api.Acquire, api.CancelAcquire, api.Release:
			if _, _, shut := h.closed(api.HandleOf(op)); shut {
				break
			}
			return faultf("S9", "waits no more for call %d, %T, which has no answer", seq, op)
		case api.Open, api.CloseHandle:
			if _, e, shut := h.closed(api.HandleOf(op)); shut && e < h.epoch {
				break
			}
			return faultf("S14", "waits no more for call %d, %T, which has no answer", seq, op)
		}
	}
	return fault{}
}

// hears takes in an answer. Others to the same call say nothing new.
func (h *hangs) hears(p api.Reply) {
	c, waits := h.calls[p.Seq]
	if try, is := c.op.(api.Acquire); is && !try.Wait && (p.Code == api.LockHeld || p.Code == api.LockDelayed) {
		h.refused[p.Seq] = true // whatever the product takes that for
	}
	if !waits || !p.Code.Definite() && p.Code != api.Stale && p.Code != api.NoHandle {
		return
	}
	o, opened := p.Detail.(api.Opened)
	if _, opens := c.op.(api.Open); opens && opened && o.Token != "" {
		h.handles++
	}
	if o, closes := c.op.(api.CloseHandle); closes && p.Code == api.OK && p.Epoch >= h.epoch && p.Seq > h.seen {
		if k, ok := ReadToken(o.Handle); ok {
			h.shut[k.ID] = p.Epoch
		}
	}
	if c.op != nil {
		h.ended++
	}
	h.vague = h.vague || vague(c.op, p)
	h.calls[p.Seq] = sentCall{seen: c.seen}
	if o, cancels := c.op.(api.CancelAcquire); cancels {
		h.calls[o.Call] = sentCall{seen: h.calls[o.Call].seen} // no answer is waited for
	}
	if p.Code.Execution() == api.Executed {
		h.fenced = max(h.fenced, c.seen)
	}
}

// what is lost with the session; "": nothing.
func (h *hangs) what() string {
	if h.handles > 0 {
		return fmt.Sprintf("%d handles", h.handles)
	}
	first := api.Seq(0)
	for seq, c := range h.calls { // order-free: the lowest is taken
		if seq > h.fenced && lasts(c.op) && (first == 0 || seq < first) {
			first = seq
		}
	}
	if first > 0 {
		return fmt.Sprintf("the answer to call %d", first)
	}
	return ""
}

// nothing says that nothing is lost with the session, whatever a client makes of what it
// was answered: no handle is open, and each call that was sent has its answer.
func (h *hangs) nothing() bool {
	for _, c := range h.calls { // order-free: any one will do
		if c.op != nil {
			return false
		}
	}
	return h.handles == 0 && !h.vague
}

// vague says of an answer that something is left open by it: a handle that was not
// closed, or a token or a lock that it does not name.
func vague(op api.Op, p api.Reply) bool {
	switch op.(type) {
	case api.CloseHandle:
		return p.Code.Execution() != api.Executed
	case api.Open, api.SetSequencer, api.Acquire:
		o, opened := p.Detail.(api.Opened)
		_, held := p.Detail.(api.Held)
		return p.Code == api.OK && !held && (!opened || o.Token == "")
	}
	return false
}

// lasts says that what an op does outlives its session.
func lasts(op api.Op) bool {
	switch op.(type) {
	case api.Put, api.Delete, api.CompareAndSet, api.Open, api.SetContents, api.SetACL, api.DeleteNode:
		return true
	}
	return false
}
