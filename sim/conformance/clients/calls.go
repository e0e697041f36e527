package clients

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

// callModel holds what a client would lose with its session: open handles, and the outcome of
// calls that change something. It is computed from requests and replies.
type callModel struct {
	handles      int                        // open handles
	keeps        bool                       // the client keeps handles that its program has closed
	inUse        map[*client.Handle]bool    // handles that its program has open, as far as it says so
	used         map[api.Token]bool         // tokens of open handles: whether a call by the handle was sent
	live         map[api.HandleID]api.Epoch // handles not closed: the last epoch in which each was opened, used or presented
	answered     int                        // calls with a reply
	sent         map[api.Seq]sentCall       // an entry without op has its reply
	fenced       api.Seq                    // no duplicate of a call up to this one will be executed
	acked        api.Seq                    // the client waits for no call up to this one
	refused      map[api.Seq]bool           // TryAcquires that were told that the lock is not available
	closed       map[api.HandleID]api.Epoch // handle -> epoch of the master that closed it, the latest that the client knew then
	epoch        api.Epoch                  // latest epoch that a request has named
	inconclusive bool                       // a reply left a handle open, or lacked what its call asked for
	answeredAt   time.Duration              // true time of the last reply; below 0: none came
	overAt       time.Duration              // true time when the client was first seen to take its session for over; 0: never
}

// sentCall is a call and its state; without op it has a reply.
type sentCall struct {
	op    api.Op
	acked api.Seq // acknowledged when it was sent first
}

func newCallModel() callModel {
	return callModel{answeredAt: -1, live: map[api.HandleID]api.Epoch{}, inUse: map[*client.Handle]bool{}, used: map[api.Token]bool{}, sent: map[api.Seq]sentCall{}, refused: map[api.Seq]bool{}, closed: map[api.HandleID]api.Epoch{}}
}

// isAnsweredBefore reports whether the last reply came before the client took its session for
// over, or before now. A reply that came with the end, in one step, may have come after it:
// the client may be paused before its program learns of it.
func (m *callModel) isAnsweredBefore(now time.Duration) bool {
	return m.answeredAt < now && (m.overAt == 0 || m.answeredAt < m.overAt)
}

// next returns the model of the same client's next session.
func (m *callModel) next() callModel {
	n := newCallModel()
	n.keeps = m.keeps
	return n
}

// onSend records a request, and checks that the client may send it.
func (m *callModel) onSend(q api.Request) (f breach) {
	m.epoch = max(m.epoch, q.Epoch)
	if _, ends := q.Op.(api.EndSession); !ends { // EndSession abandons all calls
		f = m.checkAcked(q)
	}
	if m.refused[q.Seq] && f == (breach{}) {
		f = breachf("L1", "sends call %d again, a TryAcquire that was told that the lock is not available", q.Seq)
	}
	m.acked = max(m.acked, q.AckedThrough)
	k, keeps := q.Op.(api.KeepAlive)
	m.useHandles(q.Epoch, slices.Concat(k.Tokens, []api.Token{api.HandleOf(q.Op)}))
	switch {
	case f != (breach{}):
	case keeps:
		f = m.checkPresented(k.Tokens)
	default:
		f = m.checkRetry(q)
	}
	if _, again := m.sent[q.Seq]; again || q.Seq == 0 {
		return f
	}
	m.sent[q.Seq] = sentCall{q.Op, q.AckedThrough}
	if _, open := m.used[api.HandleOf(q.Op)]; open {
		m.used[api.HandleOf(q.Op)] = true
	}
	if o, closes := q.Op.(api.CloseHandle); closes {
		delete(m.used, o.Handle)
		m.handles--
		if k, ok := ReadToken(o.Handle); ok {
			delete(m.live, k.ID)
		}
	}
	return f
}

// useHandles records that a master of epoch e was sent these tokens.
func (m *callModel) useHandles(e api.Epoch, tokens []api.Token) {
	for _, t := range tokens {
		if k, ok := ReadToken(t); ok && m.live[k.ID] > 0 {
			m.live[k.ID] = max(m.live[k.ID], e)
		}
	}
}

// countHandles counts the open handles that the program would lose with the session. The program never had the handle of
// an Open that it gave up and that was answered later: a handle counts if the program says that it has it, or, since not
// all programs say so, if a call by it was sent.
func (m *callModel) countHandles() int {
	if m.keeps {
		return min(m.handles, len(m.inUse))
	}
	used := 0
	for _, is := range m.used { // order-free: a sum
		if is {
			used++
		}
	}
	return min(m.handles, max(len(m.inUse), used))
}

// countLive counts the open handles that the latest master may know of.
func (m *callModel) countLive() (n int) {
	for _, e := range m.live { // order-free: a sum
		if e >= m.epoch {
			n++
		}
	}
	return n
}

// checkPresented: a client does not present to a new master a handle that a former one has
// closed. The new master would open it again, nothing would close it, and an ephemeral node
// would live as long as the session.
func (m *callModel) checkPresented(tokens []api.Token) breach {
	for _, t := range tokens {
		if id, _, closed := m.closedHandle(t); closed {
			return breachf("S15", "presents handle %v, which is closed", id)
		}
	}
	return breach{}
}

// checkRetry: for the same reason a client does not retry at a later master a call by a
// handle that was closed meanwhile.
func (m *callModel) checkRetry(q api.Request) breach {
	c, again := m.sent[q.Seq]
	if _, closes := q.Op.(api.CloseHandle); !again || c.op == nil || closes {
		return breach{}
	}
	if id, e, closed := m.closedHandle(api.HandleOf(q.Op)); closed && e < q.Epoch {
		return breachf("S15", "sends a master of epoch %d call %d, %T by handle %v, which the master of epoch %d has closed", q.Epoch, q.Seq, q.Op, id, e)
	}
	return breach{}
}

// closedHandle returns the id of a token's handle and the epoch in which it was closed; ok is
// false where it was not.
func (m *callModel) closedHandle(t api.Token) (id api.HandleID, e api.Epoch, ok bool) {
	if k, is := ReadToken(t); is {
		e, ok = m.closed[k.ID]
		id = k.ID
	}
	return id, e, ok
}

// again says that the request that acknowledges a call asks for the same under another number, if it does.
func again(q api.Request, seq api.Seq, op api.Op) string {
	if q.Seq == 0 || q.Seq == seq || !reflect.DeepEqual(q.Op, op) {
		return ""
	}
	return fmt.Sprintf("; it does so in call %d, which asks for the same again", q.Seq)
}

// checkAcked: by acknowledging all calls up to acked a client gives up their replies and
// retries none of them. It must not give up a call that releases something before that has a
// reply, nor one that may acquire something before its outcome is known, it is cancelled, or
// its handle is closed.
func (m *callModel) checkAcked(q api.Request) breach {
	for seq := m.acked + 1; seq <= q.AckedThrough; seq++ {
		delete(m.refused, seq)
		switch op := m.sent[seq].op.(type) {
		case api.Acquire, api.CancelAcquire, api.Release:
			if _, _, closed := m.closedHandle(api.HandleOf(op)); closed {
				break
			}
			return breachf("S9", "acknowledges call %d, %T, which has no reply%s", seq, op, again(q, seq, op))
		case api.Open, api.CloseHandle:
			if _, e, closed := m.closedHandle(api.HandleOf(op)); closed && e < m.epoch {
				break
			}
			return breachf("S14", "acknowledges call %d, %T, which has no reply%s", seq, op, again(q, seq, op))
		}
	}
	return breach{}
}

// onReply records a reply. Only the first conclusive reply to a call counts.
func (m *callModel) onReply(p api.Reply) {
	c, waits := m.sent[p.Seq]
	if try, is := c.op.(api.Acquire); is && !try.Wait && (p.Code == api.LockHeld || p.Code == api.LockDelayed) {
		m.refused[p.Seq] = true // even where the client takes the reply for inconclusive
	}
	if !waits || !p.Code.IsDefinite() && p.Code != api.Stale && p.Code != api.NoHandle {
		return
	}
	o, opened := p.Detail.(api.Opened)
	if _, opens := c.op.(api.Open); opens && opened && o.Token != "" {
		m.handles++
		m.used[o.Token] = false
		if k, ok := ReadToken(o.Token); ok {
			m.live[k.ID] = p.Epoch
		}
	}
	if q, ties := c.op.(api.SetSequencer); ties && opened && o.Token != "" { // the handle goes on under another token
		delete(m.used, q.Handle)
		m.used[o.Token] = true
	}
	if o, closes := c.op.(api.CloseHandle); closes && p.Code == api.OK && p.Epoch >= m.epoch && p.Seq > m.acked {
		if k, ok := ReadToken(o.Handle); ok {
			m.closed[k.ID] = p.Epoch
		}
	}
	if c.op != nil {
		m.answered++
	}
	m.inconclusive = m.inconclusive || isInconclusive(c.op, p)
	m.sent[p.Seq] = sentCall{acked: c.acked}
	if o, cancels := c.op.(api.CancelAcquire); cancels {
		m.sent[o.Call] = sentCall{acked: m.sent[o.Call].acked} // a cancelled call needs no reply
	}
	if p.Code.Execution() == api.Executed {
		m.fenced = max(m.fenced, c.acked)
	}
}

// lostWithSession describes what would be lost with the session; "" means nothing.
func (m *callModel) lostWithSession() string {
	if n := m.countHandles(); n > 0 {
		return fmt.Sprintf("%d handles", n)
	}
	first := api.Seq(0)
	for seq, c := range m.sent { // order-free: the lowest is taken
		if seq > m.fenced && hasLastingEffect(c.op) && (first == 0 || seq < first) {
			first = seq
		}
	}
	if first > 0 {
		return fmt.Sprintf("the answer to call %d", first)
	}
	return ""
}

// hasNothingToLose reports that no handle is open and each call has a conclusive reply, so
// that nothing is lost with the session however the client reads its replies.
func (m *callModel) hasNothingToLose() bool {
	for _, c := range m.sent { // order-free: any one decides
		if c.op != nil {
			return false
		}
	}
	return m.handles == 0 && !m.inconclusive // one that the client keeps, or closes, may count for it
}

// isInconclusive reports that reply p leaves something open: a handle that was not closed, or
// a token or lock that p does not name.
func isInconclusive(op api.Op, p api.Reply) bool {
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

// hasLastingEffect reports that the effect of op outlives its session.
func hasLastingEffect(op api.Op) bool {
	switch op.(type) {
	case api.Put, api.Delete, api.CompareAndSet, api.Open, api.SetContents, api.SetACL, api.DeleteNode:
		return true
	}
	return false
}
