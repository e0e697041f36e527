package faults

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// lostNews loses answers to KeepAlives that carry events, and no others: such answers are few, and
// links seldom lose them. Each is lost with an even chance, so a client may receive a part of what
// its master has sent, and acknowledge that part.
type lostNews struct{ draws *sim.Draw }

// loseNews turns lostNews on for a while.
func loseNews(c *Faults, d *sim.Draw) {
	if c.lostNews != nil {
		return
	}
	c.lostNews = &lostNews{draws: d}
	c.until(d.Duration(2*time.Second, 10*time.Second), func() { c.lostNews = nil })
}

// maybeLoseNews cuts the link while a replica sends an answer that should be lost.
func (c *Faults) maybeLoseNews(from, to sim.Addr, wire []byte) {
	if c.lostNews == nil || !to.IsClient() || !hasNews(wire) || !c.lostNews.draws.Chance(1, 2) {
		return
	}
	c.NewsLost++
	l := c.world.Net().Link(from, to)
	l.Cut()
	c.until(c.lostNews.draws.Duration(time.Microsecond, time.Millisecond), l.Mend)
}

func hasNews(wire []byte) bool {
	p, err := api.DecodeReply(wire)
	if err != nil {
		return false
	}
	l, ok := p.Detail.(api.Leased)
	return ok && len(l.Events) > 0
}
