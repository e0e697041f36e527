package rpc

import (
	"maps"
	"slices"
	"sync"
)

// Port is one of several clients of a process that share its stream to each replica. It gets the
// replies to what it has sent. All methods are safe for concurrent use.
type Port struct {
	c       *Client
	number  uint32
	deliver func(from uint32, msg []byte)
	failed  func(replica uint32, err error)
}

// ports are those of a Client that are open.
type ports struct {
	mu   sync.Mutex
	last uint32 // no number is used twice: a late reply must not find another client
	open map[uint32]*Port
}

// Open adds a port to the Client. deliver takes a message of a replica; it must not block for long,
// and does not keep msg. failed is told why a stream could not be opened, or ended: what was
// sent on it and is not answered is lost. It must not block for long. ok is
// false if the Client has no number left.
func (c *Client) Open(deliver func(from uint32, msg []byte), failed func(replica uint32, err error)) (p *Port, ok bool) {
	c.ports.mu.Lock()
	defer c.ports.mu.Unlock()
	if c.ports.last+1 == 0 {
		return nil, false
	}
	c.ports.last++
	p = &Port{c: c, number: c.ports.last, deliver: deliver, failed: failed}
	c.ports.open[p.number] = p
	return p, true
}

// Send sends a message to a replica, as Client.Send does.
func (p *Port) Send(to uint32, msg []byte) { p.c.send(to, p.number, msg) }

// Close ends the port: messages that come for it are dropped, perhaps not one that is being
// delivered.
func (p *Port) Close() {
	p.c.ports.mu.Lock()
	defer p.c.ports.mu.Unlock()
	delete(p.c.ports.open, p.number)
}

// deliver hands a message of a replica to its port.
func (c *Client) deliver(from, port uint32, msg []byte) {
	if port == 0 {
		if c.cfg.Deliver != nil {
			c.cfg.Deliver(from, msg)
		}
		return
	}
	c.ports.mu.Lock()
	p := c.ports.open[port]
	c.ports.mu.Unlock()
	if p != nil {
		p.deliver(from, msg)
	}
}

// failed tells all ports why a stream failed.
func (c *Client) failed(replica uint32, err error) {
	if c.cfg.Failed != nil {
		c.cfg.Failed(replica, err)
	}
	c.ports.mu.Lock()
	all := slices.Collect(maps.Values(c.ports.open))
	c.ports.mu.Unlock()
	for _, p := range all {
		p.failed(replica, err)
	}
}
