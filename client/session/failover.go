package session

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// failoverNotice is a fail-over that a master has reported and the client has not acknowledged. A
// new master has no open handles. The client presents those that hold something, part by part, each
// part after the last one was answered, and then acknowledges the epoch. The master then frees what
// handles hold that were not presented.
type failoverNotice struct {
	epoch  api.Epoch   // 0: no fail-over is pending
	tokens []api.Token // not presented yet, the current part first
	part   int         // number of the current part, from 1
	size   int         // tokens in the current part
}

// maxPart bounds the bytes of tokens in one KeepAlive.
const maxPart = 64 << 10

// nextPart selects the next part of the remaining tokens.
func (n *failoverNotice) nextPart() {
	n.part++
	n.size = 0
	for room := maxPart; n.size < len(n.tokens) && n.size < api.MaxTokens; n.size++ {
		room -= len(n.tokens[n.size])
		if room < 0 && n.size > 0 {
			return
		}
	}
}

// onFailover handles what the answer to a KeepAlive of epoch says about a fail-over; asked is
// Leased.Failover. It returns whether the state has changed, so that the next KeepAlive must be
// sent at once.
func (m *Machine) onFailover(b keepAliveSent, epoch api.Epoch, asked bool) bool {
	n := &m.notice
	switch {
	case epoch != m.epoch: // of a former master
		return false
	case n.epoch != 0 && n.epoch == epoch:
		if b.part != n.part {
			return false
		}
		n.tokens = n.tokens[n.size:]
		n.nextPart()
	case asked && m.acked < epoch:
		m.emitEvent(Event{Kind: EventFailover, Epoch: epoch})
		*n = failoverNotice{epoch: epoch, tokens: m.tokensToPresent()}
		n.nextPart()
	case !asked && m.settled < epoch:
		m.settled = epoch
		return true
	default:
		return false
	}
	if n.size == 0 {
		m.acked, m.notice = epoch, failoverNotice{}
		m.emitEvent(Event{Kind: EventPresented})
	}
	return true
}

// tokensToPresent returns the tokens of the handles that hold something, or may. An Acquire
// that was sent may have been executed: the new master finds its stored answer, and must not
// have freed that lock in the meantime. Handles that are being closed come last: the former master
// may have closed them and given their places to others, and the new one may have no room for all.
func (m *Machine) tokensToPresent() []api.Token {
	all := m.holdings.heldTokens()
	closing := map[api.Token]bool{}
	for _, c := range m.flight {
		switch o := c.op.(type) {
		case api.Acquire:
			if !c.handleClosed {
				all = m.holdings.addToken(all, o.Handle)
			}
		case api.CancelAcquire:
			all = m.holdings.addToken(all, o.Handle)
		case api.CloseHandle:
			closing[m.holdings.current(o.Handle)] = true
		}
	}
	var open, last []api.Token
	for _, t := range all {
		if closing[t] {
			last = append(last, t)
		} else {
			open = append(open, t)
		}
	}
	return append(open, last...)
}

// resendStale sends at once what the present master may not have received: everything that was
// sent in a lower epoch, and the KeepAlive if it waits at a replica that is no longer the
// target.
func (m *Machine) resendStale(now time.Time) {
	if m.state != Open && m.state != Ending {
		return
	}
	if m.notice.epoch != 0 && m.notice.epoch < m.epoch {
		m.notice = failoverNotice{} // the next master will ask again
	}
	if m.keep == nil && m.session != 0 && m.settled < m.epoch { // this master may give leases
		m.keep = &call{}
	}
	if c := m.keep; c != nil {
		strayed := c.id != 0 && c.to != m.keepAliveTarget() && c.hints < maxHints
		if c.epoch < m.epoch || strayed {
			c.hints++
			m.sendToNewMaster(now, c)
		}
	}
	for _, c := range m.flight {
		switch {
		case c.epoch == m.epoch:
		case m.canSend(c):
			m.sendToNewMaster(now, c)
		default:
			c.due = now
		}
	}
}

// sendToNewMaster sends c again. Refusals and silence of other masters say nothing about this one:
// it will serve as soon as the other clients have found it, so the pauses begin anew.
func (m *Machine) sendToNewMaster(now time.Time, c *call) {
	if c.epoch < m.epoch {
		c.missed, c.refused = 0, 0
	}
	m.send(now, c)
}
