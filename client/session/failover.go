package session

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// notice is a fail-over that the client was told of and has not acknowledged. A
// new master has no handles: those that hold something are presented to it, part
// by part, each when the last was answered; then the epoch is named as flushed. A
// master frees what the handles held that it was not shown by then.
type notice struct {
	epoch  api.Epoch   // 0: there is none
	tokens []api.Token // still to be presented, this part first
	part   int         // from 1
	size   int         // how many tokens are this part
}

// maxPart is how many bytes of tokens go in one KeepAlive.
const maxPart = 64 << 10

// cut makes the next part of what is left.
func (n *notice) cut() {
	n.part++
	n.size = 0
	for room := maxPart; n.size < len(n.tokens) && n.size < api.MaxTokens; n.size++ {
		room -= len(n.tokens[n.size])
		if room < 0 && n.size > 0 {
			return
		}
	}
}

// noticed handles what the answer to a sending says about a fail-over. It says
// whether that was news, so that the next KeepAlive must not wait.
func (m *Machine) noticed(b beat, epoch api.Epoch, told bool) bool {
	n := &m.notice
	switch {
	case epoch != m.epoch: // of a former master
		return false
	case n.epoch != 0 && n.epoch == epoch:
		if b.part != n.part {
			return false
		}
		n.tokens = n.tokens[n.size:]
		n.cut()
	case told && m.flushed < epoch:
		m.tell(Event{Kind: EventFailover, Epoch: epoch})
		*n = notice{epoch: epoch, tokens: m.presented()}
		n.cut()
	case !told && m.confirmed < epoch:
		m.confirmed = epoch
		return true
	default:
		return false
	}
	if n.size == 0 {
		m.flushed, m.notice = epoch, notice{}
	}
	return true
}

// presented are the tokens of the handles that hold something, or may: an Acquire
// that was sent may have been executed, and its answer, which the new master finds,
// must not be about a lock that was freed meanwhile.
func (m *Machine) presented() []api.Token {
	all := m.holdings.tokens()
	for _, c := range m.flight {
		switch o := c.op.(type) {
		case api.Acquire:
			if !c.shut {
				all = m.holdings.with(all, o.Handle)
			}
		case api.CancelAcquire:
			all = m.holdings.with(all, o.Handle)
		}
	}
	return all
}

// catchUp sends again, at once, what the present master may not know: all that was
// sent in an older epoch, and the KeepAlive if it is parked at a replica that is no
// longer taken for the master.
func (m *Machine) catchUp(now time.Time) {
	if m.state != Open && m.state != Ending {
		return
	}
	if m.notice.epoch != 0 && m.notice.epoch < m.epoch {
		m.notice = notice{} // the next master will ask anew
	}
	if m.keep == nil && m.session != 0 && m.confirmed < m.epoch { // this master may give leases
		m.keep = &call{}
	}
	if c := m.keep; c != nil {
		strayed := c.id != 0 && c.to != m.keeps() && c.hops < maxHops
		if c.epoch < m.epoch || strayed {
			c.hops++
			m.send(now, c)
		}
	}
	for _, c := range m.flight {
		switch {
		case c.epoch == m.epoch:
		case m.goes(c):
			m.send(now, c)
		default:
			c.due = now
		}
	}
}
